"""Private folders for copies, removed at the end. The next run removes those of runs that were killed.

The user of a folder holds a lock on it (flock(2)), which the kernel drops when the process ends, however it ends and in
whatever container. The name contains the boot id of the kernel, because a shared disk may not show the locks of another
machine. Where locks are not supported (some network file systems) nothing is cleaned up.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import stat
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from analyzer.interrupts import signals_held

FOLDER_PREFIX = "tf-postmortem-"
RANDOM_SUFFIX_CHARS = 8  # that mkdtemp appends to a name
_OPEN_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def scratch_folder(parent: Path | None = None) -> Iterator[Path]:
    """Yield a folder that only its owner can access.

    If none can be made, yields a path at which nothing can ever exist: whatever needs no copy is read all the same, and
    what does fails with an OSError.
    """
    prefix = _boot_prefix()
    try:
        home = parent or Path(tempfile.gettempdir())
    except OSError:  # no folder is writable
        home = Path(os.devnull)
    remove_stale_folders(home, prefix)
    with ExitStack() as until_gone:
        with signals_held():  # a signal before the callbacks are registered would leave the folder behind
            folder, lock = _create_locked_folder(home, prefix)
            if lock is not None:
                until_gone.callback(os.close, lock)
            until_gone.callback(_remove_folder, folder)
        yield Path(folder)


def remove_stale_folders(home: Path, prefix: str) -> None:
    """Remove what dead processes of this user left in `home`. If several try at once, one gets each folder."""
    with suppress(OSError), ExitStack() as until_done:
        parent = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        until_done.callback(os.close, parent)
        left = re.compile(rf"{re.escape(prefix)}\w{{{RANDOM_SUFFIX_CHARS}}}")
        for name in filter(left.fullmatch, os.listdir(parent)):  # noqa: PTH208  (no path: a descriptor)
            with suppress(OSError):
                _remove_if_unlocked(name, parent)


def _remove_if_unlocked(name: str, parent: int) -> None:
    """Remove a folder. Raises OSError if it is in use, belongs to another user, or is not a folder."""
    folder = os.open(name, _OPEN_FOLDER_FLAGS, dir_fd=parent)
    try:
        status = os.fstat(folder)
        if status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) == stat.S_IRWXU:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(status, os.stat(name, dir_fd=parent, follow_symlinks=False)):
                shutil.rmtree(name, ignore_errors=True, dir_fd=parent)
    finally:
        os.close(folder)


def _create_locked_folder(home: Path, prefix: str) -> tuple[str, int | None]:
    """Return a new folder and the lock on it; without locks, None and a name that nobody cleans up.

    The folder is locked before it gets the name by which others look for unlocked ones.
    """
    try:
        folder = tempfile.mkdtemp(prefix=FOLDER_PREFIX, dir=home)
    except OSError:
        return f"{os.devnull}/no-scratch", None
    with suppress(OSError), ExitStack() as on_error:
        lock = os.open(folder, _OPEN_FOLDER_FLAGS)
        on_error.callback(os.close, lock)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        named = str(home / (prefix + folder[-RANDOM_SUFFIX_CHARS:]))
        Path(folder).rename(named)
        on_error.pop_all()
        return named, lock
    return folder, None


def _boot_prefix() -> str:
    """Return a prefix that is the same for everybody on this kernel until it reboots; unique if /proc is missing."""
    try:
        return f"{FOLDER_PREFIX}{Path('/proc/sys/kernel/random/boot_id').read_text().strip()}-"
    except OSError:
        return f"{FOLDER_PREFIX}{uuid.uuid4()}-"


def _remove_folder(folder: str) -> None:
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except BaseException:  # interrupted by a signal
        shutil.rmtree(folder, ignore_errors=True)
        raise
