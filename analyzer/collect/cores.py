"""Core files: those that are asked for, else the latest where the kernel puts them.

Where the analyzer is installed a core goes in slim form, with its modules; the collector as one file takes it whole.
"""

from __future__ import annotations

import importlib.util
import re
import sys
import tempfile
import time
from pathlib import Path

from analyzer.collect.commands import ask
from analyzer.collect.files import changed_at, find_files, match_files
from analyzer.collect.parcel import Parcel
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
    for path in dict.fromkeys(paths):
        if not _add_slim(parcel, path):
            parcel.add_file(f"cores/{path.name}", path, text=False)


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
