"""Reads the steps of a source whose lines count them in words that no signal knows (`step_forms`).

Each window is searched for a word of the learned form, and the first and the last lines that hold it are read, as of
any other series. What is found becomes a hit of the signal STEP_SIGNAL, which means the same. Lines in which
a measured value became NaN and stayed so are hits of NAN_SIGNAL, too.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from analyzer.arrays import np
from analyzer.formats import read_line
from analyzer.reading.hits import MAX_HEAD_HITS, MAX_TAIL_HITS, Hit, HitReservoir
from analyzer.reading.plan import CompiledSignal, ReadPlan
from analyzer.reading.remarks import is_remark
from analyzer.reading.retention import HitStore, StreamLimiter
from analyzer.reading.segments import MAX_CONFIRMED_BYTES, LineCounter, decode, first_segment, inherit_prefix
from analyzer.reading.source_kinds import accepts_line
from analyzer.reading.source_result import SourceResult
from analyzer.reading.stamp_tracking import StampTracker
from analyzer.reading.step_forms import (
    MIN_SHARE_OF_KNOWN,
    StepForm,
    StepFormLearner,
    may_count_steps,
    name_at,
    place_of_name,
    read_form,
    read_measures,
)
from analyzer.reading.window import TextWindow

STEP_SIGNAL = "step_with_metric"  # a counter, its number, and a value that is measured
NAN_SIGNAL = "loss_not_finite"
_CASE_BIT = np.uint8(0x20)  # of ASCII's letters
MAX_LINES_OF_WINDOW = 2_000  # that are read at each end of a window


class _Step(NamedTuple):
    hit: Hit
    window: TextWindow
    start: int  # offset of its segment in `window.data`


class LearnedSteps:
    """The steps of one source: `take_window` for each window in order, after its hits, then `keep`."""

    def __init__(self, plan: ReadPlan, result: SourceResult, streams: StreamLimiter, learner: StepFormLearner) -> None:
        self._result, self._streams, self._learner = result, streams, learner
        self._plan = plan
        self._signal: CompiledSignal | None = None  # as long as no form is known
        self._nan_signal: CompiledSignal | None = None
        self._forms: Mapping[str, StepForm] = {}
        self._name_places: Set[int] = frozenset()  # of words in which the forms of members differ
        self._literals: tuple[bytes, ...] = ()
        self._line_counter, self._stamp_tracker = LineCounter(), StampTracker()
        self._store = HitStore()
        self._held_window: TextWindow | None = None  # of which the hits are not all known yet
        self._sighted = 0  # lines that hold a literal
        self._read = 0  # of which so many were read …
        self._confirmed = 0  # … and so many count a step
        self.last: _Step | None = None

    def take_window(self, window: TextWindow, writers: Container[str], store: HitStore) -> None:
        """Take a window whose lines have been noted by the learner; `store` has the hits of the windows before it.

        The steps of a window are read when the hits of all its lines are known: with the next one.
        """
        for ready in filter(None, (self._held_window, window if window.is_last else None)):
            if self._signal is None:
                self._learn(ready, store)
            if self._signal is not None:
                self._read_window(self._signal, ready, writers, store)
        self._held_window = window

    def _learn(self, window: TextWindow, store: HitStore) -> None:
        """Learn the forms of steps that no signal knows; of all steps if the window has a NaN."""
        known_steps = {} if _holds_nan(window) else self._count_known_steps(store)
        streams = self._learner.find_streams(known_steps)
        if streams and (learned := self._learner.learn(streams)):
            self._forms = {step_form.form: step_form for step_form in learned}
            self._name_places = {place for form in self._forms if (place := place_of_name(form)) is not None}
            self._literals = tuple({step_form.literal for step_form in learned})
            by_name = self._plan.signals_by_name
            self._signal, self._nan_signal = by_name.get(STEP_SIGNAL), by_name.get(NAN_SIGNAL)

    def _read_window(
        self, compiled: CompiledSignal, window: TextWindow, writers: Container[str], store: HitStore
    ) -> None:
        """Read the steps of the fresh part of a window. Where signals know them, only a NaN is of interest."""
        self._sighted += sum(window.data.count(word, window.fresh_start, window.fresh_end) for word in self._literals)
        known_steps = self._count_known_steps(store)
        is_unknown = sum(known_steps.values()) < MIN_SHARE_OF_KNOWN * self._sighted
        if is_unknown or self._learner.find_streams(known_steps) or _holds_nan(window):
            for start, stop in self._choose_segments(window):
                self._read_segment(compiled, window, start, stop, writers)

    @property
    def _has_first_steps(self) -> bool:
        """Whether the source has one stream, of which the first steps are known: then only the latest may be kept."""
        return len(self._result.streams) <= 1 and any(map(self._store.has_full_head, self._store.reservoirs.values()))

    def _choose_segments(self, window: TextWindow) -> Iterator[tuple[int, int]]:
        """Yield (start, stop) of the first and last segments of the window that hold a literal, in order.

        The first ones are left out once nothing of them would be kept.
        """
        streams = max(len(self._result.streams), 1)
        first = min(MAX_HEAD_HITS * streams, MAX_LINES_OF_WINDOW)
        last = min(MAX_TAIL_HITS * streams, MAX_LINES_OF_WINDOW)
        chosen: set[tuple[int, int]] = set()
        for literal in self._literals:
            if not self._has_first_steps:
                chosen.update(_find_first_segments(window, literal, first))
            chosen.update(_find_last_segments(window, literal, last))
        return iter(sorted(chosen))

    def _read_segment(
        self, compiled: CompiledSignal, window: TextWindow, start: int, stop: int, writers: Container[str]
    ) -> None:
        self._read += 1
        text = decode(window.data[start:stop])
        number = self._line_counter.move_to(window, window.base_offset + start)
        line = read_line(text, writers)
        if (begin := max(0, self._line_counter.line_start - window.base_offset)) < start:
            line = inherit_prefix(line, read_line(decode(first_segment(window.data, begin, start)), writers))
        line = self._streams.admit_line(line)
        form, numbers = read_form(line.message)
        step_form = self._forms.get(form) or next(
            filter(None, (self._forms.get(name_at(form, place)) for place in self._name_places)), None
        )
        if (
            step_form is None
            or not (groups := step_form.read_position(numbers))
            or not may_count_steps(line)
            or not accepts_line(compiled.signal.kinds, line.kind, self._result.kind)
            or (self._result.has_remarks and is_remark(text))
        ):
            return
        stamps, inferred = self._stamp_tracker.find_stamps(window, start, line, self._line_counter.line_start, writers)
        hit = Hit(
            compiled=compiled,
            line_number=number,
            text=text,
            line=line,
            groups=groups,
            block=(),
            stamps=stamps,
            inferred=inferred,
        )
        self._confirmed += 1
        self.last = _Step(hit, window, start)
        reservoir = self._store.reservoir_of(compiled.index, line.stream)
        if self._store.has_full_head(reservoir):
            self._store.add_latest_hits(reservoir, (hit,))
        else:
            self._store.add_hit(reservoir.head, hit)

    def keep(self, store: HitStore) -> bool:
        """Add the steps to those in `store`, but of streams of which signals know them; return whether any was."""
        if self._signal is None or not self._confirmed:
            return False
        known_steps = self._count_known_steps(store)
        kept = sum(map(len, self._store.reservoirs.values()))
        lines_of_hit = self._sighted * self._confirmed / self._read / kept
        is_kept = False
        for (index, stream), reservoir in self._store.reservoirs.items():
            self._keep_nan(store, stream, (*reservoir.head, *reservoir.tail))
            count = max(round(len(reservoir) * lines_of_hit), len(reservoir))
            if known_steps.get(stream, 0) >= max(MIN_SHARE_OF_KNOWN * count, 1):
                continue
            _add_hits(store, store.reservoir_of(index, stream), reservoir)
            self._result.counts[STEP_SIGNAL, stream] += count
            if count > len(reservoir):
                self._result.scanner_counted.add(STEP_SIGNAL)
            is_kept = True
        return is_kept

    def _count_known_steps(self, store: HitStore) -> dict[str, int]:
        """Return stream → steps that signals know."""
        known_steps: dict[str, int] = {}
        for (index, stream), reservoir in store.reservoirs.items():
            hits = (*reservoir.head, *reservoir.tail)
            if index in self._plan.progress_signals and any("step" in hit.groups for hit in hits):
                count = self._result.counts[self._plan.signals[index].signal.name, stream]
                known_steps[stream] = known_steps.get(stream, 0) + count
        return known_steps

    def _keep_nan(self, store: HitStore, stream: str, hits: Sequence[Hit]) -> None:
        """Add the lines of a stream in which a value is NaN that was a number before and is NaN in the last line."""
        signal = self._nan_signal
        columns = [read_measures(hit.line.message) for hit in hits]
        column = next((place for place, value in enumerate(columns[-1]) if _is_nan(value)), None)
        if signal is None or column is None or (signal.index, stream) in store.reservoirs:
            return
        are_nan = [len(values) > column and _is_nan(values[column]) for values in columns]
        if all(are_nan):
            return
        reservoir = store.reservoir_of(signal.index, stream)
        for hit, is_nan in zip(hits, are_nan, strict=True):
            if is_nan:
                store.add_hit(reservoir.head, hit._replace(compiled=signal, groups={"value": "nan"}))
                self._result.counts[NAN_SIGNAL, stream] += 1


def _add_hits(store: HitStore, target: HitReservoir, source: HitReservoir) -> None:
    for hit in source.head:
        store.add_hit(target.head, hit)
    store.add_latest_hits(target, source.tail)


def _holds_nan(window: TextWindow) -> bool:
    """Whether `nan` stands in the fresh part, in any case. Several times as fast as `bytes.find` for each spelling."""
    fresh = np.frombuffer(window.data, np.uint8, window.fresh_end - window.fresh_start, window.fresh_start)
    letters = fresh | _CASE_BIT
    return bool(((letters[:-2] == ord("n")) & (letters[1:-1] == ord("a")) & (letters[2:] == ord("n"))).any())


def _is_nan(value: str) -> bool:
    return value.strip("+-").lower() == "nan"


def _find_first_segments(window: TextWindow, literal: bytes, count: int) -> Iterator[tuple[int, int]]:
    at = window.fresh_start
    for _ in range(count):
        if (at := window.data.find(literal, at, window.fresh_end)) < 0:
            return
        segment = _segment_around(window, at)
        yield segment
        at = max(segment[1], at + 1)


def _find_last_segments(window: TextWindow, literal: bytes, count: int) -> Iterator[tuple[int, int]]:
    at = window.fresh_end
    for _ in range(count):
        if (at := window.data.rfind(literal, window.fresh_start, at)) < 0:
            return
        segment = _segment_around(window, at)
        yield segment
        at = min(segment[0], at)


def _segment_around(window: TextWindow, at: int) -> tuple[int, int]:
    """Return (start, stop) of the segment of window.data that holds `at`, at most MAX_CONFIRMED_BYTES of it."""
    data, reach = window.data, MAX_CONFIRMED_BYTES // 2
    floor, ceiling = max(0, at - reach), min(len(data), at + reach)
    start = max(data.rfind(b"\n", floor, at), data.rfind(b"\r", floor, at), floor - 1) + 1
    ends = [end for end in (data.find(b"\n", at, ceiling), data.find(b"\r", at, ceiling)) if end >= 0]
    return start, min(ends, default=ceiling)
