"""What differs between nodes: versions and settings that lines and files state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from analyzer.incident import Skew
from analyzer.model import Event, Kind, Locus, Setting
from analyzer.signal_semantics import SignalSemantics

MAX_COMMON_SETTINGS = 1000  # settings that all nodes agree on and that a report names


@dataclass(frozen=True, slots=True)
class StatedSetting:
    """A setting with its place and the node that it is of."""

    node: str
    file: str
    setting: Setting

    def as_event(self) -> Event:
        text = f"{self.setting.name}={self.setting.value}"
        return Event("", Locus(self.file, self.setting.line), text, kind=Kind.ENVIRONMENT, node=self.node)


SettingProof = Event | StatedSetting
SettingTable = dict[str, dict[str, dict[str, SettingProof]]]  # component → value → node → what says it


def proof_event(proof: SettingProof) -> Event:
    return proof if isinstance(proof, Event) else proof.as_event()


def collect_settings(
    events: Iterable[Event], semantics: SignalSemantics, stated: Iterable[StatedSetting] = ()
) -> SettingTable:
    """`version` signals capture `name` and `value`, or each component by its own name.

    The last word of a node counts, and what a program says of itself counts more than what a file says is installed.
    """
    latest: dict[str, dict[str, tuple[str, SettingProof]]] = {}
    for statement in stated:
        latest.setdefault(statement.setting.name, {})[statement.node] = (statement.setting.value, statement)
    for event in events:
        if semantics.has_meaning("version", event) and event.node:
            for name, value in _version_pairs(event.captures):
                latest.setdefault(name, {})[event.node] = (value, event)
    settings: SettingTable = {}
    for name, by_node in latest.items():
        for node, (value, proof) in by_node.items():
            settings.setdefault(name, {}).setdefault(value, {})[node] = proof
    return settings


def _version_pairs(captures: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    if "name" in captures and "value" in captures:
        yield captures["name"], captures["value"]
    else:
        yield from captures.items()


def describe_skew(settings: SettingTable) -> list[Skew]:
    """Only what differs, most nodes first within each key; what few nodes have otherwise comes before what each has
    its own way."""
    rows: list[Skew] = [
        {
            "key": name,
            "values": {
                value: sorted(nodes) for value, nodes in sorted(by_value.items(), key=lambda pair: -len(pair[1]))
            },
        }
        for name, by_value in sorted(settings.items())
        if len(by_value) > 1
    ]
    return sorted(rows, key=lambda row: _is_scattered(settings[row["key"]]))


def _is_scattered(by_value: Mapping[str, Mapping[str, SettingProof]]) -> bool:
    return len(by_value) > 2 and len(by_value) > sum(map(len, by_value.values())) / 2


def describe_common(settings: SettingTable) -> dict[str, str]:
    """What all nodes that say it agree on."""
    agreed = {name: next(iter(by_value)) for name, by_value in sorted(settings.items()) if len(by_value) == 1}
    return dict(list(agreed.items())[:MAX_COMMON_SETTINGS])


def find_odd_nodes(by_value: Mapping[str, Mapping[str, SettingProof]]) -> tuple[str, Mapping[str, str]]:
    """(the common value, odd node → its value); ("", {}) where no value is at least twice as common as another."""
    common = max(by_value, key=lambda value: len(by_value[value]))
    common_count = len(by_value[common])
    odd = {
        node: value
        for value, nodes in by_value.items()
        if value != common and 2 * len(nodes) <= common_count
        for node in nodes
    }
    return (common, odd) if odd else ("", {})
