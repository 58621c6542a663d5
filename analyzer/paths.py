"""Writing files atomically, and the program's cache folder."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

MAX_CACHE_BYTES = 100 << 20  # of one folder of the cache
CACHE_RETENTION_S = 24 * 3600  # a file that was used within this time is never evicted


@contextmanager
def open_atomic(path: Path, mode: int | None = None) -> Iterator[BinaryIO]:
    """Yield a new file that replaces `path` (or what that links to) at the end; on an error `path` stays as it was.

    `mode`: of the file; None: that of the old file, or what the umask gives. Raises OSError, and leaves nothing behind.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(21, os.strerror(21))
    handle, name = tempfile.mkstemp(prefix=".tf-postmortem-", suffix=".tmp", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())  # delayed allocation reports a full disk here, not at close
        temporary.chmod(_file_mode(target) if mode is None else mode)
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _file_mode(target: Path) -> int:
    """Return the mode of the file that is replaced, or what the umask gives a new one (mkstemp makes 0600)."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def is_file(path: Path) -> bool:
    """Like `Path.is_file`, which raises without permission and for a name that no disk accepts; this returns False."""
    with suppress(OSError):
        return path.is_file()
    return False


def is_folder(path: Path) -> bool:
    """Like `is_file`, for folders."""
    with suppress(OSError):
        return path.is_dir()
    return False


def cache_dir() -> Path | None:
    """Return `$XDG_CACHE_HOME/tf-postmortem`, else `~/.cache/tf-postmortem`; None if there is no home."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    try:
        folder = Path(base) if Path(base).is_absolute() else Path.home() / ".cache"
    except RuntimeError:
        return None
    return folder / "tf-postmortem" if folder.is_absolute() else None


def is_private_folder(folder: Path) -> bool:
    """Return whether a folder is ours, and no other user can write to it or replace it by a link or by renaming."""
    try:
        status = folder.stat()
        ancestors = [path.lstat() for path in {folder, *folder.parents, *Path(os.path.realpath(folder)).parents}]
    except OSError:
        return False
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022 and not any(map(_is_unsafe, ancestors))


def _is_unsafe(status: os.stat_result) -> bool:
    """Return whether this is a link of another user, or a folder in which anybody may rename others' files."""
    if stat.S_ISLNK(status.st_mode):
        return status.st_uid not in (0, os.geteuid())
    return bool(status.st_mode & stat.S_IWOTH) and not status.st_mode & stat.S_ISVTX


def make_private_folder(folder: Path) -> bool:
    """Create a folder if it does not exist, and return whether it is private.

    Nothing is created in a folder of another user, because root may run with that user's home. Raises OSError.
    """
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        home = path.parent.stat()
        if home.st_uid not in (0, os.geteuid()) and not home.st_mode & stat.S_ISVTX:
            return False
        path.mkdir(mode=0o700, exist_ok=True)
    return is_private_folder(folder)


def write_cache(path: Path, data: bytes) -> None:
    """Write a file of the cache, all or nothing. If the home is not writable, the next start is only slower."""
    with suppress(OSError):
        if make_private_folder(path.parent):
            with open_atomic(path, 0o600) as file:
                file.write(_digest(data) + data)
            _evict_unused(path)


def _evict_unused(newest: Path) -> None:
    """Remove the files of a cache folder that were unused for the longest time, until it has at most MAX_CACHE_BYTES.

    Every edit of a rule adds 8 MB, and homes have quotas. Times are those of the disk, not of this machine. Raises
    OSError.
    """
    files = [(status.st_mtime, status.st_size, path) for path, status in _list_files(newest.parent)]
    now, total = newest.stat().st_mtime, sum(size for _, size, _ in files)
    for used, size, path in sorted(files):
        if total <= MAX_CACHE_BYTES or used > now - CACHE_RETENTION_S:
            break
        path.unlink(missing_ok=True)
        total -= size


def _list_files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield the files of a folder with their status; another process may remove some meanwhile."""
    for path in folder.iterdir():
        with suppress(FileNotFoundError):
            if stat.S_ISREG((status := path.lstat()).st_mode):
                yield path, status


def read_cache(path: Path) -> bytes | None:
    """Return what `write_cache` wrote; None if it is absent, damaged, or could be another user's: cached data is
    trusted as code is.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # opening a FIFO would wait
    try:
        with os.fdopen(os.open(path, flags), "rb", buffering=0) as file:  # a buffer would copy the data once more
            status = os.fstat(file.fileno())
            if status.st_uid != os.geteuid() or status.st_mode & 0o022 or not is_private_folder(path.parent):
                return None
            digest, data = file.read(32), file.readall()
    except OSError:
        return None
    with suppress(OSError):
        os.utime(path)  # marks it as used
    return data if _digest(data) == digest else None


def _digest(data: bytes) -> bytes:
    import hashlib  # loads OpenSSL, which only commands that use the cache need

    return hashlib.sha256(data).digest()
