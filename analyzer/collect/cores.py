"""Core files: those that are asked for, else the latest where the kernel puts them.

Where the analyzer is installed a core goes in slim form, with its modules. The collector as one file takes it whole
where it is small, else its stacks and smallest mappings, and of its modules the smallest.
"""

from __future__ import annotations

import importlib.util
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from analyzer.collect.commands import ask
from analyzer.collect.files import changed_at, find_files, match_files
from analyzer.collect.lean import trim_core
from analyzer.collect.parcel import SLOW, Parcel
from analyzer.collect.patience import wait_for
from analyzer.collect.wish import Wish

RECENT = 24 * 3600.0  # seconds; cores that nobody asked for are taken if they are not older, or not before --since
FEW = 4  # of those
PATIENCE = 60.0  # seconds for the slim form of one
_SYSTEMD = "/var/lib/systemd/coredump/core.*"


def collect_cores(parcel: Parcel, wish: Wish) -> None:
    paths = [path for pattern in wish.cores for path in find_files(parcel, "--core", pattern)]
    if wish.redact and (paths or wish.cores):
        parcel.lack("core files", "a core holds the memory of its process; with --redact none is taken")
        return
    if not wish.cores and not wish.redact:
        paths = find_recent(wish)
    modules = Modules(parcel, wish.bounds.core)
    for path in dict.fromkeys(paths):
        if not _add_slim(parcel, path):
            _add_bounded(parcel, path, wish.bounds.core, modules)


def _add_bounded(parcel: Parcel, path: Path, most: int, modules: Modules) -> None:
    limit = min(most, parcel.room // 2)
    try:
        size = path.stat().st_size
        lean = wait_for(lambda: trim_core(path, limit), SLOW)
    except OSError as error:
        parcel.lack(str(path), error.strerror or str(error))
        return
    if size <= limit:
        parcel.add_file(f"cores/{path.name}", path, text=False, secrets=lean.secrets if lean else ())
    elif lean is None:
        parcel.lack(str(path), f"its {size} bytes are over --max-core, and it is no core that can be cut")
    else:
        parcel.add_file(f"cores/{path.name}", path, lean.pieces, text=False, head=lean.head, secrets=lean.secrets)
        parcel.lack(f"large mappings of {path}", f"over --max-core ({size} bytes there)")
    if lean is not None:
        modules.add(lean.files)


class Modules:
    """Libraries and programs of all cores together, the smallest first, where the analyzer looks for them."""

    def __init__(self, parcel: Parcel, room: int) -> None:
        self._parcel, self._room = parcel, room
        self._seen: set[str] = set()

    def add(self, files: Sequence[str]) -> None:
        sizes = [(size, name) for name in files if name not in self._seen and (size := _size_of_module(name))]
        self._seen.update(files)
        left_out = 0
        for size, name in sorted(sizes):
            if size <= min(self._room, self._parcel.room // 2):
                self._parcel.add_file(f"cores/sysroot{name}", Path(name), text=False)
                self._room -= size
            else:
                left_out += 1
        if left_out:
            self._parcel.lack(f"{left_out} large modules of a core", "over --max-core")


def _size_of_module(name: str) -> int:
    """Bytes; 0 for what is gone, and for data that the program had mapped."""
    try:
        with open(name, "rb") as file:  # noqa: PTH123
            return file.seek(0, 2) if file.read(4) == b"\x7fELF" else 0
    except OSError:
        return 0


def _add_slim(parcel: Parcel, path: Path) -> bool:
    """A process of its own reads the core: time and memory that it takes have a bound."""
    if importlib.util.find_spec("analyzer.cores") is None:
        return False
    with tempfile.TemporaryDirectory(prefix="tf-postmortem-") as folder:
        slim = Path(folder) / f"{path.name}.slim.tar.gz"
        command = [sys.executable, "-m", "analyzer", "core", str(path), "--slim", str(slim), "--mask"]
        answer = ask(command, parcel.bounds, min(PATIENCE, parcel.seconds_left / 2))
        if not slim.exists() or answer.problem:
            parcel.lack(f"slim form of {path}", answer.problem or "nothing was written")
            return False
        parcel.add_file(f"cores/{slim.name}", slim, text=False)
    return True


def find_recent(wish: Wish) -> list[Path]:
    """The latest cores at the place that core_pattern names, and systemd's."""
    since = wish.since if wish.since is not None else time.time() - RECENT
    patterns = [_SYSTEMD, *(glob for pid in wish.pids or [0] if (glob := pattern_to_glob(_core_pattern(), pid)))]
    found = {path: changed_at(path) for pattern in patterns for path in match_files(pattern)}
    recent = sorted((path for path, changed in found.items() if changed >= since), key=lambda path: -found[path])
    return recent[:FEW]


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
    return f"{folder}/{name}*"


def _core_pattern() -> str:
    try:
        return Path("/proc/sys/kernel/core_pattern").read_text().strip()
    except OSError:
        return ""
