"""One signal, from YAML values to its type."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from analyzer.model import Kind
from analyzer.rules.fields import Fields, strings, texts
from analyzer.rules.keys import BLOCK, FEEDS, LOOKUP, MOST_LINES, SEVERITIES, names_of
from analyzer.rules.places import Place
from analyzer.rules.types import Bits, Block, Lookup, Signal

_BITS = regex.compile(r"(\w+)\[(\d{1,2})(?::(\d{1,2}))?\]")


def read_signal(name: str, body: Place, fields: Fields) -> Signal | None:
    """None, with a problem, where nothing says what to look for."""
    told = len(fields.problems)
    contains = tuple(text for text in strings(body.get("contains")) if text)
    match = fields.patterns(body, "match", name)
    if not match and contains and "match" not in body:
        match = (regex.escape(max(contains, key=len), special_only=True),)
    if not match:
        if len(fields.problems) == told:
            advice = "say with match or contains what to look for"
            fields.complain(body.where, f"{name} has no pattern under match", advice)
        return None
    return Signal(
        name=name,
        match=match,
        kinds=_kinds(body, fields),
        not_match=fields.patterns(body, "not_match", name),
        severity=fields.word(body, "severity", SEVERITIES) if _is_plain(body.get("severity")) else None,
        block=_block(body, name, fields),
        also=fields.patterns(body, "also", name),
        set=texts(body.get("set")),
        bits=dict(_bits(body, name, fields)),
        lookup=tuple(_lookups(body, name, fields)),
        feeds=frozenset(fields.words(body, "feeds", FEEDS)),
        noise=bool(body.get("noise", False)),
        contains=contains,
        override=bool(body.get("override", False)),
        spots=body.spots(),
    )


def _is_plain(severity: object) -> bool:
    """A severity may be a template over captures (`{severity}`); then it is the rule's, not the signal's."""
    return severity is not None and "{" not in str(severity)


def _kinds(body: Place, fields: Fields) -> frozenset[Kind]:
    kinds = {kind.value: kind for kind in Kind}
    names = fields.words(body, "source", frozenset(kinds) | {"any"})
    return frozenset(kinds[name] for name in names if name != "any")


def _block(body: Place, name: str, fields: Fields) -> Block | None:
    raw = body.get("block")
    if raw is None:
        return None
    if not isinstance(raw, Place):
        fields.complain(body.at("block"), f"{name}: block is no mapping", "write it as {lines: 20}")
        return None
    fields.check_keys(raw, names_of(BLOCK), f"{name}: block")
    lines, until = raw.get("lines", 40), raw.get("until")
    if not isinstance(lines, int) or not 1 <= lines <= MOST_LINES:
        advice = f"it is a whole number from 1 to {MOST_LINES}"
        fields.complain(raw.at("lines"), f"{name}: lines: {lines!r} is too many or none", advice)
        lines = 40
    if until is not None and not fields.trusted and not fields.check_pattern(str(until), raw.at("until"), name):
        until = None
    return Block(lines, None if until is None else str(until), bool(raw.get("prefixed")))


def _lookups(body: Place, name: str, fields: Fields) -> Iterator[Lookup]:
    raw = body.get("lookup")
    for item in raw if isinstance(raw, list) else [] if raw is None else [raw]:
        if isinstance(item, Place) and set(item) == names_of(LOOKUP):
            yield Lookup(str(item["table"]), str(item["key"]))
        else:
            advice = "write it as {table: NAME, key: CAPTURE}"
            fields.complain(body.at("lookup"), f"{name}: lookup needs a table and a key", advice)


def _bits(body: Place, name: str, fields: Fields) -> Iterator[tuple[str, Bits]]:
    for capture, text in texts(body.get("bits")).items():
        if (found := _BITS.fullmatch(text)) and int(found[2]) >= int(found[3] or 0):
            yield capture, Bits(found[1], int(found[2]), int(found[3] or found[2]))
        else:
            fields.complain(
                body.at("bits"), f"{name}: {text!r} names no bits", 'write it as "word[25:20]" or "word[31]"'
            )
