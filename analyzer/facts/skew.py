"""What differs between nodes: versions and settings that lines state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from analyzer.model import Event

Settings = dict[str, dict[str, dict[str, Event]]]  # component → value → node → the line that says it


def collect_settings(events: Iterable[Event], feeds: Mapping[str, frozenset[str]]) -> Settings:
    """`version` signals capture `name` and `value`, or each component by its own name.

    The last word of a node counts.
    """
    said: dict[str, dict[str, tuple[str, Event]]] = {}
    for event in events:
        if "version" in feeds.get(event.signal, frozenset()) and event.node:
            for name, value in _pairs(event.captures):
                said.setdefault(name, {})[event.node] = (value, event)
    settings: Settings = {}
    for name, by_node in said.items():
        for node, (value, event) in by_node.items():
            settings.setdefault(name, {}).setdefault(value, {})[node] = event
    return settings


def _pairs(captures: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    if "name" in captures and "value" in captures:
        yield captures["name"], captures["value"]
    else:
        yield from captures.items()


def describe_skew(settings: Settings) -> list[Mapping[str, object]]:
    """Only what differs, most nodes first within each key."""
    rows: list[Mapping[str, object]] = []
    for name, by_value in sorted(settings.items()):
        if len(by_value) > 1:
            ordered = sorted(by_value.items(), key=lambda pair: -len(pair[1]))
            rows.append({"key": name, "values": {value: sorted(nodes) for value, nodes in ordered}})
    return rows
