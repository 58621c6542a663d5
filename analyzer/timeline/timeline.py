"""The timeline: events of all nodes, indexed by signal and node, with corrected times."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable, Mapping, Sequence

from analyzer.model import Clock, Event, Kind, Source
from analyzer.timeline.job_scope import JobScope
from analyzer.timeline.job_window import JobWindow

UNKNOWN_CLOCK_ERROR_S = 5.0  # seconds; how far clocks of one cluster are trusted where nothing tells
_UNKNOWN_CLOCK = Clock()


class Timeline:
    """Read-only once built. Nodes are names; "" stands for lines that belong to no known node."""

    def __init__(
        self,
        events: Iterable[Event],
        clocks: Mapping[str, Clock],
        nodes: Sequence[str],
        sources: Sequence[Source] = (),
        rotation: Mapping[str, tuple[str, int]] | None = None,
        dropped_counts: Mapping[tuple[str, str], int] | None = None,
    ) -> None:
        self.rotation = rotation or {}  # a rotated file → its log's newest name and its place in the log
        self.dropped_counts = dropped_counts or {}  # (signal, node) → events that were counted and not kept
        self.window = JobWindow()  # until somebody finds it
        self.scope = JobScope()
        self.clocks = dict(clocks)
        self.nodes = list(nodes)
        self.events = sorted(events, key=self._sort_key)
        self.by_signal: dict[str, dict[str, list[Event]]] = {}
        for event in self.events:
            self.by_signal.setdefault(event.signal, {}).setdefault(event.node, []).append(event)
        self.kinds: dict[str, set[Kind]] = {}
        for source in sources:
            if source.status in ("read", "partly-read", "not-understood"):
                self.kinds.setdefault(source.node or "", set()).add(source.kind)

    def without_events(self, is_void: Callable[[Event], bool], sources: Sequence[Source]) -> Timeline:
        """The same timeline less the events that later ones made void; itself if there are none."""
        kept = [event for event in self.events if not is_void(event)]
        if len(kept) == len(self.events):
            return self
        return Timeline(kept, self.clocks, self.nodes, sources, self.rotation, self.dropped_counts)

    def add(self, events: Iterable[Event]) -> None:
        for event in events:
            bisect.insort(self.events, event, key=self._sort_key)
            self.by_signal.setdefault(event.signal, {}).setdefault(event.node, []).append(event)

    def _sort_key(self, event: Event) -> tuple[float, str, int, int]:
        time = self.corrected_time(event)
        log, position = self.rotation.get(event.locus.file, (event.locus.file, 0))
        return float("inf") if time is None else time, log, position, event.locus.line or 0

    def corrected_time(self, event: Event) -> float | None:
        """Corrected time, UTC seconds."""
        return None if event.time is None else self.clocks.get(event.node, _UNKNOWN_CLOCK).correct(event.time)

    def is_outside(self, event: Event) -> bool:
        """Whether the event is certainly of another job, or not of the job's time. What several lines tell together is
        of all times.
        """
        if self.scope.why_foreign(event):
            return True
        if (self.window.begin is None and self.window.end is None) or event.kind in (Kind.DERIVED, Kind.CORE):
            return False
        return not self.window.may_hold(
            self.corrected_time(event),
            self.clock_error(event.node),
            is_zoneless=event.locus.file in self.window.zoneless_files,
        )

    def own_time(self, node: str, corrected: float) -> float:
        """What the node's clock showed at a corrected time."""
        return self.clocks.get(node, _UNKNOWN_CLOCK).clock_reading(corrected)

    def clock_error(self, node: str) -> float:
        """Half width of the node's clock error, seconds."""
        clock = self.clocks.get(node)
        return clock.error if clock and clock.error is not None else UNKNOWN_CLOCK_ERROR_S

    def is_before(self, first: Event, second: Event) -> bool | None:
        """True or False beyond the error bars, None where the order cannot be told."""
        if (
            first.locus.file == second.locus.file
            and first.locus.line
            and second.locus.line
            and first.stream == second.stream
        ):
            return first.locus.line < second.locus.line
        first_time, second_time = self.corrected_time(first), self.corrected_time(second)
        if first_time is None or second_time is None:
            return None
        slack = 0.0 if first.node == second.node else self.clock_error(first.node) + self.clock_error(second.node)
        return first_time + slack < second_time if abs(first_time - second_time) > slack else None

    def is_surely_before(self, first: Event, second: Event) -> bool:
        """Whatever the clocks' errors and the zones are: local times without a zone compare with their like alone. What
        was concluded stands on its node at a moment that another one's line may have told, so that both clocks count.
        """
        if first.locus.file == second.locus.file and first.locus.line and second.locus.line:
            return first.locus.line < second.locus.line
        first_time, second_time, zoneless_files = (
            self.corrected_time(first),
            self.corrected_time(second),
            self.window.zoneless_files,
        )
        if (
            first_time is None
            or second_time is None
            or (first.locus.file in zoneless_files) != (second.locus.file in zoneless_files)
        ):
            return False
        return first_time + self.clock_error(first.node) + self.clock_error(second.node) < second_time
