"""Convert one signal from YAML values to its type."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from analyzer.model import Kind
from analyzer.rules.parsing.fields import FieldReader, as_strings, as_texts
from analyzer.rules.parsing.keys import BLOCK, FEEDS, LOOKUP, MAX_BLOCK_LINES, SEVERITIES, names_of
from analyzer.rules.parsing.yaml_values import YamlMapping
from analyzer.signals.types import BitRange, ContinuationBlock, Signal, TableLookup

MAX_TEXT_CHARS = 1000  # of a text to search for; Hyperscan refuses patterns of some thousand characters
_BIT_RANGE = regex.compile(r"(\w+)\[(\d{1,2})(?::(\d{1,2}))?\]")


def read_signal(name: str, body: YamlMapping, fields: FieldReader) -> Signal | None:
    """Return the signal; None, with a problem, if nothing says what to search for."""
    problems_before = len(fields.problems)
    contains = tuple(_read_texts(body, name, fields))
    match = fields.read_patterns(body, "match", name)
    if not match and contains and "match" not in body:
        match = (regex.escape(max(contains, key=len), special_only=True),)
    if not match:
        if len(fields.problems) == problems_before:
            advice = "write with match or contains what to search for"
            fields.add_problem(body.position, f"{name}: there is no pattern under match", advice)
        return None
    return Signal(
        name=name,
        match=match,
        kinds=_read_kinds(body, fields),
        not_match=fields.read_patterns(body, "not_match", name),
        severity=fields.read_word(body, "severity", SEVERITIES) if _is_fixed_severity(body.get("severity")) else None,
        block=_read_block(body, name, fields),
        also=fields.read_patterns(body, "also", name),
        set=as_texts(body.get("set")),
        bits=dict(_read_bits(body, name, fields)),
        lookup=tuple(_read_lookups(body, name, fields)),
        feeds=frozenset(fields.read_words(body, "feeds", FEEDS)),
        noise=bool(body.get("noise", False)),
        contains=contains,
        override=bool(body.get("override", False)),
        positions=body.all_positions(),
    )


def _read_texts(body: YamlMapping, name: str, fields: FieldReader) -> Iterator[str]:
    """Yield the texts of `contains`, which take part in the scanner's automaton as patterns do."""
    for index, text in enumerate(as_strings(body.get("contains"))):
        if len(text) > MAX_TEXT_CHARS:
            problem = f"{name}: a text of {len(text):,} characters; at most {MAX_TEXT_CHARS:,} are searched for"
            fields.add_problem(body.position_of("contains", index), problem, "a part of it is enough to find the line")
        elif text:
            yield text


def _is_fixed_severity(severity: object) -> bool:
    """Return whether the severity is fixed. A template over captures (`{severity}`) is the rule's, not the signal's."""
    return severity is not None and "{" not in str(severity)


def _read_kinds(body: YamlMapping, fields: FieldReader) -> frozenset[Kind]:
    kinds = {kind.value: kind for kind in Kind}
    names = fields.read_words(body, "source", frozenset(kinds) | {"any"})
    return frozenset(kinds[name] for name in names if name != "any")


def _read_block(body: YamlMapping, name: str, fields: FieldReader) -> ContinuationBlock | None:
    raw = body.get("block")
    if raw is None:
        return None
    if not isinstance(raw, YamlMapping):
        fields.add_problem(body.position_of("block"), f"{name}: block is not a mapping", "write it as {lines: 20}")
        return None
    fields.check_keys(raw, names_of(BLOCK), f"{name}: block")
    lines, until = raw.get("lines", 40), raw.get("until")
    if not isinstance(lines, int) or not 1 <= lines <= MAX_BLOCK_LINES:
        advice = f"write a whole number from 1 to {MAX_BLOCK_LINES}"
        fields.add_problem(raw.position_of("lines"), f"{name}: lines: {lines!r} is out of range", advice)
        lines = 40
    if (
        until is not None
        and not fields.trusted
        and not fields.check_pattern(str(until), raw.position_of("until"), name)
    ):
        until = None
    return ContinuationBlock(lines, None if until is None else str(until), bool(raw.get("prefixed")))


def _read_lookups(body: YamlMapping, name: str, fields: FieldReader) -> Iterator[TableLookup]:
    raw = body.get("lookup")
    for item in raw if isinstance(raw, list) else [] if raw is None else [raw]:
        if isinstance(item, YamlMapping) and set(item) == names_of(LOOKUP):
            yield TableLookup(str(item["table"]), str(item["key"]))
        else:
            advice = "write it as {table: NAME, key: CAPTURE}"
            fields.add_problem(body.position_of("lookup"), f"{name}: lookup needs a table and a key", advice)


def _read_bits(body: YamlMapping, name: str, fields: FieldReader) -> Iterator[tuple[str, BitRange]]:
    for capture, text in as_texts(body.get("bits")).items():
        if (match := _BIT_RANGE.fullmatch(text)) and int(match[2]) >= int(match[3] or 0):
            yield capture, BitRange(match[1], int(match[2]), int(match[3] or match[2]))
        else:
            fields.add_problem(
                body.position_of("bits"),
                f"{name}: {text!r} is not a range of bits",
                'write it as "word[25:20]" or "word[31]"',
            )
