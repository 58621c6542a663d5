"""Rules that extend an earlier rule: the keys that they take over, replace, and append to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from analyzer.rules.conditions import (
    AllOf,
    AnyOf,
    Condition,
    Count,
    Distinct,
    FirstNode,
    HasSignal,
    NodeShare,
    OddNode,
    Sequential,
    Unless,
    anchors_of,
)
from analyzer.rules.parsing.keys import APPEND, PATTERN_KEYS, names_of
from analyzer.rules.parsing.yaml_values import YamlList, YamlMapping
from analyzer.signals.types import CaptureTests

NOT_INHERITED = frozenset({"id", "tests", "override", "extends", "aliases", "append"})
# The appended `where` of a rule and of those that it extends, a list. No key of the language: `append` writes it.
APPENDED_TESTS = "append where"


def extend(base: YamlMapping, body: YamlMapping) -> YamlMapping:
    """Return the keys of a rule that extends `base`: those of `base`, replaced or appended to by those of `body`."""
    merged, base_position = YamlMapping(body.position), body.position_of("extends")
    for key, value in base.items():
        if key not in NOT_INHERITED:
            merged.set_value(key, value, base_position, base_position)
    for key, value in body.items():
        merged.set_value(key, value, body.key_position(key), body.position_of(key))
    own_keys = body.keys() & set(PATTERN_KEYS)
    if "when" in body and not own_keys:  # a new condition replaces the base's pattern
        for key in PATTERN_KEYS:
            merged.pop(key, None)
    elif own_keys and "when" not in body:
        merged.pop("when", None)
    if own_keys or "when" in body:
        merged.pop(APPENDED_TESTS, None)
    if isinstance(addition := body.get("append"), YamlMapping):
        _append(merged, base, addition)
    return merged


def _append(merged: YamlMapping, base: YamlMapping, addition: YamlMapping) -> None:
    for key in sorted(names_of(APPEND) & addition.keys()):
        target = APPENDED_TESTS if key == "where" else key
        earlier = merged.get(target, base.get(target) if key == "tests" else None)
        position, values = addition.position_of(key), YamlList()
        for item in (*_items(earlier), *_items(addition[key])):
            values.append(item)
            values.positions.append(position)
        merged.set_value(target, values, addition.key_position(key), position)


def _items(raw: object) -> list[object]:
    """Return the items of a value that may be one item, a list, or `{any: [...]}`."""
    if isinstance(raw, Mapping) and set(raw) == {"any"}:
        raw = raw["any"]
    return [] if raw is None else list(raw) if isinstance(raw, list) else [raw]


def add_anchor_tests(condition: Condition, tests: CaptureTests) -> Condition:
    """Return the condition with more tests on the captures of its anchor."""
    return _add_tests(condition, anchors_of(condition), tests)


def _add_tests(condition: Condition, anchors: frozenset[str], tests: CaptureTests) -> Condition:
    match condition:
        case HasSignal(signal=signal, at="same_node", where=where) if signal in anchors:
            return replace(condition, where=(*where, *tests))
        case AllOf(parts=parts) | AnyOf(parts=parts) | Sequential(parts=parts):
            return replace(condition, parts=tuple(_add_tests(part, anchors, tests) for part in parts))
        case Count(of=part) | Distinct(of=part):
            return replace(condition, of=_add_tests(part, anchors, tests))
        case Unless(part=part):
            return replace(condition, part=_add_tests(part, anchors, tests))
        case FirstNode(part=part) | NodeShare(part=part) | OddNode(part=part):
            return replace(condition, part=replace(part, where=(*part.where, *tests)))
        case _:
            return condition
