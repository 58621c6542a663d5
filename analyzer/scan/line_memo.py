"""Scans segments that differ only in digits once: a log repeats few forms of lines, with other clocks, steps and pids.

The hits of a segment (a line, or a part of one between carriage returns) depend on nothing but its text. Its *template*
is the text with its digits masked. Segments of one template have the same hits, unless a pattern tells their digits
apart (`analyzer.scan.digits`). So templates are looked up in a dict, and the automata search only what is new.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

from analyzer.arrays import np
from analyzer.scan.automaton import NUMBER_BITS, NUMBER_MASK
from analyzer.scan.scanner import Scanner

Numbers = Any  # a numpy array of 64-bit integers: numpy's own types do not say what mypy asks of them
MAX_TEMPLATES = 16_384  # in memory; if a source has more, the memo begins anew
MAX_TEMPLATE_BYTES = 1024  # longer segments are searched each time
MIN_HIT_SHARE = 0.02  # of segments: with fewer hits, a search costs less than a lookup
MAX_NEW_SHARE = 0.5  # of segments with new templates: above that, the memo costs more than it saves
MAX_PAUSE_BLOCKS = 64  # in which the memo is not used after it was of no use
NO_TEMPLATE = -1
_NO_HITS, _DIGITS_COUNT, _NEW = 0, -1, -2
_MASK = bytes.maketrans(b"123456789\r", b"000000000\n")


@dataclass(frozen=True, slots=True)
class HitArrays:
    """Hits in order of offset and pattern: the offsets of their last bytes, and the templates of their segments.

    The templates of a source are numbered from 1. NO_TEMPLATE: the hit may depend on digits, or was not looked up.
    """

    offsets: Numbers
    patterns: Numbers
    templates: Numbers

    def __len__(self) -> int:
        return len(self.offsets)

    def select(self, chosen: Any) -> HitArrays:
        """Return the hits that an index, a slice or a mask of numpy chooses."""
        return HitArrays(self.offsets[chosen], self.patterns[chosen], self.templates[chosen])

    def shift(self, by: Any) -> HitArrays:
        """Return the hits with `by`, a number or one for each, added to their offsets."""
        return HitArrays(self.offsets + by, self.patterns, self.templates)


NO_HITS = HitArrays(*(np.zeros(0, np.int64) for _ in range(3)))


def join_hits(parts: Sequence[HitArrays]) -> HitArrays:
    """Return the hits of all parts in order."""
    joined = _concatenate(parts)
    return joined.select(np.argsort(joined.offsets << NUMBER_BITS | joined.patterns, kind="stable"))


def _concatenate(parts: Sequence[HitArrays]) -> HitArrays:
    columns = ([getattr(part, name) for part in parts] for name in HitArrays.__slots__)
    return HitArrays(*map(np.concatenate, columns))


class LineMemo:
    """The templates of one source, and what its scanner finds in them."""

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._numbers: dict[bytes, int] = {}  # template → its number, _NO_HITS or _DIGITS_COUNT
        self._first_number = 1
        # Template `_first_number + n` has the hits from _bounds[n] to _bounds[n + 1], with offsets in its text.
        self._bounds = np.zeros(1, np.int64)
        self._hits = NO_HITS
        self._pause = self._last_pause = 0  # blocks that are searched without a look at the memo

    def scan(self, data: bytes, start: int, stop: int) -> HitArrays:
        """Return the hits of the whole lines data[start:stop]. Offsets count from `start`."""
        block = data[start:stop]
        if b"\r" in block:
            block = block.replace(b"\r", b"\n")  # no pattern matches beyond its segment
        if self._pause:
            self._pause -= 1
            return self._search(block)
        segments = block.translate(_MASK).split(b"\n")
        lengths = np.fromiter(map(len, segments), np.int64, len(segments))
        starts = np.cumsum(lengths + 1) - lengths - 1
        numbers = self._number_segments(block, segments, starts, lengths)
        hits = NO_HITS if numbers is None else self._look_up(block, numbers, starts, lengths)
        if len(hits) < MIN_HIT_SHARE * len(segments):
            self._last_pause = self._pause = min(2 * self._last_pause + 1, MAX_PAUSE_BLOCKS)
        else:
            self._last_pause = 0
        return self._search(block) if numbers is None else hits

    def _search(self, block: bytes) -> HitArrays:
        offsets, patterns = _unpack(self._scanner.scan(block))
        return HitArrays(offsets, patterns, np.full(len(offsets), NO_TEMPLATE))

    def _number_segments(
        self, block: bytes, segments: list[bytes], starts: Numbers, lengths: Numbers
    ) -> Numbers | None:
        """Return the number of each segment's template; None if too many of them are new."""
        if len(self._numbers) > MAX_TEMPLATES:
            self._first_number += len(self._bounds) - 1
            self._numbers, self._bounds, self._hits = {}, np.zeros(1, np.int64), NO_HITS
        find = self._numbers.get
        numbers = np.fromiter(map(find, segments, repeat(_NEW)), np.int64, len(segments))
        numbers[lengths > MAX_TEMPLATE_BYTES] = _DIGITS_COUNT
        if len(new := np.flatnonzero(numbers == _NEW)):
            places: dict[bytes, int] = {}
            for place in new.tolist():
                places.setdefault(segments[place], place)
            if len(places) > MAX_NEW_SHARE * len(segments):
                return None
            by_digits = self._scanner.find_digit_dependent_lines(b"\n".join(places))
            if by_digits is None:
                return None
            begins = starts[list(places.values())].tolist()
            self._learn(
                list(places),
                [block[begin : begin + len(text)] for text, begin in zip(places, begins, strict=True)],
                by_digits,
            )
            numbers[new] = [find(segments[place], _NEW) for place in new.tolist()]
        return numbers

    def _learn(self, templates: list[bytes], texts: list[bytes], by_digits: set[int]) -> None:
        """Number new templates, of which `texts` are the first segments, and remember their hits.

        `by_digits` are the indexes of those with hits that may change with the digits.
        """
        offsets, patterns, places = self._search_all(texts)
        is_kept = ~np.isin(places, list(by_digits))
        # Each end of a match is a hit; the first of each pattern tells as much.
        firsts = np.unique(places[is_kept] << NUMBER_BITS | patterns[is_kept], return_index=True)[1]
        kept = np.flatnonzero(is_kept)[firsts]
        kept = kept[np.lexsort((patterns[kept], offsets[kept], places[kept]))]  # what is in order is joined fast
        hit_places, counts = np.unique(places[kept], return_counts=True)
        first = self._first_number + len(self._bounds) - 1
        self._numbers.update(dict.fromkeys(templates, _NO_HITS))
        self._numbers.update((templates[place], _DIGITS_COUNT) for place in by_digits)
        self._numbers.update((templates[place], number) for number, place in enumerate(hit_places.tolist(), first))
        learned = HitArrays(offsets[kept], patterns[kept], np.repeat(np.arange(first, first + len(counts)), counts))
        self._hits = _concatenate((self._hits, learned))
        self._bounds = np.concatenate((self._bounds, self._bounds[-1] + np.cumsum(counts)))

    def _look_up(self, block: bytes, numbers: Numbers, starts: Numbers, lengths: Numbers) -> HitArrays:
        """Return the hits of the segments of a block; those whose digits count are searched."""
        known = np.flatnonzero(numbers > _NO_HITS)
        at = numbers[known] - self._first_number
        counts = self._bounds[at + 1] - self._bounds[at]
        # The indexes of the hits of each segment, one range behind the other.
        ranges = np.repeat(self._bounds[at] - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
        parts = [self._hits.select(ranges).shift(np.repeat(starts[known], counts))]
        if len(others := np.flatnonzero(numbers == _DIGITS_COUNT)):
            pairs = zip(starts[others].tolist(), (starts + lengths)[others].tolist(), strict=True)
            offsets, patterns, places = self._search_all([block[start:stop] for start, stop in pairs])
            parts.append(HitArrays(offsets + starts[others][places], patterns, np.full(len(offsets), NO_TEMPLATE)))
        return join_hits(parts)

    def _search_all(self, texts: Sequence[bytes]) -> tuple[Numbers, Numbers, Numbers]:
        """Return the offset of each hit in its text, its pattern, and the index of the text."""
        offsets, patterns = _unpack(self._scanner.scan(b"\n".join(texts)))
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        starts = np.cumsum(lengths + 1) - lengths - 1
        places = np.searchsorted(starts, offsets, "right") - 1
        return offsets - starts[places], patterns, places


def _unpack(hits: Iterable[int]) -> tuple[Numbers, Numbers]:
    packed = np.sort(np.array(hits, np.int64))
    return (packed >> NUMBER_BITS) - 1, packed & NUMBER_MASK
