"""Files that are whole or not there, and where the program keeps what may be lost."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

MAX_CACHE_BYTES = 100 << 20  # bytes of a folder of the cache
CACHE_RETENTION_S = 24 * 3600  # seconds since its last use for which a file of it stays in any case


@contextmanager
def open_atomic(path: Path, mode: int | None = None) -> Iterator[BinaryIO]:
    """A file beside `path` (or what that links to) that takes its place at the end; on an error `path` is as it was.

    Raises OSError, and leaves nothing behind. `mode`: of the file; else as the old one's, or as the umask says.
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
    """The mode of the file that is replaced, or what the umask gives a new one (mkstemp makes 0600)."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def is_file(path: Path) -> bool:
    """pathlib's own raises where one may not look, and for a name that no disk takes."""
    with suppress(OSError):
        return path.is_file()
    return False


def is_folder(path: Path) -> bool:
    """As `is_file`."""
    with suppress(OSError):
        return path.is_dir()
    return False


def cache_dir() -> Path | None:
    """`$XDG_CACHE_HOME/tf-postmortem`, else `~/.cache/tf-postmortem`; None where there is no home."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    try:
        folder = Path(base) if Path(base).is_absolute() else Path.home() / ".cache"
    except RuntimeError:
        return None
    return folder / "tf-postmortem" if folder.is_absolute() else None


def is_private_folder(folder: Path) -> bool:
    """Whether a folder is ours, and nobody else can write to it or put another in its place by a link or its name."""
    try:
        status = folder.stat()
        way = [each.lstat() for each in {folder, *folder.parents, *Path(os.path.realpath(folder)).parents}]
    except OSError:
        return False
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022 and not any(map(_is_unsafe, way))


def _is_unsafe(status: os.stat_result) -> bool:
    """A link of another user's, or a folder in which everybody may rename what is others'."""
    if stat.S_ISLNK(status.st_mode):
        return status.st_uid not in (0, os.geteuid())
    return bool(status.st_mode & stat.S_IWOTH) and not status.st_mode & stat.S_ISVTX


def make_private_folder(folder: Path) -> bool:
    """Makes a folder of ours where there is none, though not among another user's: root may have that user's home.

    Says whether it is private. Raises OSError.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        home = each.parent.stat()
        if home.st_uid not in (0, os.geteuid()) and not home.st_mode & stat.S_ISVTX:
            return False
        each.mkdir(mode=0o700, exist_ok=True)
    return is_private_folder(folder)


def write_cache(path: Path, data: bytes) -> None:
    """Writes a file of the cache, whole or not at all; where the home cannot be written the next start is slower."""
    with suppress(OSError):
        if make_private_folder(path.parent):
            with open_atomic(path, 0o600) as file:
                file.write(_digest(data) + data)
            _evict_unused(path)


def _evict_unused(newest: Path) -> None:
    """Every edit of a rule makes 8 MB, and homes have quotas: of more than ROOM what was unused for long goes.

    The disk's clock counts, not this machine's. Raises OSError.
    """
    found = [(status.st_mtime, status.st_size, path) for path, status in _list_files(newest.parent)]
    now, taken = newest.stat().st_mtime, sum(size for _, size, _ in found)
    for used, size, path in sorted(found):
        if taken <= MAX_CACHE_BYTES or used > now - CACHE_RETENTION_S:
            break
        path.unlink(missing_ok=True)
        taken -= size


def _list_files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Its files; another process may take one away meanwhile."""
    for path in folder.iterdir():
        with suppress(FileNotFoundError):
            if stat.S_ISREG((status := path.lstat()).st_mode):
                yield path, status


def read_cache(path: Path) -> bytes | None:
    """What `keep` wrote; None if absent, damaged, or perhaps somebody else's: such data is trusted as code is."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a FIFO would wait
    try:
        with os.fdopen(os.open(path, flags), "rb") as file:
            status = os.fstat(file.fileno())
            if status.st_uid != os.geteuid() or status.st_mode & 0o022 or not is_private_folder(path.parent):
                return None
            said, data = file.read(32), file.read()
    except OSError:
        return None
    with suppress(OSError):
        os.utime(path)  # it is in use
    return data if _digest(data) == said else None


def _digest(data: bytes) -> bytes:
    import hashlib  # with OpenSSL, for the commands that keep something

    return hashlib.sha256(data).digest()
