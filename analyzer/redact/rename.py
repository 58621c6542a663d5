"""Stable names in the place of the originals: the same incident gets the same names, in every output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import regex

from analyzer.redact.originals import Original
from analyzer.redact.walk import replace

T = TypeVar("T")
PREFIXES = {"node": ("node", "machine", "anonymous-node"), "user": ("user", "person", "anonymous-user")}


@dataclass(frozen=True, slots=True)
class Renaming:
    """`names`: original in lower case → stable name; `originals`: as they were written."""

    names: Mapping[str, str]
    originals: tuple[Original, ...]

    @property
    def pattern(self) -> regex.Pattern[str]:
        """Finds any original that does not stand within a longer word; matching does not grow with their number."""
        return regex.compile(r"(?<![A-Za-z0-9])\L<names>(?![A-Za-z0-9])", regex.I, names=[*self.names])


def name_stably(originals: Sequence[Original]) -> Renaming:
    """Counts each sort from 1 in the order given: node-01, addr-3. No stable name is somebody's own name."""
    taken = {one.text.lower() for one in originals}
    names: dict[str, str] = {}
    for sort in dict.fromkeys(one.sort for one in originals):
        mine = [one for one in originals if one.sort == sort]
        wide = len(str(len(mine))) if sort != "node" else max(2, len(str(len(mine))))
        for prefix in (*PREFIXES.get(sort, (sort,)), f"anonymous-{sort}", f"renamed-{sort}"):
            given = [f"{prefix}-{number:0{wide}d}" for number in range(1, len(mine) + 1)]
            if taken.isdisjoint(given):
                break
        names.update(zip((one.text.lower() for one in mine), given, strict=True))
    return Renaming(names, tuple(originals))


def rename(incident: T, renaming: Renaming) -> T:
    """The same JSON object with every original replaced, in values and in keys."""
    if not renaming.names:
        return incident
    pattern, names = renaming.pattern, renaming.names
    return replace(incident, lambda text: pattern.sub(lambda match: names[match[0].lower()], text))


def as_map(renaming: Renaming) -> dict[str, str]:
    """Stable name → original: for the owner, who reads a redacted report backwards."""
    return {renaming.names[one.text.lower()]: one.text for one in renaming.originals}
