"""The `when` of a rule, from YAML values to conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import regex

from analyzer.rules.captures import references, resolve
from analyzer.rules.compiled import compile_pattern
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
from analyzer.rules.fields import ESCAPE, nearest
from analyzer.rules.keys import CONDITIONS, EVERYWHERE, SCOPES, names_of
from analyzer.rules.places import At, Items, Place

_DURATION = regex.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$")
MOST_OPTIONAL = 8  # steps: each doubles the ways through a sequence
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, None: 1.0}


class ParseError(ValueError):
    """What is wrong with a condition, what to write instead, and where it stands if that is known."""

    def __init__(self, text: str, advice: str, at: At | None = None) -> None:
        super().__init__(text)
        self.advice = advice
        self.at = at


def parse_duration(raw: object) -> float:
    """`90`, `90s`, `2m`, `1h`, `250ms` in seconds."""
    found = _DURATION.fullmatch(str(raw).strip())
    if not found:
        raise ParseError(f"{raw!r} is no time span", "write it as 30s, 2m or 1h")
    return float(found[1]) * _SECONDS[found[2]]


def parse_condition(raw: object) -> Condition:
    """Raises ParseError."""
    try:
        return _parse(raw)
    except ParseError as error:
        if error.at is None and isinstance(raw, Place):
            error.at = raw.where  # the innermost mapping that is wrong
        raise


def _parse(raw: object) -> Condition:
    if isinstance(raw, str):
        return Has(raw, {})
    if not isinstance(raw, Mapping):
        raise ParseError(f"{raw!r} is no condition", "it is a signal's name or a mapping such as {all: [...]}")
    heads = [key for key in _PARSERS if key in raw]
    if len(heads) != 1:
        said = ", ".join(map(str, raw)) or "nothing"
        raise ParseError(f"a condition cannot have {said}", f"it has exactly one of {', '.join(_PARSERS)}")
    head = heads[0]
    known = names_of(CONDITIONS[head]) | names_of(EVERYWHERE)
    if unknown := sorted(set(map(str, raw)) - known):
        at = raw.key_at(unknown[0]) if isinstance(raw, Place) else None
        raise ParseError(f"{head} does not know {', '.join(unknown)}", nearest(unknown[0], known), at)
    condition = _PARSERS[head](raw)
    if "unless" in raw:
        return _unless(condition, raw)
    return condition


def mentions(raw: object, at: At) -> Iterator[tuple[str, At]]:
    """Each signal that a condition names, and where."""
    if isinstance(raw, str):
        yield raw, at
    elif isinstance(raw, Items):
        for part, place in zip(raw, raw.places, strict=True):
            yield from mentions(part, place)
    elif isinstance(raw, Place):
        for key, value in raw.items():
            if (key in _PARSERS and key != "distinct") or key in ("of", "unless", "before", "after"):
                yield from mentions(value, raw.at(key))


def _unless(condition: Condition, raw: Mapping[str, object]) -> Condition:
    other = raw["unless"]
    sides = {"before", "after"} & set(other) if isinstance(other, Mapping) else set()
    if not sides or not isinstance(other, Mapping):
        return All((condition, Not(All((condition, parse_condition(other)), _within(raw)))))
    if len(sides) > 1 or set(other) - {"before", "after", "within"}:
        raise ParseError("unless has before and after", "give it one of them: {before: ..., within: 5m}")
    if "within" in raw:
        raise ParseError("the time span stands beside unless", "write it inside: {before: ..., within: 5m}")
    side = sides.pop()
    return Unless(condition, parse_condition(other[side]), side == "after", _within(other))


def _parts(raw: object) -> tuple[Condition, ...]:
    if not isinstance(raw, list) or not raw:
        raise ParseError("a list of conditions is needed here", "write [first_signal, second_signal]")
    return tuple(map(parse_condition, raw))


def _within(raw: Mapping[str, object]) -> float | None:
    return parse_duration(raw["within"]) if "within" in raw else None


def _has(raw: Mapping[str, object]) -> Has:
    where = raw.get("where", {})
    scope = str(raw.get("on", "same_node"))
    if not isinstance(where, Mapping):
        raise ParseError("where is no mapping", 'write a capture and its test: {code: "> 3"}')
    if scope not in SCOPES:
        raise ParseError(f"on: {scope!r} is not known", nearest(scope, SCOPES))
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
                compile_pattern(pattern)
            except (regex.error, RecursionError, OverflowError, MemoryError) as error:
                raise ParseError(f"the pattern {pattern[:200]!r} is not valid: {error}", ESCAPE) from None


def _text(value: object) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def _plain(raw: object) -> Has:
    condition = parse_condition(raw)
    if not isinstance(condition, Has):
        raise ParseError("a combination stands here", "name a signal, or {signal: name, where: {...}}")
    return condition


def _number(raw: Mapping[str, object], key: str) -> int | None:
    value = raw.get(key)
    if value is not None and not isinstance(value, int):
        raise ParseError(f"{key}: {value!r} is no number", "write a whole number")
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
        raise ParseError("all steps of the sequence are optional", "one must be there, or it would hold for nothing")
    if len(optional) > MOST_OPTIONAL:
        raise ParseError(f"{len(optional)} optional steps", f"a sequence has at most {MOST_OPTIONAL}")
    return Sequential(parts, _within(raw), optional, raw.get("known") is True)


def _count(raw: Mapping[str, object]) -> Count:
    return Count(
        parse_condition(raw["count"]),
        _number(raw, "at_least") or 0 if "at_most" in raw else _number(raw, "at_least") or 1,
        _number(raw, "at_most"),
        _within(raw),
    )


def _distinct(raw: Mapping[str, object]) -> Distinct:
    if "of" not in raw:
        raise ParseError("distinct without `of`", "name the signal whose captures are counted: {distinct: x, of: name}")
    return Distinct(str(raw["distinct"]), parse_condition(raw["of"]), _number(raw, "at_least") or 2)


def _share(raw: Mapping[str, object]) -> Share:
    least = raw.get("at_least")
    if least is None:
        return Share(_plain(raw["share"]), _number(raw, "exactly"), None)
    text = str(least).strip()
    try:
        share = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise ParseError(f"at_least: {least!r} is no share", "write it as 90%") from None
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
