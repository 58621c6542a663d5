"""Clocks that are wrong, and zones that are others."""

from __future__ import annotations

import re
from random import Random

from . import stamps
from .case import Case, Transformation, decode, encode, is_text, lines_of, with_files

LARGEST = 600  # seconds
ZONES = (-8 * 3600, -5 * 3600, 3600, 2 * 3600, 19800, 9 * 3600)


def shift_innocent_clock(case: Case, random: Random) -> Case | None:
    return (
        _shift(case, random.choice(timed), random)
        if (timed := [n for n in case.innocents if _is_timed(case, n)])
        else None
    )


def shift_culprit_clock(case: Case, random: Random) -> Case | None:
    return (
        _shift(case, random.choice(timed), random)
        if (timed := [n for n in case.nodes if n in case.culprits and _is_timed(case, n)])
        else None
    )


def shift_all_clocks(case: Case, random: Random) -> Case | None:
    if len(case.nodes) < 2:
        return None
    for node in case.nodes:
        case = _shift(case, node, random)
    return case


def move_one_zone(case: Case, random: Random) -> Case | None:
    """One node's wall clock readings are of another zone; what counts from the epoch stays."""
    return _move(case, [random.choice(case.nodes)], random.choice(ZONES)) if len(case.nodes) > 1 else None


def move_all_zones(case: Case, random: Random) -> Case | None:
    """The whole cluster lives in another zone."""
    return _move(case, list(case.files), random.choice(ZONES), all_files=True)


def strip_stamps(case: Case, random: Random) -> Case | None:
    """No log line tells its time, as `%(message)s` or a careless `cut` leave them. The kernel's uptimes stay."""
    changed = {
        path: encode("".join(stamps.remove(line) + "\n" for line in lines_of(data)))
        for path, data in case.files.items()
        if is_text(data) and case.kinds.get(path) in ("worker", "scheduler", "unknown")
    }
    return with_files(case, changed) if changed else None


def _is_timed(case: Case, node: str) -> bool:
    return any(
        stamps.STAMP.search(decode(case.files[path])) for path in case.files_of(node) if is_text(case.files[path])
    )


def _shift(case: Case, node: str, random: Random) -> Case:
    seconds = random.choice((-1, 1)) * random.randint(5, LARGEST)
    changed = {
        path: encode(stamps.shift(decode(case.files[path]), seconds))
        for path in case.files_of(node)
        if is_text(case.files[path])
    }
    return with_files(case, changed, f"{case.extra} {node} {seconds:+d} s".strip())


def _move(case: Case, which: list[str], seconds: int, all_files: bool = False) -> Case:
    paths = [
        path
        for path in (which if all_files else [file for node in which for file in case.files_of(node)])
        if is_text(case.files[path])
    ]
    sign, (hours, seconds_left) = ("+" if seconds > 0 else "-"), divmod(abs(seconds), 3600)
    # POSIX counts westward
    name = f"TZ=<{sign}{hours:02}{seconds_left // 60:02}>{'-' if seconds > 0 else ''}{hours}:{seconds_left // 60:02}"
    changed = {
        path: encode(
            re.sub(r"^TZ=.*$", name, stamps.shift(decode(case.files[path]), seconds, local_only=True), flags=re.M)
        )
        for path in paths
    }
    where = "all" if all_files else ", ".join(which)
    return with_files(case, changed, f"{where} {seconds / 3600:+g} h")


CLOCKS: tuple[Transformation, ...] = (
    shift_innocent_clock,
    shift_culprit_clock,
    shift_all_clocks,
    move_one_zone,
    move_all_zones,
    strip_stamps,
)
