"""Named fragments of patterns: `%{name}` in a pack's pattern inserts the fragment of that name (as in grok)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import regex

from analyzer.rules.parsing.fields import FieldReader, suggest_name
from analyzer.rules.parsing.yaml_values import YamlMapping
from analyzer.signals.compiled_patterns import MAX_PATTERN_CHARS
from analyzer.signals.types import SourcePosition

_FRAGMENT_REFERENCE = regex.compile(r"%\{(\w+)\}")
_PATTERN_KEYS = ("match", "not_match", "also")


def expand_patterns(pack: YamlMapping, fields: FieldReader) -> None:
    """Insert the fragments into the patterns of the pack's signals and rules, in place.

    A rule that extends one of these rules inherits the expanded pattern, so it needs no fragments.
    """
    definitions = pack.get("patterns", YamlMapping(SourcePosition()))
    if not isinstance(definitions, YamlMapping):
        fields.add_problem(pack.position_of("patterns"), "patterns is not a mapping", "write it as {name: 'pattern'}")
        return
    fragments: dict[str, str] = {}
    for name in definitions:  # a fragment may contain fragments that are defined above it
        fragments[name] = _expand_text(str(definitions[name]), fragments, definitions.position_of(name), fields)
    for body in _signal_and_rule_bodies(pack):
        for holder, key in _pattern_holders(body):
            _expand_value(holder, key, fragments, fields)


def _signal_and_rule_bodies(pack: YamlMapping) -> Iterator[YamlMapping]:
    signals, rules = pack.get("signals"), pack.get("rules")
    values = [
        *(signals.values() if isinstance(signals, YamlMapping) else ()),
        *(rules if isinstance(rules, list) else ()),
    ]
    return (body for body in values if isinstance(body, YamlMapping))


def _pattern_holders(body: YamlMapping) -> Iterator[tuple[YamlMapping, str]]:
    for key in _PATTERN_KEYS:
        value = body.get(key)
        yield (value, "any") if isinstance(value, YamlMapping) else (body, key)
    if isinstance(block := body.get("block"), YamlMapping):
        yield block, "until"


def _expand_value(holder: YamlMapping, key: str, fragments: Mapping[str, str], fields: FieldReader) -> None:
    value = holder.get(key)
    if isinstance(value, str):
        holder[key] = _expand_text(value, fragments, holder.position_of(key), fields)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, str):
                value[index] = _expand_text(item, fragments, holder.position_of(key, index), fields)


def _expand_text(text: str, fragments: Mapping[str, str], position: SourcePosition, fields: FieldReader) -> str:
    names = _FRAGMENT_REFERENCE.findall(text)
    for name in names:
        if name not in fragments:
            fields.add_problem(
                position, f"%{{{name}}} is not one of the pack's `patterns`", suggest_name(name, fragments)
            )
    if len(text) + sum(len(fragments.get(name, "")) for name in names) > MAX_PATTERN_CHARS:
        fields.add_problem(
            position,
            f"the expanded pattern has more than {MAX_PATTERN_CHARS} characters",
            "split it into several patterns",
        )
        return text
    return _FRAGMENT_REFERENCE.sub(lambda part: fragments.get(part[1], part[0]), text)
