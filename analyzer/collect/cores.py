"""Core files: those that are asked for, else the latest where the kernel puts them.

Where the analyzer is installed a core goes in slim form, with its modules. The collector as one file takes it whole
where it is small, else its stacks and smallest mappings, and of its modules the smallest.
"""

from __future__ import annotations

import glob
import importlib.util
import os
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from analyzer.collect.commands import ask
from analyzer.collect.files import changed_at, find_files, match_files
from analyzer.collect.lean import trim_core
from analyzer.collect.parcel import SLOW, Parcel
from analyzer.collect.patience import wait_for, with_patience
from analyzer.collect.reach import open_file
from analyzer.collect.rights import ANYBODY, NO_USERS, Users, others, users_of
from analyzer.collect.wish import Wish

RECENT = 24 * 3600.0  # seconds; cores that nobody asked for are taken if they are not older, or not before --since
FEW = 4  # of those
PATIENCE = 60.0  # seconds for the slim form of one
_SYSTEMD = "/var/lib/systemd/coredump/core.*"


def collect_cores(parcel: Parcel, wish: Wish) -> None:
    paths: dict[Path, Users] = {}
    for pattern in wish.cores:
        paths.update(dict.fromkeys(find_files(parcel, "--core", pattern), NO_USERS))
    if wish.redact and (paths or wish.cores):
        parcel.lack("core files", "a core holds the memory of its process; with --redact none is taken")
        return
    if not wish.cores and not wish.redact:
        paths = find_recent(wish)
    modules = Modules(parcel, wish.bounds.core)
    for path, users in paths.items():
        try:
            with wait_for(lambda: open_file(path, users), SLOW) as file:  # noqa: B023  (called at once)
                if not _add_slim(parcel, path, file):
                    _add_bounded(parcel, path, file, wish.bounds.core, modules)
        except OSError as error:
            parcel.lack(str(path), error.strerror or str(error))


def _add_bounded(parcel: Parcel, path: Path, file: IO[bytes], most: int, modules: Modules) -> None:
    limit = min(most, parcel.room // 2)
    status = os.fstat(file.fileno())
    lean = wait_for(lambda: trim_core(file, limit), SLOW)
    if status.st_size <= limit:
        parcel.add_file(f"cores/{path.name}", path, file, text=False, secrets=lean.secrets if lean else ())
    elif lean is None:
        parcel.lack(str(path), f"its {status.st_size} bytes are over --max-core, and it is no core that can be cut")
    else:
        parcel.add_file(f"cores/{path.name}", path, file, lean.pieces, text=False, head=lean.head, secrets=lean.secrets)
        parcel.lack(f"large mappings of {path}", f"over --max-core ({status.st_size} bytes there)")
    if lean is not None:
        modules.add(lean.files, others(status.st_uid, ANYBODY if lean.user is None else lean.user))


class Modules:
    """Libraries and programs of all cores together, the smallest first, where the analyzer looks for them."""

    def __init__(self, parcel: Parcel, room: int) -> None:
        self._parcel, self._room = parcel, room
        self._seen: set[str] = set()

    def add(self, files: Sequence[str], users: Users) -> None:
        """`users`: whose process or file named them."""
        sizes = [(size, name) for name in files if name not in self._seen and (size := _size_of_module(name, users))]
        self._seen.update(files)
        left_out = 0
        for size, name in sorted(sizes):
            if size <= min(self._room, self._parcel.room // 2):
                self._parcel.add_path(f"cores/sysroot{_below(name)}", Path(name), text=False, users=users)
                self._room -= size
            else:
                left_out += 1
        if left_out:
            self._parcel.lack(f"{left_out} large modules of a core", "over --max-core")


def _below(name: str) -> str:
    """An absolute path that leads nowhere else."""
    return os.path.normpath("/" + name.lstrip("/"))


def _size_of_module(name: str, users: Users) -> int:
    """Bytes; 0 for what is gone or out of reach, and for data that the program had mapped."""
    try:
        with wait_for(lambda: open_file(Path(name), users), SLOW) as file:
            return file.seek(0, 2) if file.read(4) == b"\x7fELF" else 0
    except (OSError, ValueError):
        return 0


def _add_slim(parcel: Parcel, path: Path, file: IO[bytes]) -> bool:
    """A process of its own reads the core: time and memory that it takes have a bound."""
    if importlib.util.find_spec("analyzer.cores") is None:
        return False
    from analyzer.scratch import scratch_folder  # it is there where the analyzer is

    with scratch_folder() as folder:
        core, slim = folder / "core" / path.name, folder / f"{path.name}.slim.tar.gz"
        core.parent.mkdir()
        core.symlink_to(f"/proc/self/fd/{file.fileno()}")  # what was opened, whatever bears its name by now
        command = [sys.executable, "-P", "-m", "analyzer", "core", str(core), "--slim", str(slim), "--mask"]
        answer = ask(command, parcel.bounds, min(PATIENCE, parcel.seconds_left / 2), [file.fileno()])
        if not slim.exists() or answer.problem:
            parcel.lack(f"slim form of {path}", answer.problem or "nothing was written")
            return False
        parcel.add_path(f"cores/{slim.name}", slim, text=False)
    return True


def find_recent(wish: Wish) -> dict[Path, Users]:
    """The latest cores at the place that core_pattern names, and systemd's. A process chooses its folder itself."""
    since = wish.since if wish.since is not None else time.time() - RECENT
    patterns = {_SYSTEMD: NO_USERS}
    for pid in wish.pids or [0]:
        if pattern := pattern_to_glob(_core_pattern(), pid):
            patterns[pattern] = users_of(pid) if pid and not _core_pattern().startswith("/") else NO_USERS
    found = {
        path: users for pattern, users in patterns.items() for path in with_patience(match_files(pattern, users), SLOW)
    }
    times = {path: changed_at(path, users) for path, users in found.items()}
    recent = sorted((path for path in found if times[path] >= since), key=lambda path: -times[path])
    return {path: found[path] for path in recent[:FEW]}


def pattern_to_glob(pattern: str, pid: int) -> str | None:
    """core(5): `/var/crash/core.%e.%p` as `/var/crash/core.*.*`; a relative one is in the process's folder, which
    only a living process tells; None for a pipe."""
    if pattern.startswith("|") or not pattern:
        return None
    name = re.sub(r"%[a-zA-Z]", "*", pattern.replace("%%", "%"))
    if name.startswith("/"):
        return name
    try:
        folder = Path(f"/proc/{pid or 'self'}/cwd").resolve(strict=True)
    except OSError:
        return None
    return f"{glob.escape(str(folder))}/{name}*"


def _core_pattern() -> str:
    try:
        return Path("/proc/sys/kernel/core_pattern").read_text().strip()
    except OSError:
        return ""
