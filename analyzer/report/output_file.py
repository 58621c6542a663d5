"""Write a report atomically: its path holds either the old file or the complete new one."""

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

    `mode`: the mode of the file from its first byte on; default: the old file's, or the one that the umask gives.
    Raises AnalyzerError with a hint if that fails; then `path` is unchanged and no temporary file is left.
    A device, a pipe or a socket (`/dev/stdout`, `>(…)`) has no old content to keep, so it is written directly.
    """
    try:
        is_replaceable = not path.exists() or path.is_file() or path.is_dir()
        with open_atomic(path, mode) if is_replaceable else path.open("wb") as stream:
            for piece in (content,) if isinstance(content, (str, bytes)) else content:
                stream.write(piece if isinstance(piece, bytes) else piece.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise explain_os_error(path, error) from error


def check_writable(path: Path) -> None:
    """Raise AnalyzerError if no report can be written to `path`; called before a long analysis.

    The check creates and drops an unnamed file in the folder of the later temporary file.
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
    """Return the error for a path that could not be written, with a hint."""
    import errno

    code = errno.errorcode.get(error.errno or 0, "")
    return AnalyzerError(
        f"cannot write {path}: {error.strerror or error}", ERRNO_HINTS.get(code, "choose another path")
    )
