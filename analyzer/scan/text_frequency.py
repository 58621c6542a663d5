"""How common a short text is in ordinary logs: by how often its parts of four, six and eight characters stand there."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path

GRAM_SIZES = (8, 6, 4)  # characters of the counted parts; most texts have a long one that is not common
COUNTED_LINES = 10_000
_FILE = Path(__file__).parent / "common.txt"


@functools.lru_cache(maxsize=1 << 18)
def text_frequency(text: str) -> int:
    """An upper bound of the ordinary lines in 10,000 that hold it, which is lower case and has four characters or
    more: those that hold its rarest part.
    """
    common, least = _load_common_grams(), COUNTED_LINES
    for size in GRAM_SIZES:
        for at in range(len(text) - size + 1):
            count = common.get(text[at : at + size])
            if count is None:
                return 0
            least = min(least, count)
    return least


@functools.cache
def _load_common_grams() -> dict[str, int]:
    lines: Iterable[str] = _FILE.read_text("ascii").splitlines()
    return {part: int(count) for count, part in (line.split("\t", 1) for line in lines if line[:1] != "#")}
