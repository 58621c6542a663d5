"""Find what a thread waits for, and its role, by the functions on its stack (name_lists/waits.txt and roles.txt)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from analyzer.core_dump import CoreFrame
from analyzer.cores.function_names import NAME_LISTS, normalize_function

GIL, MUTEX = "the GIL", "a mutex"  # headings of waits.txt for which the reader finds details
UNKNOWN_WAIT = "the kernel"
MAX_NAME_CHARS = 200
WORK_MARK = "-"


class WaitKind(NamedTuple):
    """`is_telling` is False if the thread only waits for work, as is normal for its role."""

    what: str
    is_telling: bool


def name_frame(frame: CoreFrame) -> str:
    """Return a frame's name in the form of the lists."""
    if frame.kind == "python":
        return f"{(frame.file or '').rpartition('/')[2]}:{frame.function}"[-MAX_NAME_CHARS:]
    return normalize_function(frame.function)[:MAX_NAME_CHARS] if frame.function else ""


def find_wait(names: Sequence[str]) -> WaitKind:
    """Return what a thread waits for. `names` are the names of its frames, innermost first."""
    for heading, pattern in _read_headings("waits"):
        if function := next((name for name in names if name and pattern.search(name)), None):
            what = heading.removeprefix(WORK_MARK).replace("{call}", "::".join(function.split("::")[-2:]))
            return WaitKind(what, not heading.startswith(WORK_MARK))
    return WaitKind(UNKNOWN_WAIT, True)


def find_role(names: Sequence[str]) -> str | None:
    """Return the role of a thread; None if its functions do not show it."""
    roles = _read_headings("roles")
    return next((role for role, pattern in roles if any(name and pattern.search(name) for name in names)), None)


@cache
def _read_headings(name: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return (heading, pattern of the lines below it) for each heading of a list."""
    groups: dict[str, list[str]] = {}
    heading = ""
    for line in (NAME_LISTS / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            heading = line.strip("[]")
        elif line and not line.startswith("#"):
            groups.setdefault(heading, []).append(line)
    return tuple((heading, re.compile("|".join(lines))) for heading, lines in groups.items())
