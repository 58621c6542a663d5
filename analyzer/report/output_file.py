"""Writing a report so that its path holds the old file or the whole new one, never half of one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from analyzer.errors import AnalyzerError
from analyzer.paths import open_atomic

ERRNO_HINTS = {
    "ENOSPC": "free some space, or write the report elsewhere",
    "EDQUOT": "the disk quota is used up: free some space, or write the report elsewhere",
    "EROFS": "that file system is read-only: write the report elsewhere",
    "EACCES": "no permission to write there: choose another folder",
    "EPERM": "no permission to write there: choose another folder",
    "ENOENT": "the folder does not exist: create it first",
    "ENOTDIR": "a part of the path is a file: choose another path",
    "EISDIR": "this is a folder: give a file name",
    "ENAMETOOLONG": "choose a shorter name",
}


def write_output_file(path: Path, content: str | bytes | Iterable[str], mode: int | None = None) -> None:
    """Write `content`, a text or its pieces as UTF-8, to `path`, through a temporary file beside it and a rename.

    `mode`: of the file from its first byte on; else as the old file's, or as the umask says.
    Raises AnalyzerError, with what to try, where that fails; then `path` is as it was and nothing is left beside it.
    A device, a pipe or a socket (`/dev/stdout`, `>(…)`) has no whole to keep, so it is written directly.
    """
    try:
        is_replaceable = not path.exists() or path.is_file() or path.is_dir()
        with open_atomic(path, mode) if is_replaceable else path.open("wb") as stream:
            for piece in (content,) if isinstance(content, (str, bytes)) else content:
                stream.write(piece if isinstance(piece, bytes) else piece.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise explain_os_error(path, error) from error


def check_writable(path: Path) -> None:
    """Raises AnalyzerError where no report can come to lie at `path`: better known before a long analysis than after.

    A file without a name is made and dropped where `write_report` will make its temporary one.
    """
    import os
    import tempfile

    try:
        if path.is_dir():
            raise IsADirectoryError(21, os.strerror(21))
        if not path.exists() or path.is_file():
            tempfile.TemporaryFile(dir=Path(os.path.realpath(path)).parent).close()
    except OSError as error:
        raise explain_os_error(path, error) from error


def explain_os_error(path: Path, error: OSError) -> AnalyzerError:
    """What could not be written, with what to try."""
    import errno

    code = errno.errorcode.get(error.errno or 0, "")
    return AnalyzerError(
        f"cannot write {path}: {error.strerror or error}", ERRNO_HINTS.get(code, "choose another path")
    )
