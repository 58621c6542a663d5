"""Convert one signal from YAML values to its type."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from analyzer.model import Kind
from analyzer.rules.evaluation.captures import find_references
from analyzer.rules.parsing.condition_errors import ConditionError
from analyzer.rules.parsing.fields import FieldReader, as_strings, as_texts, suggest_name
from analyzer.rules.parsing.keys import BLOCK, FEEDS, LOOKUP, MAX_BLOCK_LINES, SEVERITIES, names_of
from analyzer.rules.parsing.where import parse_where
from analyzer.rules.parsing.yaml_values import YamlMapping
from analyzer.signals.types import (
    LEVEL_FIELD,
    PREFIX_FIELDS,
    BitRange,
    CaptureTests,
    ContinuationBlock,
    Signal,
    TableLookup,
)
from analyzer.signals.value_tests import may_pass_absent

_PLAIN_VALUE = regex.compile(r"\w[\w.:/-]*")  # written alike with and without quotes, and no test with a sign
_BIT_RANGE = regex.compile(r"(\w+)\[(\d{1,2})(?::(\d{1,2}))?\]")


def read_signal(name: str, body: YamlMapping, fields: FieldReader) -> Signal | None:
    """Return the signal; None, with a problem, if nothing says what to search for."""
    problems_before = len(fields.problems)
    contains = tuple(text for text in as_strings(body.get("contains")) if text)
    tests = _read_field_tests(body, name, fields)
    match = fields.read_patterns(body, "match", name)
    if not match and "match" not in body:
        made = (regex.escape(max(contains, key=len), special_only=True),) if contains else _pattern_of_fields(tests)
        match = tuple(text for text in made if fields.trusted or fields.check_pattern(text, body.position, name, True))
    if not match:
        if len(fields.problems) == problems_before and tests:
            text = f"{name}: {', '.join(name for name, _ in tests)} alone is not searched for: it stands in the prefix"
            fields.add_problem(body.position_of("fields"), text, "name another field too, or add match or contains")
        elif len(fields.problems) == problems_before:
            advice = "write with match, contains or fields what to search for"
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
        fields=tests,
        override=bool(body.get("override", False)),
        positions=body.all_positions(),
    )


def _read_field_tests(body: YamlMapping, name: str, fields: FieldReader) -> CaptureTests:
    if "fields" not in body:
        return ()
    try:
        tests = parse_where(body["fields"], "fields")
    except ConditionError as error:
        for part in error.all_errors():
            fields.add_problem(part.position or body.position_of("fields"), f"{name}: {part}", part.advice)
        return ()
    for field, test in ((field, test) for field, texts in tests for test in texts):
        if find_references(((field, (test,)),)):
            text = f"{name}: fields {field}: {test!r} names a capture, which a line of its own does not have"
            fields.add_problem(body.position_of("fields"), text, "compare captures in the `where` of a condition")
        if field == LEVEL_FIELD and test[:1] not in "<>=!~" and test not in SEVERITIES:
            text = f"{name}: fields level: {test!r} is not known"
            fields.add_problem(body.position_of("fields"), text, suggest_name(test, SEVERITIES))
    return tests


def _pattern_of_fields(tests: CaptureTests) -> tuple[str, ...]:
    """Return the pattern of the field with the longest text, as `read_fields` finds it; () if all are of the prefix."""
    written = [test for test in tests if test[0] not in PREFIX_FIELDS and not may_pass_absent(test[1])]
    if not written:
        return ()
    field, values = max(written, key=lambda test: len(test[0]) + sum(map(len, test[1])))
    value = f'"?{regex.escape(values[0])}' if len(values) == 1 and _PLAIN_VALUE.fullmatch(values[0]) else ""
    return (rf"(?<![^\s,;(\[{{]){regex.escape(field, special_only=True)}={value}",)


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
