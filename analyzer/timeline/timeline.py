"""The timeline: events of all nodes, indexed by signal and node, with corrected times."""

from __future__ import annotations

import bisect
import copy
from collections.abc import Callable, Iterable, Mapping, Sequence

from analyzer.model import Clock, Event, Kind, Source
from analyzer.timeline.job_scope import JobScope
from analyzer.timeline.job_window import MAX_ZONE_OFFSET_S, JobWindow
from analyzer.timeline.precedence import (
    UNKNOWN_CLOCK_ERROR_S,
    Order,
    compare_lines,
    compare_times,
    have_lines_of_one_file,
)

_UNKNOWN_CLOCK = Clock()


class Timeline:
    """The events of one incident in corrected order. A timeline is complete when built and never changed: the `with_`
    methods and `without_events` return a new one.

    Nodes are names; "" is the node of lines that belong to no known node.

    Attributes:
        events: all kept events, by corrected time, then by file and line. Events without a time come last.
        by_signal: signal → node → its events, in the same order.
        clocks: node → its clock, if it is known.
        nodes: the names of all nodes.
        kinds: node → the kinds of its sources in the bundle.
        rotation: a rotated file → the newest name of its log, and the file's position in that log.
        dropped_counts: (signal, node) → the number of events that were counted but not kept.
        unread_archive: an archive that was not read to its end, or None.
        scope: which lines belong to other jobs.
        window: when the job was alive.
    """

    def __init__(
        self,
        events: Iterable[Event],
        clocks: Mapping[str, Clock],
        nodes: Sequence[str],
        *,
        sources: Sequence[Source] = (),
        rotation: Mapping[str, tuple[str, int]] | None = None,
        dropped_counts: Mapping[tuple[str, str], int] | None = None,
    ) -> None:
        self.rotation = rotation or {}
        self.dropped_counts = dropped_counts or {}
        self.scope = JobScope()
        self.window = JobWindow()
        self.clocks = dict(clocks)
        self.nodes = list(nodes)
        self.kinds: dict[str, set[Kind]] = {}
        self._cut_files = frozenset(source.file for source in sources if source.status == "partly-read")
        self.unread_archive = next(
            (source.file for source in sources if source.status == "failed" and source.kind is Kind.UNKNOWN), None
        )
        for source in sources:
            if source.status in ("read", "partly-read", "not-understood"):
                self.kinds.setdefault(source.node or "", set()).add(source.kind)
        self._index(sorted(events, key=self.order_of))

    def _index(self, events: list[Event]) -> None:
        self.events: Sequence[Event] = events
        by_signal: dict[str, dict[str, list[Event]]] = {}
        for event in events:
            by_signal.setdefault(event.signal, {}).setdefault(event.node, []).append(event)
        self.by_signal: Mapping[str, Mapping[str, Sequence[Event]]] = by_signal

    def with_scope(self, scope: JobScope) -> Timeline:
        """Return this timeline with the scope, which identifies lines of other jobs."""
        scoped = copy.copy(self)
        scoped.scope = scope
        return scoped

    def with_window(self, window: JobWindow) -> Timeline:
        """Return this timeline with the window in which the job was alive."""
        limited = copy.copy(self)
        limited.window = window
        return limited

    def without_events(self, is_void: Callable[[Event], bool]) -> Timeline:
        """Return this timeline without the events that later ones made void; itself if there are none."""
        kept = [event for event in self.events if not is_void(event)]
        if len(kept) == len(self.events):
            return self
        reduced = copy.copy(self)
        reduced._index(kept)
        return reduced

    def with_events(self, events: Iterable[Event]) -> Timeline:
        """Return this timeline with `events` added. In `by_signal`, they come after existing events with
        an equal key.
        """
        extended = copy.copy(self)
        all_events = list(self.events)
        by_signal = dict(self.by_signal)
        added: dict[str, dict[str, list[Event]]] = {}
        for event in events:
            bisect.insort(all_events, event, key=self.order_of)
            added.setdefault(event.signal, {}).setdefault(event.node, []).append(event)
        for signal, by_node in added.items():
            events_by_node = self.by_signal.get(signal, {})
            by_signal[signal] = {
                **events_by_node,
                **{node: [*events_by_node.get(node, ()), *new] for node, new in by_node.items()},
            }
        extended.events, extended.by_signal = all_events, by_signal
        return extended

    def order_of(self, event: Event) -> tuple[float, str, int, int]:
        """Return the key by which events are ordered."""
        time = self.corrected_time(event)
        log, position = self.rotation.get(event.locus.file, (event.locus.file, 0))
        return float("inf") if time is None else time, log, position, event.locus.line or 0

    def corrected_time(self, event: Event) -> float | None:
        """Return the event's time in UTC seconds, corrected by the clock of its node; None if it has none."""
        return None if event.time is None else self.clocks.get(event.node, _UNKNOWN_CLOCK).correct(event.time)

    def is_of_cut_file(self, event: Event) -> bool:
        """Return whether the event's file was not read to its end, so that the lines after the event are unknown."""
        return event.locus.file in self._cut_files

    def is_outside(self, event: Event) -> bool:
        """Return whether the event certainly belongs to another job, or to another time than the job's.

        Derived events combine lines of several times, and a core has no reliable time: both count as inside.
        """
        if self.scope.why_foreign(event):
            return True
        if (self.window.begin is None and self.window.end is None) or event.kind in (Kind.DERIVED, Kind.CORE):
            return False
        zone_error = MAX_ZONE_OFFSET_S if self._is_zoneless_listing(event) else 0.0
        return not self.window.may_hold(
            self.corrected_time(event),
            self.clock_error(event.node) + zone_error,
            is_zoneless=event.locus.file in self.window.zoneless_files,
        )

    def _is_zoneless_listing(self, event: Event) -> bool:
        """Return whether the event is of a listing of the cluster, made in an unknown time zone.

        A kernel's log without a zone covers weeks, so a wide tolerance would accept everything.
        """
        return event.kind in (Kind.SCHEDULER, Kind.UNKNOWN) and event.locus.file in self.window.zoneless_files

    def may_differ_by_zone(self, first: Event, second: Event) -> bool:
        """Return whether the times of two events of different files may differ only by an unknown time zone."""
        zoneless = self.window.zoneless_files
        is_one_zoneless = (first.locus.file in zoneless) != (second.locus.file in zoneless)
        return is_one_zoneless and (self._is_zoneless_listing(first) or self._is_zoneless_listing(second))

    def own_time(self, node: str, corrected: float) -> float:
        """Return the time on the node's clock at a corrected time."""
        return self.clocks.get(node, _UNKNOWN_CLOCK).clock_reading(corrected)

    def clock_error(self, node: str) -> float:
        """Return the half width of the node's clock error, in seconds."""
        clock = self.clocks.get(node)
        return clock.error if clock and clock.error is not None else UNKNOWN_CLOCK_ERROR_S

    def error_between(self, first_node: str, second_node: str) -> float:
        """Return the error, in seconds, of the time between two corrected times; 0 on one node."""
        return 0.0 if first_node == second_node else self.clock_error(first_node) + self.clock_error(second_node)

    def compare(self, first: Event, second: Event) -> Order:
        """Compare two events: by line within one stream of a file, else by corrected time beyond the clocks' errors."""
        if have_lines_of_one_file(first, second) and first.stream == second.stream:
            return compare_lines(first, second)
        slack = self.error_between(first.node, second.node)
        return compare_times(self.corrected_time(first), self.corrected_time(second), slack)

    def is_surely_before(self, first: Event, second: Event) -> bool:
        """Return whether `first` precedes `second` for all possible clock errors and time zones.

        Local times without a zone compare only with each other. The errors of both clocks count even on one node:
        a derived event is on its node at a time that another node's line may have stated.
        """
        if have_lines_of_one_file(first, second):
            return compare_lines(first, second) is Order.BEFORE
        zoneless = self.window.zoneless_files
        if (first.locus.file in zoneless) != (second.locus.file in zoneless):
            return False
        slack = self.clock_error(first.node) + self.clock_error(second.node)
        return compare_times(self.corrected_time(first), self.corrected_time(second), slack) is Order.BEFORE
