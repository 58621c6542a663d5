"""The timeline: events of all nodes, indexed by signal and node, with corrected times."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable, Mapping, Sequence

from analyzer.model import Clock, Event, Kind, Source
from analyzer.timeline.ours import Ours
from analyzer.timeline.span import Span

UNKNOWN_ERROR = 5.0  # seconds; how far clocks of one cluster are trusted where nothing tells
_UNKNOWN = Clock()


class Timeline:
    """Read-only once built. Nodes are names; "" stands for lines that belong to no known node."""

    def __init__(
        self,
        events: Iterable[Event],
        clocks: Mapping[str, Clock],
        nodes: Sequence[str],
        sources: Sequence[Source] = (),
        rotation: Mapping[str, tuple[str, int]] | None = None,
        dropped: Mapping[tuple[str, str], int] | None = None,
    ) -> None:
        self.rotation = rotation or {}  # a rotated file → its log's newest name and its place in the log
        self.dropped = dropped or {}  # (signal, node) → events that were counted and not kept
        self.span = Span()  # until somebody finds it
        self.ours = Ours()
        self.clocks = dict(clocks)
        self.nodes = list(nodes)
        self.events = sorted(events, key=self._key)
        self.by_signal: dict[str, dict[str, list[Event]]] = {}
        for event in self.events:
            self.by_signal.setdefault(event.signal, {}).setdefault(event.node, []).append(event)
        self.kinds: dict[str, set[Kind]] = {}
        for source in sources:
            if source.status in ("read", "partly-read", "not-understood"):
                self.kinds.setdefault(source.node or "", set()).add(source.kind)

    def without(self, settled: Callable[[Event], bool], sources: Sequence[Source]) -> Timeline:
        """The same timeline less the events that later ones made void; itself if there are none."""
        kept = [event for event in self.events if not settled(event)]
        if len(kept) == len(self.events):
            return self
        return Timeline(kept, self.clocks, self.nodes, sources, self.rotation, self.dropped)

    def add(self, events: Iterable[Event]) -> None:
        for event in events:
            bisect.insort(self.events, event, key=self._key)
            self.by_signal.setdefault(event.signal, {}).setdefault(event.node, []).append(event)

    def _key(self, event: Event) -> tuple[float, str, int, int]:
        time = self.time(event)
        log, place = self.rotation.get(event.locus.file, (event.locus.file, 0))
        return float("inf") if time is None else time, log, place, event.locus.line or 0

    def time(self, event: Event) -> float | None:
        """Corrected time, UTC seconds."""
        return None if event.time is None else self.clocks.get(event.node, _UNKNOWN).correct(event.time)

    def is_outside(self, event: Event) -> bool:
        """Whether the event is certainly of another job, or not of the job's time. What several lines tell together is
        of all times.
        """
        if self.ours.disown(event):
            return True
        if (self.span.begin is None and self.span.end is None) or event.kind in (Kind.DERIVED, Kind.CORE):
            return False
        return not self.span.holds(self.time(event), self.error(event.node), local=event.locus.file in self.span.local)

    def own_time(self, node: str, corrected: float) -> float:
        """What the node's clock showed at a corrected time."""
        return self.clocks.get(node, _UNKNOWN).read(corrected)

    def error(self, node: str) -> float:
        """Half width of the node's clock error, seconds."""
        clock = self.clocks.get(node)
        return clock.error if clock and clock.error is not None else UNKNOWN_ERROR

    def is_before(self, one: Event, other: Event) -> bool | None:
        """True or False beyond the error bars, None where the order cannot be told."""
        if one.locus.file == other.locus.file and one.locus.line and other.locus.line and one.stream == other.stream:
            return one.locus.line < other.locus.line
        a, b = self.time(one), self.time(other)
        if a is None or b is None:
            return None
        slack = 0.0 if one.node == other.node else self.error(one.node) + self.error(other.node)
        return a + slack < b if abs(a - b) > slack else None

    def is_surely_before(self, one: Event, other: Event) -> bool:
        """Whatever the clocks' errors and the zones are: local times without a zone compare with their like alone. What
        was concluded stands on its node at a moment that another one's line may have told, so that both clocks count.
        """
        if one.locus.file == other.locus.file and one.locus.line and other.locus.line:
            return one.locus.line < other.locus.line
        a, b, local = self.time(one), self.time(other), self.span.local
        if a is None or b is None or (one.locus.file in local) != (other.locus.file in local):
            return False
        return a + self.error(one.node) + self.error(other.node) < b
