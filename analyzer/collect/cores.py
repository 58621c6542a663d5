"""Collect core files: the requested ones, else the latest where the kernel writes them.

With the analyzer installed, a core goes in slim form with its modules. The standalone collector takes a small core
whole, and of a larger one the stacks and smallest mappings, with the smallest modules.
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

from analyzer.collect.core_trimming import trim_core
from analyzer.collect.external_tools import run_tool
from analyzer.collect.files import find_files, match_files, modified_time
from analyzer.collect.node_archive import READ_TIMEOUT_S, NodeArchive
from analyzer.collect.request import CollectRequest
from analyzer.collect.rights import ANYBODY, NO_USERS, Users, other_users, process_users
from analyzer.collect.safe_open import open_file
from analyzer.collect.timeouts import call_with_timeout, iterate_with_timeout

RECENT_S = 24 * 3600.0  # seconds; without --core, cores are collected if they are not older, or not before --since
MAX_RECENT_CORES = 4  # cores collected without --core
SLIM_TIMEOUT_S = 60.0  # seconds for the slim form of one
_SYSTEMD_CORES = "/var/lib/systemd/coredump/core.*"


def collect_cores(archive: NodeArchive, request: CollectRequest) -> None:
    """Add the cores that the request names, or else the latest ones that the node keeps. With `--redact`, add none."""
    paths: dict[Path, Users] = {}
    for pattern in request.core_patterns:
        paths.update(dict.fromkeys(find_files(archive, "--core", pattern), NO_USERS))
    if request.redact and (paths or request.core_patterns):
        archive.add_missing("core files", "a core holds the memory of its process, so --redact collects none")
        return
    if not request.core_patterns and not request.redact:
        paths = find_recent_cores(request)
    modules = CoreModules(archive, request.limits.max_core_bytes)
    for path, users in paths.items():
        try:
            with call_with_timeout(lambda: open_file(path, users), READ_TIMEOUT_S) as file:  # noqa: B023  (called at once)
                if not _add_slim(archive, path, file):
                    _add_trimmed(archive, path, file, request.limits.max_core_bytes, modules)
        except OSError as error:
            archive.add_missing(str(path), error.strerror or str(error))


def _add_trimmed(archive: NodeArchive, path: Path, file: IO[bytes], max_bytes: int, modules: CoreModules) -> None:
    limit = min(max_bytes, archive.bytes_left // 2)
    status = os.fstat(file.fileno())
    trimmed = call_with_timeout(lambda: trim_core(file, limit), READ_TIMEOUT_S)
    if status.st_size <= limit:
        archive.add_file(f"cores/{path.name}", path, file, text=False, secrets=trimmed.secrets if trimmed else ())
    elif trimmed is None:
        archive.add_missing(
            str(path), f"its {status.st_size} bytes exceed --max-core, and it is not a core that can be cut"
        )
    else:
        archive.add_file(
            f"cores/{path.name}", path, file, trimmed.pieces, text=False, header=trimmed.header, secrets=trimmed.secrets
        )
        archive.add_missing(f"large mappings of {path}", f"over --max-core ({status.st_size} bytes on the node)")
    if trimmed is not None:
        modules.add(
            trimmed.mapped_files, other_users(status.st_uid, ANYBODY if trimmed.user_id is None else trimmed.user_id)
        )


class CoreModules:
    """Add libraries and programs of all cores, the smallest first, under the paths where the analyzer looks for
    them.
    """

    def __init__(self, archive: NodeArchive, bytes_left: int) -> None:
        self._archive, self._bytes_left = archive, bytes_left
        self._seen: set[str] = set()

    def add(self, files: Sequence[str], users: Users) -> None:
        """Add the modules in `files`. `users`: the users whose process or file named them."""
        sizes = [(size, name) for name in files if name not in self._seen and (size := _module_bytes(name, users))]
        self._seen.update(files)
        left_out = 0
        for size, name in sorted(sizes):
            if size <= min(self._bytes_left, self._archive.bytes_left // 2):
                self._archive.add_path(
                    f"cores/sysroot{_normalized_absolute(name)}", Path(name), text=False, users=users
                )
                self._bytes_left -= size
            else:
                left_out += 1
        if left_out:
            self._archive.add_missing(f"{left_out} large modules of a core", "over --max-core")


def _normalized_absolute(name: str) -> str:
    """Return the path as an absolute one without `..`, so that it stays below its new root."""
    return os.path.normpath("/" + name.lstrip("/"))


def _module_bytes(name: str, users: Users) -> int:
    """Return the size of an ELF file; 0 if it is gone or not allowed, and for data that the program had mapped."""
    try:
        with call_with_timeout(lambda: open_file(Path(name), users), READ_TIMEOUT_S) as file:
            return file.seek(0, 2) if file.read(4) == b"\x7fELF" else 0
    except (OSError, ValueError):
        return 0


def _add_slim(archive: NodeArchive, path: Path, file: IO[bytes]) -> bool:
    """Add the slim form of a core, made by a child process with bounded time and memory. Return whether that worked."""
    if importlib.util.find_spec("analyzer.cores") is None:
        return False
    from analyzer.scratch import scratch_folder  # it is there where the analyzer is

    with scratch_folder() as folder:
        core, slim = folder / "core" / path.name, folder / f"{path.name}.slim.tar.gz"
        core.parent.mkdir()
        core.symlink_to(
            f"/proc/self/fd/{file.fileno()}"
        )  # the opened file, even if its name leads to another one by now
        command = [sys.executable, "-P", "-m", "analyzer", "core", str(core), "--slim", str(slim), "--mask"]
        answer = run_tool(command, archive.limits, min(SLIM_TIMEOUT_S, archive.seconds_left / 2), [file.fileno()])
        if not slim.exists() or answer.problem:
            archive.add_missing(f"slim form of {path}", answer.problem or "nothing was written")
            return False
        archive.add_path(f"cores/{slim.name}", slim, text=False)
    return True


def find_recent_cores(request: CollectRequest) -> dict[Path, Users]:
    """Return the latest cores where core_pattern and systemd put them, with the users who control each path.

    With a relative pattern, the process itself chooses its folder.
    """
    since = request.since if request.since is not None else time.time() - RECENT_S
    patterns = {_SYSTEMD_CORES: NO_USERS}
    for pid in request.pids or [0]:
        if pattern := core_pattern_to_glob(_core_pattern(), pid):
            patterns[pattern] = process_users(pid) if pid and not _core_pattern().startswith("/") else NO_USERS
    users_by_path = {
        path: users
        for pattern, users in patterns.items()
        for path in iterate_with_timeout(match_files(pattern, users), READ_TIMEOUT_S)
    }
    times = {path: modified_time(path, users) for path, users in users_by_path.items()}
    recent = sorted((path for path in users_by_path if times[path] >= since), key=lambda path: -times[path])
    return {path: users_by_path[path] for path in recent[:MAX_RECENT_CORES]}


def core_pattern_to_glob(pattern: str, pid: int) -> str | None:
    """Return a glob for core_pattern (core(5)): `/var/crash/core.%e.%p` becomes `/var/crash/core.*.*`.

    A relative pattern lies in the process's folder, which only a living process shows. None for a pipe.
    """
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
