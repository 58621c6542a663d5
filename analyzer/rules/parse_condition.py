"""The `when` of a rule, from YAML values to conditions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import regex

from analyzer.rules.captures import references, resolve
from analyzer.rules.conditions import (
    Absent,
    All,
    AnyOf,
    Condition,
    Count,
    Distinct,
    First,
    Has,
    Not,
    Sequential,
    Share,
    Unless,
)
from analyzer.rules.keys import CONDITIONS, EVERYWHERE, SCOPES, names_of

_DURATION = regex.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$")
MOST_OPTIONAL = 8  # steps: each doubles the ways through a sequence
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, None: 1.0}


class ParseError(ValueError):
    """What is wrong with a condition, in a sentence."""


def parse_duration(raw: object) -> float:
    """`90`, `90s`, `2m`, `1h`, `250ms` in seconds."""
    found = _DURATION.fullmatch(str(raw).strip())
    if not found:
        raise ParseError(f"{raw!r} is not a time span such as 30s, 2m or 1h")
    return float(found[1]) * _SECONDS[found[2]]


def parse_condition(raw: object) -> Condition:
    """Raises ParseError."""
    if isinstance(raw, str):
        return Has(raw, {})
    if not isinstance(raw, Mapping):
        raise ParseError("a condition is a signal's name or a mapping such as {all: [...]}")
    heads = [key for key in _PARSERS if key in raw]
    if len(heads) != 1:
        raise ParseError(
            f"a condition has exactly one of {', '.join(_PARSERS)}; this one has {', '.join(map(str, raw)) or 'none'}"
        )
    head = heads[0]
    if unknown := set(raw) - names_of(CONDITIONS[head]) - names_of(EVERYWHERE):
        raise ParseError(f"{head} does not know {', '.join(sorted(map(str, unknown)))}")
    condition = _PARSERS[head](raw)
    if "unless" in raw:
        return _unless(condition, raw)
    return condition


def _unless(condition: Condition, raw: Mapping[str, object]) -> Condition:
    other = raw["unless"]
    sides = {"before", "after"} & set(other) if isinstance(other, Mapping) else set()
    if not sides or not isinstance(other, Mapping):
        return All((condition, Not(All((condition, parse_condition(other)), _within(raw)))))
    if len(sides) > 1 or set(other) - {"before", "after", "within"}:
        raise ParseError("unless takes a condition, {before: ..., within: 5m} or {after: ..., within: 5m}")
    if "within" in raw:
        raise ParseError("the time span of `unless` with before or after stands inside it: {before: ..., within: 5m}")
    side = sides.pop()
    return Unless(condition, parse_condition(other[side]), side == "after", _within(other))


def _parts(raw: object) -> tuple[Condition, ...]:
    if not isinstance(raw, list) or not raw:
        raise ParseError("a list of conditions is needed here")
    return tuple(map(parse_condition, raw))


def _within(raw: Mapping[str, object]) -> float | None:
    return parse_duration(raw["within"]) if "within" in raw else None


def _has(raw: Mapping[str, object]) -> Has:
    where = raw.get("where", {})
    scope = str(raw.get("on", "same_node"))
    if not isinstance(where, Mapping):
        raise ParseError("where is a mapping of a capture to a test")
    if scope not in SCOPES:
        raise ParseError(f"on: {scope!r} is none of {', '.join(SCOPES)}")
    tests = {
        str(key): tuple(map(_text, value)) if isinstance(value, list) else (_text(value),)
        for key, value in where.items()
    }
    _check_patterns(tests)
    return Has(str(raw["signal"]), tests, scope)


def _check_patterns(tests: Mapping[str, tuple[str, ...]]) -> None:
    """A test `~ pattern` that cannot be compiled would only be found where a line is compared with it."""
    stand_ins = dict.fromkeys(references(tests), ("x",))
    for test in (test for found in resolve(tests, stand_ins).values() for test in found):
        if test.startswith(("~", "!~")):
            pattern = test.lstrip("!").removeprefix("~").strip()
            try:
                regex.compile(pattern)
            except (regex.error, RecursionError, OverflowError, MemoryError) as error:
                raise ParseError(f"the pattern {pattern[:200]!r} is not valid: {error}") from None


def _text(value: object) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def _plain(raw: object) -> Has:
    condition = parse_condition(raw)
    if not isinstance(condition, Has):
        raise ParseError("a signal is needed here, not a combination")
    return condition


def _number(raw: Mapping[str, object], key: str) -> int | None:
    value = raw.get(key)
    if value is not None and not isinstance(value, int):
        raise ParseError(f"{key} is a whole number")
    return value


def _sequence(raw: Mapping[str, object]) -> Sequential:
    steps = raw["sequence"]
    parts = _parts(steps)
    optional = frozenset(
        place
        for place, step in enumerate(steps if isinstance(steps, list) else ())
        if isinstance(step, Mapping) and step.get("optional")
    )
    if len(optional) == len(parts):
        raise ParseError("a sequence needs a step that is not optional")
    if len(optional) > MOST_OPTIONAL:
        raise ParseError(f"a sequence has at most {MOST_OPTIONAL} optional steps")
    return Sequential(parts, _within(raw), optional)


def _count(raw: Mapping[str, object]) -> Count:
    return Count(
        parse_condition(raw["count"]),
        _number(raw, "at_least") or 0 if "at_most" in raw else _number(raw, "at_least") or 1,
        _number(raw, "at_most"),
        _within(raw),
    )


def _distinct(raw: Mapping[str, object]) -> Distinct:
    if "of" not in raw:
        raise ParseError("distinct needs `of`: the signal whose captures are counted")
    return Distinct(str(raw["distinct"]), parse_condition(raw["of"]), _number(raw, "at_least") or 2)


def _share(raw: Mapping[str, object]) -> Share:
    least = raw.get("at_least")
    if least is None:
        return Share(_plain(raw["share"]), _number(raw, "exactly"), None)
    text = str(least).strip()
    try:
        share = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise ParseError(f"at_least: {least!r} is not a share such as 90%") from None
    return Share(_plain(raw["share"]), _number(raw, "exactly"), share)


_PARSERS: dict[str, Callable[[Mapping[str, object]], Condition]] = {
    "signal": _has,
    "all": lambda raw: All(_parts(raw["all"]), _within(raw) if "unless" not in raw else None),
    "any": lambda raw: AnyOf(_parts(raw["any"])),
    "not": lambda raw: Not(parse_condition(raw["not"])),
    "count": _count,
    "distinct": _distinct,
    "sequence": _sequence,
    "absent": lambda raw: Absent(_plain(raw["absent"])),
    "first": lambda raw: First(_plain(raw["first"])),
    "share": _share,
}
