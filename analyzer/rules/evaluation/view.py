"""What a condition can see of the timeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from analyzer.model import Event
from analyzer.rules.evaluation.odd_values import OddValues
from analyzer.signals.types import CaptureTests

Evidence = tuple[Event, ...]


class View(Protocol):
    """The timeline, as seen from one node while a rule is evaluated there.

    `anchor_captures` are the captures of the anchor's events.
    """

    node: str
    anchor_captures: Mapping[str, tuple[str, ...]]

    def events(self, signal: str, scope: str) -> Sequence[Event]: ...
    def time(self, event: Event) -> float | None: ...
    def time_error(self, event: Event) -> float: ...
    def is_surely_before(self, event: Event, other: Event) -> bool: ...
    def nodes_with(self, signal: str, where: CaptureTests) -> Mapping[str, Sequence[Event]]: ...
    def earliest_times(self, signal: str, where: CaptureTests) -> Mapping[str, float | None]: ...
    def odd_values(self, capture: str, signal: str, where: CaptureTests) -> OddValues: ...
    def node_count(self) -> int: ...
    def has_sources_for(self, signal: str) -> bool: ...
    def dropped_count(self, signal: str) -> int: ...


class NotEvaluatedError(Exception):
    """The bundle lacks a source that the rule needs; `signal` is the signal that could not be judged."""

    def __init__(self, signal: str) -> None:
        super().__init__(signal)
        self.signal = signal
