"""How common a short text is in ordinary logs: by how often its parts of four, six and eight characters stand there."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path

SIZES = (4, 6, 8)  # characters of the counted parts
_FILE = Path(__file__).parent / "common.txt"


@functools.lru_cache(maxsize=1 << 18)
def frequency(text: str) -> int:
    """An upper bound of the ordinary lines in 10,000 that hold it, which is lower case and has four characters or
    more: those that hold its rarest part.
    """
    common = _common()
    return min(common.get(text[at : at + size], 0) for size in SIZES for at in range(len(text) - size + 1))


@functools.cache
def _common() -> dict[str, int]:
    lines: Iterable[str] = _FILE.read_text("ascii").splitlines()
    return {part: int(count) for count, part in (line.split("\t", 1) for line in lines if line[:1] != "#")}
