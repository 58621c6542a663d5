"""Patterns with a name: `%{name}` in a pack's pattern stands for the one that its `patterns` call so (as in grok)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import regex

from analyzer.rules.fields import Fields, nearest
from analyzer.rules.places import At, Place

LONGEST = 16 * 1024  # characters of a pattern with all its parts: a bomb is refused before it is built
_PART = regex.compile(r"%\{(\w+)\}")
_HOLDERS = ("match", "not_match", "also")


def expand_patterns(pack: Place, fields: Fields) -> None:
    """Writes the named parts into the pack's signals and rules: who extends a rule needs no part of it."""
    named = pack.get("patterns", Place(At()))
    if not isinstance(named, Place):
        fields.complain(pack.at("patterns"), "patterns names no patterns", "write it as {name: 'pattern'}")
        return
    parts: dict[str, str] = {}
    for name in named:  # a part may hold those that stand above it
        parts[name] = _expand(str(named[name]), parts, named.at(name), fields)
    for body in _bodies(pack):
        for holder, key in _holders(body):
            _expand_value(holder, key, parts, fields)


def _bodies(pack: Place) -> Iterator[Place]:
    signals, rules = pack.get("signals"), pack.get("rules")
    values = [*(signals.values() if isinstance(signals, Place) else ()), *(rules if isinstance(rules, list) else ())]
    return (body for body in values if isinstance(body, Place))


def _holders(body: Place) -> Iterator[tuple[Place, str]]:
    for key in _HOLDERS:
        value = body.get(key)
        yield (value, "any") if isinstance(value, Place) else (body, key)
    if isinstance(block := body.get("block"), Place):
        yield block, "until"


def _expand_value(holder: Place, key: str, parts: Mapping[str, str], fields: Fields) -> None:
    value = holder.get(key)
    if isinstance(value, str):
        holder[key] = _expand(value, parts, holder.at(key), fields)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            if isinstance(item, str):
                value[number] = _expand(item, parts, holder.at(key, number), fields)


def _expand(text: str, parts: Mapping[str, str], at: At, fields: Fields) -> str:
    names = _PART.findall(text)
    for name in names:
        if name not in parts:
            fields.complain(at, f"%{{{name}}} is none of the pack's patterns", nearest(name, parts))
    if len(text) + sum(len(parts.get(name, "")) for name in names) > LONGEST:
        fields.complain(at, f"a pattern has more than {LONGEST} characters with its parts", "split it into several")
        return text
    return _PART.sub(lambda part: parts.get(part[1], part[0]), text)
