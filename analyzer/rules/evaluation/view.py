"""What a condition sees of the timeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from analyzer.model import Event

Evidence = tuple[Event, ...]


class View(Protocol):
    """The timeline as one node sees it while a rule is judged there; `said` holds what the anchor's events capture."""

    node: str
    anchor_captures: Mapping[str, tuple[str, ...]]

    def events(self, signal: str, scope: str) -> Sequence[Event]: ...
    def time(self, event: Event) -> float | None: ...
    def time_error(self, event: Event) -> float: ...
    def is_surely_before(self, event: Event, other: Event) -> bool: ...
    def nodes_with(self, signal: str, where: Mapping[str, tuple[str, ...]]) -> Mapping[str, Sequence[Event]]: ...
    def earliest_times(self, signal: str, where: Mapping[str, tuple[str, ...]]) -> Mapping[str, float | None]: ...
    def node_count(self) -> int: ...
    def has_sources_for(self, signal: str) -> bool: ...
    def dropped_count(self, signal: str) -> int: ...


class NotEvaluatedError(Exception):
    """A source that the rule needs is not in the bundle; `signal` names what could not be judged."""

    def __init__(self, signal: str) -> None:
        super().__init__(signal)
        self.signal = signal
