"""Which packages the job's Python has: by asking it, else by the names of their folders."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from analyzer.collect.parcel import Parcel
from analyzer.collect.reach import list_folder
from analyzer.collect.rights import users_of
from analyzer.collect.wish import Wish

_FREEZE = (
    "import sys\nprint('python==' + sys.version.split()[0])\n"
    "import importlib.metadata as m\n"
    "for n in sorted({d.metadata['Name'] + '==' + d.version for d in m.distributions() if d.metadata['Name']},"
    " key=str.lower): print(n)"
)
_FOLDER = re.compile(r"[^/]*(/.+?/(?:site|dist)-packages)/")  # of a line of /proc/PID/maps: the path comes last
# packaging.python.org, "Recording installed projects"
_INSTALLED = re.compile(r"([\w.]+)-([\w.!+]+)\.(?:dist|egg)-info")


def add_packages(parcel: Parcel, wish: Wish) -> None:
    """A program of another user's process is never run: it would run with our rights."""
    foreign = [pid for pid in wish.pids if users_of(pid)]
    python = wish.python or _python_of([pid for pid in wish.pids if pid not in foreign])
    if python is None and foreign:
        rows = sorted({row for pid in foreign for row in _list_packages(pid)}, key=str.lower)
        if rows:
            parcel.add("versions/pip-freeze.txt", "\n".join(rows) + "\n", "folders of packages in use")
        else:
            parcel.lack("packages of Python", "another user's program is not run, and uses no folder of packages")
        return
    python = python or sys.executable
    if not python:
        parcel.lack("packages of Python", "no interpreter is known: name one with --python")
        return
    parcel.add_answer("versions/pip-freeze.txt", [python, "-I", "-c", _FREEZE], 30.0, f"packages of {python}")


def _python_of(pids: Sequence[int]) -> str | None:
    """The interpreter as the process was started with it, so that a virtual environment is its own."""
    for pid in pids:
        try:
            first = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode()
            program = first if os.path.isabs(first) else os.readlink(f"/proc/{pid}/exe")  # noqa: PTH115, PTH117
        except (OSError, UnicodeDecodeError):
            continue
        if "python" in Path(program).name and not users_of(pid):  # asked once more: a pid may be given to another
            return program
    return None


def _list_packages(pid: int) -> set[str]:
    """`name==version` of what lies in the folders of which the process has libraries mapped."""
    try:
        maps = Path(f"/proc/{pid}/maps").read_text(errors="replace")
    except OSError:
        return set()
    folders = {found[1] for line in maps.splitlines() if (found := _FOLDER.match(line))}
    names = (entry.name for folder in sorted(folders) for entry in list_folder(Path(folder), users_of(pid)))
    return {f"{found[1].replace('_', '-')}=={found[2]}" for name in names if (found := _INSTALLED.fullmatch(name))}
