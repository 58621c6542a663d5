"""Writing a report so that its path holds the old file or the whole new one, never half of one."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from analyzer.errors import AnalyzerError

HINTS = {
    "ENOSPC": "Free some space, or write the report elsewhere.",
    "EDQUOT": "Your quota is used up: free some space, or write the report elsewhere.",
    "EROFS": "That file system is read-only: write the report elsewhere.",
    "EACCES": "You may not write there: choose a folder of your own.",
    "EPERM": "You may not write there: choose a folder of your own.",
    "ENOENT": "The folder does not exist: make it first.",
    "ENOTDIR": "A part of the path is a file: choose another path.",
    "EISDIR": "That is a folder: give a file name.",
    "ENAMETOOLONG": "Choose a shorter name.",
}


def write_report(path: Path, text: str) -> None:
    """Write `text` as UTF-8 to `path`, through a temporary file beside it and a rename.

    Raises AnalyzerError, with what to try, where that fails; then `path` is as it was and nothing is left beside it.
    A device, a pipe or a socket (`/dev/stdout`, `>(…)`) has no whole to keep, so it is written directly.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            path.write_text(text, encoding="utf-8", errors="backslashreplace")
        else:
            _replace(Path(os.path.realpath(path)), text)  # what a link points to, not the link
    except OSError as error:
        raise _explain(path, error) from error


def _replace(target: Path, text: str) -> None:
    if target.is_dir():
        raise IsADirectoryError(21, os.strerror(21))
    handle, name = tempfile.mkstemp(prefix=".tf-postmortem-", suffix=".tmp", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())  # delayed allocation reports a full disk here, not at close
        temporary.chmod(_mode(target))
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _mode(target: Path) -> int:
    """The mode of the file that is replaced, or what the umask gives a new one (mkstemp makes 0600)."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _explain(path: Path, error: OSError) -> AnalyzerError:
    import errno

    code = errno.errorcode.get(error.errno or 0, "")
    return AnalyzerError(f"cannot write {path}: {error.strerror or error}", HINTS.get(code, "Choose another path."))
