"""What a thread waits for and what it is for, by the functions on its stack (name_lists/waits.txt and roles.txt)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from analyzer.core_dump import CoreFrame
from analyzer.cores.function_names import NAME_LISTS, normalize_function

GIL, MUTEX = "the GIL", "a mutex"  # headings of waits.txt that the reader knows more of
UNKNOWN_WAIT = "the kernel"
MAX_NAME_CHARS = 200
WORK_MARK = "-"


class WaitKind(NamedTuple):
    """`is_telling` is False of a thread that waits for work, which is what it is for."""

    what: str
    is_telling: bool


def name_frame(frame: CoreFrame) -> str:
    """Return a frame's name as the lists know it."""
    if frame.kind == "python":
        return f"{(frame.file or '').rpartition('/')[2]}:{frame.function}"[-MAX_NAME_CHARS:]
    return normalize_function(frame.function)[:MAX_NAME_CHARS] if frame.function else ""


def find_wait(names: Sequence[str]) -> WaitKind:
    """Return what a thread waits for; `names` are those of its frames, innermost first."""
    for heading, pattern in _read_headings("waits"):
        if function := next((name for name in names if name and pattern.search(name)), None):
            what = heading.removeprefix(WORK_MARK).replace("{call}", "::".join(function.split("::")[-2:]))
            return WaitKind(what, not heading.startswith(WORK_MARK))
    return WaitKind(UNKNOWN_WAIT, True)


def find_role(names: Sequence[str]) -> str | None:
    """Return what a thread is for; None if its functions do not tell."""
    roles = _read_headings("roles")
    return next((role for role, pattern in roles if any(name and pattern.search(name) for name in names)), None)


@cache
def _read_headings(name: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return (heading, what the lines below it find)."""
    groups: dict[str, list[str]] = {}
    heading = ""
    for line in (NAME_LISTS / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            heading = line.strip("[]")
        elif line and not line.startswith("#"):
            groups.setdefault(heading, []).append(line)
    return tuple((heading, re.compile("|".join(lines))) for heading, lines in groups.items())
