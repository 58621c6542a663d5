"""Versions and settings that differ between nodes."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from analyzer.incident import Skew
from analyzer.model import Event, Kind, Locus, Setting
from analyzer.signal_semantics import SignalSemantics

MAX_COMMON_SETTINGS = 1000  # settings equal on all nodes that a report lists
MAX_LOGGED_SETTINGS = 10
_log = logging.getLogger("analyzer.facts")


@dataclass(frozen=True, slots=True)
class StatedSetting:
    """A setting that a file states, and its node."""

    node: str
    file: str
    setting: Setting

    def as_event(self) -> Event:
        """Return the setting as an event, so that it can be shown as evidence."""
        text = f"{self.setting.name}={self.setting.value}"
        return Event("", Locus(self.file, self.setting.line), text, kind=Kind.ENVIRONMENT, node=self.node)


SettingProof = Event | StatedSetting
SettingTable = dict[str, dict[str, dict[str, SettingProof]]]  # setting → value → node → what states it


def proof_event(proof: SettingProof) -> Event:
    """Return what states a setting as an event."""
    return proof if isinstance(proof, Event) else proof.as_event()


def collect_settings(
    events: Iterable[Event], semantics: SignalSemantics, stated: Iterable[StatedSetting] = ()
) -> SettingTable:
    """Return all settings by value and node.

    Events that mean `version` capture `name` and `value`, or each component under its own name. The last statement of
    a node counts; what a program states in its log counts more than what a file lists as installed.
    """
    latest: dict[str, dict[str, tuple[str, SettingProof]]] = {}
    for statement in stated:
        latest.setdefault(statement.setting.name, {})[statement.node] = (statement.setting.value, statement)
    for event in events:
        if semantics.has_meaning("version", event) and event.node:
            for name, value in _version_pairs(event.captures):
                values_by_node = latest.setdefault(name, {})
                if not _is_behind(values_by_node.get(event.node), event):
                    values_by_node[event.node] = (value, event)
    settings: SettingTable = {}
    for name, by_node in latest.items():
        for node, (value, proof) in by_node.items():
            settings.setdefault(name, {}).setdefault(value, {})[node] = proof
    return settings


def _is_behind(stated: tuple[str, SettingProof] | None, event: Event) -> bool:
    """Return whether a known statement stands below the event in the same file, whatever their times say."""
    proof = stated[1] if stated else None
    if not isinstance(proof, Event) or proof.locus.file != event.locus.file:
        return False
    return (proof.locus.line or 0) > (event.locus.line or 0)


def _version_pairs(captures: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    if "name" in captures and "value" in captures:
        yield captures["name"], captures["value"]
    else:
        yield from captures.items()


def describe_skew(settings: SettingTable) -> list[Skew]:
    """Return a row for each setting that differs, its values by falling number of nodes.

    Settings in which few nodes deviate come before those in which nearly every node has its own value.
    """
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
    rows.sort(key=lambda row: _is_scattered(settings[row["key"]]))
    if rows:
        names = [f"{row['key']} ({len(row['values'])} values)" for row in rows[:MAX_LOGGED_SETTINGS]]
        _log.info("%d settings differ between nodes: %s", len(rows), ", ".join(names))
    return rows


def _is_scattered(by_value: Mapping[str, Mapping[str, SettingProof]]) -> bool:
    return len(by_value) > 2 and len(by_value) > sum(map(len, by_value.values())) / 2


def describe_common(settings: SettingTable) -> dict[str, str]:
    """Return the settings that have the same value on all nodes that state them."""
    agreed = {name: next(iter(by_value)) for name, by_value in sorted(settings.items()) if len(by_value) == 1}
    return dict(list(agreed.items())[:MAX_COMMON_SETTINGS])


def find_odd_nodes(by_value: Mapping[str, Mapping[str, object]]) -> tuple[str, Mapping[str, str]]:
    """Return the common value and odd node → its value; ("", {}) if no value is twice as common as another."""
    common = max(by_value, key=lambda value: len(by_value[value]))
    common_count = len(by_value[common])
    odd = {
        node: value
        for value, nodes in by_value.items()
        if value != common and 2 * len(nodes) <= common_count
        for node in nodes
    }
    return (common, odd) if odd else ("", {})
