"""Private folders for copies, gone at the end; those of runs that were killed go with the next run.

Who uses a folder holds a lock on it (flock(2)), which the kernel drops with the process, however that ends and in
whatever container it was. The name says in which run of which kernel the lock counts: on a shared disk the locks of
another machine may not be seen. Where there are no locks (some network file systems) nothing is cleared up.
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
RANDOM_SUFFIX_CHARS = 8  # characters at the end of a name of mkdtemp
_OPEN_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def scratch_folder(parent: Path | None = None) -> Iterator[Path]:
    """A folder for its owner alone. Where none can be made, a path at which nothing can ever be:

    whatever needs no copy is read all the same, and what does fails by itself with an OSError.
    """
    prefix = _boot_prefix()
    try:
        home = parent or Path(tempfile.gettempdir())
    except OSError:  # no folder can be written to
        home = Path(os.devnull)
    remove_stale_folders(home, prefix)
    with ExitStack() as until_gone:
        with signals_held():  # a signal before the callbacks are there would leave the folder behind
            folder, lock = _create_locked_folder(home, prefix)
            if lock is not None:
                until_gone.callback(os.close, lock)
            until_gone.callback(_remove_folder, folder)
        yield Path(folder)


def remove_stale_folders(home: Path, prefix: str) -> None:
    """Removes what dead processes of this user left in `home`. Of those who do so at once one gets each folder."""
    with suppress(OSError), ExitStack() as until_done:
        parent = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        until_done.callback(os.close, parent)
        left = re.compile(rf"{re.escape(prefix)}\w{{{RANDOM_SUFFIX_CHARS}}}")
        for name in filter(left.fullmatch, os.listdir(parent)):  # noqa: PTH208  (no path: a descriptor)
            with suppress(OSError):
                _remove_if_unlocked(name, parent)


def _remove_if_unlocked(name: str, parent: int) -> None:
    """OSError where it is in use, another user's, or no folder."""
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
    """A new folder and the lock on it; None where there are no locks, and then under a name that nobody clears up.

    It is locked before it gets the name under which others look for what is not locked.
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
    """The same for everybody on this kernel until it starts anew. Without /proc nobody else's is the same."""
    try:
        return f"{FOLDER_PREFIX}{Path('/proc/sys/kernel/random/boot_id').read_text().strip()}-"
    except OSError:
        return f"{FOLDER_PREFIX}{uuid.uuid4()}-"


def _remove_folder(folder: str) -> None:
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except BaseException:  # a signal came just now
        shutil.rmtree(folder, ignore_errors=True)
        raise
