"""Find the nodes that state another value than the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from analyzer.facts.skew import find_odd_nodes
from analyzer.model import Event
from analyzer.rules.evaluation.captures import capture_value

COMMON_CAPTURE = "common"  # what the evidence of an odd node captures besides: the value of the others


@dataclass(frozen=True, slots=True)
class OddValues:
    """The values that nodes state of one capture.

    `odd` holds the event of each odd node. `counts` says how many nodes state each value.
    """

    odd: Mapping[str, Event]
    counts: Mapping[str, int]


def find_odd_values(capture: str, events_by_node: Mapping[str, Iterable[Event]]) -> OddValues:
    """Compare the last value of each node. A node is odd if at least twice as many nodes have the most common value.

    Its event is the first since when it has stated that value: what an odd value leads to may come before it is stated
    again, as in each attempt of a job.
    """
    by_value: dict[str, dict[str, Event]] = {}
    for node, events in events_by_node.items():
        stated = [(value, event) for event in events if (value := capture_value(event, capture)) is not None]
        if stated:
            value, event = _begin_of_last_value(stated)
            by_value.setdefault(value, {})[node] = event
    common, odd = find_odd_nodes(by_value) if by_value else ("", {})
    return OddValues(
        odd={node: _with_common(by_value[value][node], common) for node, value in odd.items()},
        counts={value: len(nodes) for value, nodes in by_value.items()},
    )


def _begin_of_last_value(stated: Sequence[tuple[str, Event]]) -> tuple[str, Event]:
    """Return the last value, and the first event since which it is stated without another between."""
    first = len(stated) - 1
    while first and stated[first - 1][0] == stated[-1][0]:
        first -= 1
    return stated[first]


def _with_common(event: Event, common: str) -> Event:
    return event._replace(captures={**event.captures, COMMON_CAPTURE: common})
