"""Folders, walked in sorted order without following a link or opening anything but regular files."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from analyzer.bundle.names import rotation_key

_FILE_TYPES = (
    (stat.S_ISLNK, "a symbolic link, which is not followed"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a character device"),
    (stat.S_ISBLK, "a block device"),
)


def describe_file_type(mode: int) -> str | None:
    """Return what a special file of this mode is; None for a regular file. Opening a FIFO would wait for a writer."""
    if stat.S_ISREG(mode):
        return None
    return next((words for test, words in _FILE_TYPES if test(mode)), "not a regular file")


def walk_folder(root: Path) -> Iterator[tuple[str, Path, str | None]]:
    """Yield (path below `root`, where it is, why it cannot be listed or None) of everything that is not a folder.

    Rotated files come oldest first. Links are listed and never followed, so there are no loops.
    """
    pending = [("", root)]
    while pending:
        name, folder = pending.pop()
        try:
            with os.scandir(folder) as scan:
                entries = sorted((*rotation_key(entry.name), entry.name, _is_folder(entry)) for entry in scan)
        except OSError as error:
            yield name.rstrip("/"), folder, f"the folder cannot be listed: {error.strerror}"
            continue
        yield from ((name + entry, folder / entry, None) for *_, entry, is_folder in entries if not is_folder)
        pending += [(f"{name}{entry}/", folder / entry) for *_, entry, is_folder in reversed(entries) if is_folder]


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False  # it vanished; opening it will report that


def open_regular_file(path: Path, follow: bool = False) -> tuple[int, os.stat_result]:
    """Return a descriptor of a regular file and its status. Raises OSError for any other, even if it was swapped in
    meanwhile.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW))
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode):
        return descriptor, status
    os.close(descriptor)
    raise OSError(0, describe_file_type(status.st_mode) or "not a regular file")
