"""Convert the `where` of a condition: tests on captures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

import regex

from analyzer.rules.evaluation.captures import find_references, resolve_references
from analyzer.rules.parsing.condition_errors import ConditionError, collect_results
from analyzer.rules.parsing.fields import ESCAPE_ADVICE, suggest_name
from analyzer.rules.parsing.keys import RANGE, names_of
from analyzer.signals.compiled_patterns import compile_pattern
from analyzer.signals.types import CaptureTests
from analyzer.signals.value_tests import read_number

_SIGNS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}
_COMPARISON = regex.compile(r"(>=|<=|>|<)(.*)", regex.DOTALL)
_MISWRITTEN_SIGN = regex.compile(r"(=>|=<|=(?!=)|<>|!(?![=~])|==(?! ))\s*(.*)", regex.DOTALL)
_RIGHT_SIGNS = {"=>": ">= ", "=<": "<= ", "<>": "!= ", "!": "!= "}
RANGE_ADVICE = "a range is a mapping, all parts of which must hold: {gt: 5, le: 9}"


def parse_where(raw: object, key: str = "where") -> CaptureTests:
    """Return the tests. `key` is what they stand under, for messages. Raises ConditionError."""
    if not isinstance(raw, Mapping):
        raise ConditionError(f"{key} is not a mapping", 'write a name and its test: {code: "> 3"}')
    parsers = [partial(_parse_tests, str(name), f"{key} {name}", value) for name, value in raw.items()]
    return tuple(pair for pairs in collect_results(parsers) for pair in pairs)


def _parse_tests(name: str, place: str, raw: object) -> CaptureTests:
    """Return the tests on one capture: one pair, or a pair for each part of a range. `place` is for messages."""
    tests: CaptureTests
    if isinstance(raw, Mapping):
        tests = tuple((name, (test,)) for test in _parse_range(place, raw))
    elif isinstance(raw, list):
        alternatives = tuple(_test_text(place, value) for value in raw)
        _check_alternatives(place, name, alternatives)
        tests = ((name, alternatives),)
    else:
        tests = ((name, (_test_text(place, raw),)),)
    for _, texts in tests:
        for text in texts:
            _check_test(place, name, text)
    _check_patterns(tests)
    return tests


def _parse_range(place: str, raw: Mapping[str, object]) -> list[str]:
    if not raw:
        raise ConditionError(f"{place}: the range is empty", RANGE_ADVICE)
    if unknown := sorted(set(map(str, raw)) - names_of(RANGE)):
        raise ConditionError(f"{place}: {unknown[0]!r} is not known", suggest_name(unknown[0], names_of(RANGE)))
    bounds = [f"{sign} {_test_text(place, raw[key])}" for key, sign in _SIGNS.items() if key in raw]
    _check_bounds(place, raw)
    excluded = raw.get("ne", [])
    return bounds + [
        f"!= {_test_text(place, value)}" for value in (excluded if isinstance(excluded, list) else [excluded])
    ]


def _check_bounds(place: str, raw: Mapping[str, object]) -> None:
    """Raise ConditionError if no number lies between the bounds."""
    lows = [(number, key == "gt") for key in ("gt", "ge") if (number := _number(raw.get(key))) is not None]
    highs = [(number, key == "lt") for key in ("lt", "le") if (number := _number(raw.get(key))) is not None]
    if any(
        low > high or (low == high and (open_low or open_high)) for low, open_low in lows for high, open_high in highs
    ):
        raise ConditionError(f"{place}: no value lies in this range", "the lower bound must be below the upper one")


def _number(value: object) -> float | None:
    number = None if value is None else read_number(str(value))
    return number if isinstance(number, float) else None


def _test_text(place: str, value: object) -> str:
    if value is None:
        raise ConditionError(f"{place} has no test", 'write a value, or quote the test: {code: "~ ^1"}')
    if isinstance(value, list | Mapping):
        raise ConditionError(f"{place}: {value!r} is not a valid value", RANGE_ADVICE)
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def _check_alternatives(place: str, name: str, tests: Sequence[str]) -> None:
    """Raise ConditionError if every value passes one of the tests: a list means "one of them"."""
    if not tests:
        raise ConditionError(f"{place}: the list is empty", "write at least one value")
    negated = [test for test in tests if test.startswith("!")]
    if negated and len(tests) > 1:
        advice = f"a list passes if one of its tests does; to exclude several values, write {{{name}: {{ne: [a, b]}}}}"
        raise ConditionError(f"{place}: {negated[0]!r} in a list lets nearly every value pass", advice)
    comparisons = [match for test in tests if (match := _COMPARISON.fullmatch(test))]
    lows = [number for match in comparisons if ">" in match[1] and (number := _number(match[2])) is not None]
    highs = [number for match in comparisons if "<" in match[1] and (number := _number(match[2])) is not None]
    if min(lows, default=math.inf) < max(highs, default=-math.inf):
        advice = f"a list passes if one of its tests does; {RANGE_ADVICE}"
        raise ConditionError(f"{place}: every number passes one of {', '.join(tests)}", advice)


def _check_test(place: str, name: str, test: str) -> None:
    """Raise ConditionError for a test that looks like a comparison and would be compared as text."""
    if match := _MISWRITTEN_SIGN.fullmatch(test):
        advice = f"write {{{name}: {_RIGHT_SIGNS.get(match[1], '')}{match[2]}}}, in quotes if it begins with a sign"
        raise ConditionError(f"{place}: {test!r} does not begin with a known sign", advice)
    match = _COMPARISON.fullmatch(test)
    if match and read_number(match[2]) is None and not find_references(((name, (test,)),)):
        text = f"{place}: {match[2].strip()!r} is no number, size or version, so nothing passes {test!r}"
        raise ConditionError(text, RANGE_ADVICE)


def _check_patterns(tests: CaptureTests) -> None:
    """Raise ConditionError if a test `~ pattern` cannot be compiled.

    Without this check, the error would occur only when a line is compared with it.
    """
    stand_ins = dict.fromkeys(find_references(tests), ("x",))
    for test in (test for _, texts in resolve_references(tests, stand_ins) for test in texts):
        if test.startswith(("~", "!~")):
            pattern = test.lstrip("!").removeprefix("~").strip()
            try:
                compile_pattern(pattern)
            except (regex.error, RecursionError, OverflowError, MemoryError) as error:
                raise ConditionError(f"the pattern {pattern[:200]!r} is not valid: {error}", ESCAPE_ADVICE) from None
