"""The `when` of a rule, from YAML values to conditions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import regex

from analyzer.rules.conditions import (
    SCOPES,
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
)

_DURATION = regex.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$")
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
        raise ParseError(f"a condition has exactly one of {', '.join(_PARSERS)}; this one has {', '.join(map(str, raw)) or 'none'}")
    head = heads[0]
    parse, known = _PARSERS[head]
    if unknown := set(raw) - known - {head, "unless", "within"}:
        raise ParseError(f"{head} does not know {', '.join(sorted(map(str, unknown)))}")
    condition = parse(raw)
    if "unless" in raw:
        window = _within(raw)
        return All((condition, Not(All((condition, parse_condition(raw["unless"])), window))))
    return condition


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
    tests = {str(key): tuple(map(_text, value)) if isinstance(value, list) else (_text(value),) for key, value in where.items()}
    return Has(str(raw["signal"]), tests, scope)


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


def _count(raw: Mapping[str, object]) -> Count:
    return Count(parse_condition(raw["count"]), _number(raw, "at_least") or 0 if "at_most" in raw else _number(raw, "at_least") or 1,
                 _number(raw, "at_most"), _within(raw))


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


_PARSERS: dict[str, tuple[Callable[[Mapping[str, object]], Condition], set[str]]] = {
    "signal": (_has, {"where", "on"}),
    "all": (lambda raw: All(_parts(raw["all"]), _within(raw) if "unless" not in raw else None), set()),
    "any": (lambda raw: AnyOf(_parts(raw["any"])), set()),
    "not": (lambda raw: Not(parse_condition(raw["not"])), set()),
    "count": (_count, {"at_least", "at_most"}),
    "distinct": (_distinct, {"of", "at_least"}),
    "sequence": (lambda raw: Sequential(_parts(raw["sequence"]), _within(raw)), set()),
    "absent": (lambda raw: Absent(_plain(raw["absent"])), set()),
    "first": (lambda raw: First(_plain(raw["first"])), set()),
    "share": (_share, {"exactly", "at_least"}),
}
