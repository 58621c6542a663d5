"""List the packages of the job's Python: by asking it, else by the names of their folders."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from analyzer.collect.node_archive import NodeArchive
from analyzer.collect.request import CollectRequest
from analyzer.collect.rights import process_users
from analyzer.collect.safe_open import list_folder

_LIST_SCRIPT = (
    "import sys\nprint('python==' + sys.version.split()[0])\n"
    "import importlib.metadata as m\n"
    "for n in sorted({d.metadata['Name'] + '==' + d.version for d in m.distributions() if d.metadata['Name']},"
    " key=str.lower): print(n)"
)
_PACKAGES_FOLDER = re.compile(
    r"[^/]*(/.+?/(?:site|dist)-packages)/"
)  # of a line of /proc/PID/maps: the path comes last
# packaging.python.org, "Recording installed projects"
_METADATA_FOLDER = re.compile(r"([\w.]+)-([\w.!+]+)\.(?:dist|egg)-info")


def add_packages(archive: NodeArchive, request: CollectRequest) -> None:
    """Add the list of packages. A program of another user's process is never run, because it would run with our
    rights.
    """
    other_users_pids = [pid for pid in request.pids if process_users(pid)]
    python = request.python or _find_interpreter([pid for pid in request.pids if pid not in other_users_pids])
    if python is None and other_users_pids:
        rows = sorted({row for pid in other_users_pids for row in _list_packages(pid)}, key=str.lower)
        if rows:
            archive.add_bytes("versions/pip-freeze.txt", "\n".join(rows) + "\n", "package folders in use")
        else:
            archive.add_missing(
                "packages of Python", "the program of another user is not run, and its package folder is unknown"
            )
        return
    python = python or sys.executable
    if not python:
        archive.add_missing("packages of Python", "no Python interpreter is known: give one with --python")
        return
    archive.add_tool_output(
        "versions/pip-freeze.txt", [python, "-I", "-c", _LIST_SCRIPT], 30.0, f"packages of {python}"
    )


def _find_interpreter(pids: Sequence[int]) -> str | None:
    """Return the interpreter as the process was started with it, so that its virtual environment is used."""
    for pid in pids:
        try:
            argv0 = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode()
            program = argv0 if os.path.isabs(argv0) else os.readlink(f"/proc/{pid}/exe")  # noqa: PTH115, PTH117
        except (OSError, UnicodeDecodeError):
            continue
        if "python" in Path(program).name and not process_users(pid):  # asked once more: a pid may be given to another
            return program
    return None


def _list_packages(pid: int) -> set[str]:
    """Return `name==version` of the packages in the folders from which the process has libraries mapped."""
    try:
        maps = Path(f"/proc/{pid}/maps").read_text(errors="replace")
    except OSError:
        return set()
    folders = {match[1] for line in maps.splitlines() if (match := _PACKAGES_FOLDER.match(line))}
    names = (entry.name for folder in sorted(folders) for entry in list_folder(Path(folder), process_users(pid)))
    return {
        f"{match[1].replace('_', '-')}=={match[2]}" for name in names if (match := _METADATA_FOLDER.fullmatch(name))
    }
