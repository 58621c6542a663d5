"""The hits of a window by segment, in arrays: a log that has a hit in each line is grouped without a loop over them."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any

from analyzer.arrays import np
from analyzer.reading.segments import MAX_CONFIRMED_BYTES, SeenPatterns
from analyzer.reading.window import TextWindow
from analyzer.scan import NO_TEMPLATE, HitArrays

Numbers = Any  # a numpy array of 64-bit integers: numpy's own types do not say what mypy asks of them
PatternOwners = tuple[tuple[int, int], ...]  # as those of the plan
MAX_KNOWN_TEMPLATES = 20_000  # whose signals are remembered
ROWS_AT_ONCE = 64  # that are taken out of the arrays
MAX_SEGMENT_BYTES = MAX_CONFIRMED_BYTES // 2  # of a longer one only the surroundings of each hit are read
_LINE_FEED, _CARRIAGE_RETURN = b"\n\r"


class HitTable:
    """Hits in order of offset, and the segments in which they end.

    Offsets count from the beginning of the window's data. `signals[i]` is the index of hit i's signal, `rows[i]` the
    number of its segment among those with hits. Segment r is data[starts[r]:stops[r]], and its hits are those from
    first_hits[r] to first_hits[r + 1].
    """

    def __init__(self, window: TextWindow, hits: HitArrays, signal_of_pattern: Numbers) -> None:
        data, at = window.data, hits.offsets - window.base_offset
        self.patterns, self.templates = hits.patterns, hits.templates
        self.signals = signal_of_pattern[self.patterns]
        low = data.rfind(b"\n", 0, int(at[0])) + 1
        high = data.find(b"\n", int(at[-1]))
        high = len(data) if high < 0 else high
        view = np.frombuffer(data, np.uint8, high - low, low)
        self.first_line_start = low
        self._line_feeds = np.flatnonzero(view == _LINE_FEED) + low
        ends = self._line_feeds
        if data.find(b"\r", low, high) >= 0:
            ends = np.flatnonzero((view == _LINE_FEED) | (view == _CARRIAGE_RETURN)) + low
        places = np.searchsorted(ends, at)
        bounds = np.concatenate(([low - 1], ends, [high]))
        is_first = np.concatenate(([True], places[1:] != places[:-1]))
        self.rows = np.cumsum(is_first) - 1
        self.first_hits = np.append(np.flatnonzero(is_first), len(at))
        places = places[is_first]
        self.starts = bounds[places] + 1
        self.stops = np.maximum(bounds[places + 1], at[self.first_hits[1:] - 1] + 1)

    def select_rows(self, first: int, last: int) -> HitTable:
        """Return the part of the table with the segments from `first` to before `last`, numbered from 0."""
        part = copy.copy(self)
        rows, hits = slice(first, last), slice(int(self.first_hits[first]), int(self.first_hits[last]))
        part.patterns, part.templates, part.signals = self.patterns[hits], self.templates[hits], self.signals[hits]
        part.rows, part.first_hits = self.rows[hits] - first, self.first_hits[first : last + 1] - hits.start
        part.starts, part.stops = self.starts[rows], self.stops[rows]
        return part

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def has_long_segment(self) -> bool:
        return bool((self.stops - self.starts).max() > MAX_SEGMENT_BYTES)

    def are_all(self, is_wanted: Numbers) -> Numbers:
        """Return for each segment whether all its hits are wanted; `is_wanted` says it of each hit."""
        return np.logical_and.reduceat(is_wanted, self.first_hits[:-1])

    def count_line_feeds(self, row: int) -> int:
        """Return the number of lines between `first_line_start` and the line of the segment."""
        return int(np.searchsorted(self._line_feeds, self.starts[row]))

    def line_start(self, line_feeds: int) -> int:
        """Return where the line behind so many line feeds starts."""
        return int(self._line_feeds[line_feeds - 1]) + 1 if line_feeds else self.first_line_start

    def read_rows(
        self, rows: Numbers, pattern_owners: PatternOwners, known: dict[int, SeenPatterns]
    ) -> Iterator[tuple[int, int, int, SeenPatterns, int]]:
        """Yield number, start, stop, signals and template of each of `rows`.

        `known`: the signals of templates. Those of the rows are added.
        """
        if len(known) > MAX_KNOWN_TEMPLATES:
            known.clear()
        for at in range(0, len(rows), ROWS_AT_ONCE):
            chunk = rows[at : at + ROWS_AT_ONCE]
            first = self.first_hits[chunk]
            columns = (chunk, self.starts[chunk], self.stops[chunk], first, self.templates[first])
            for row, start, stop, hit, template in zip(*(column.tolist() for column in columns), strict=True):
                if template == NO_TEMPLATE or (signals := known.get(template)) is None:
                    patterns = self.patterns[hit : int(self.first_hits[row + 1])].tolist()
                    signals = known[template] = _group_patterns(patterns, pattern_owners)
                yield row, start, stop, signals, template

    def find_next_rows(self, data: bytes, rows: Numbers) -> Numbers:
        """Return for each of `rows` whether the row behind it is the whole next line. `data` are the window's."""
        view = np.frombuffer(data, np.uint8)
        behind = np.minimum(rows + 1, len(self) - 1)
        stops, ends = self.stops[rows], self.stops[behind]
        is_next = (rows + 1 < len(self)) & (self.starts[behind] == stops + 1) & (ends < len(view))
        last = len(view) - 1
        return is_next & (view[np.minimum(stops, last)] == _LINE_FEED) & (view[np.minimum(ends, last)] == _LINE_FEED)

    def rows_by_signal(self, chosen: Numbers) -> Iterator[tuple[int, Numbers]]:
        """Yield the index of each signal with the segments of its hits, in order; only the `chosen` hits count."""
        signals, rows = self.signals[chosen], self.rows[chosen]
        order = np.argsort(signals.astype(np.uint16), kind="stable")  # numpy sorts 16 bits by radix
        signals, rows = signals[order], rows[order]
        is_new_signal = np.diff(signals, prepend=-1) > 0
        is_kept = is_new_signal | (np.diff(rows, prepend=-1) != 0)
        signals, rows = signals[is_kept], rows[is_kept]
        begins = np.flatnonzero(is_new_signal[is_kept])
        yield from zip(signals[begins].tolist(), np.split(rows, begins[1:]), strict=True)

    def find_last_row(self, signals: frozenset[int]) -> int | None:
        """Return the last segment with a hit of one of the signals; None if there is none."""
        is_wanted = np.zeros(int(self.signals.max()) + 1, bool)
        is_wanted[[signal for signal in signals if signal < len(is_wanted)]] = True
        hits = np.flatnonzero(is_wanted[self.signals])
        return int(self.rows[hits[-1]]) if len(hits) else None

    def seen_patterns(self, row: int, pattern_owners: PatternOwners) -> SeenPatterns:
        """Return the signals of the segment, with the indexes of their patterns that were seen."""
        patterns = self.patterns[self.first_hits[row] : self.first_hits[row + 1]]
        return _group_patterns(patterns.tolist(), pattern_owners)


def _group_patterns(patterns: Iterable[int], pattern_owners: PatternOwners) -> SeenPatterns:
    seen: SeenPatterns = {}
    for pattern in patterns:
        signal, position = pattern_owners[pattern]
        seen.setdefault(signal, set()).add(position)
    return seen
