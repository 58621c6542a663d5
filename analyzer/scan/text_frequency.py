"""How common a short text is in ordinary logs, by the counts of its parts of four, six and eight characters."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path

GRAM_SIZES = (8, 6, 4)  # characters of the counted parts; most texts have a long part that is rare
COUNTED_LINES = 10_000
_FILE = Path(__file__).parent / "common.txt"


@functools.lru_cache(maxsize=1 << 18)
def text_frequency(text: str) -> int:
    """Return an upper bound of how many of COUNTED_LINES ordinary lines hold the text: those that hold its rarest part.

    The text must be lower case and have four characters or more.
    """
    common, least = _load_common_grams(), COUNTED_LINES
    for size in GRAM_SIZES:
        for at in range(len(text) - size + 1):
            count = common.get(text[at : at + size])
            if count is None:
                return 0
            least = min(least, count)
    return least


def load_frequencies() -> None:
    """Read the counts now rather than at the first call of `text_frequency`. Raises OSError."""
    _load_common_grams()


@functools.cache
def _load_common_grams() -> dict[str, int]:
    lines: Iterable[str] = _FILE.read_text("ascii").splitlines()
    return {part: int(count) for count, part in (line.split("\t", 1) for line in lines if line[:1] != "#")}
