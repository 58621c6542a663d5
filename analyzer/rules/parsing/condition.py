"""Convert the `when` of a rule from YAML values to conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import regex

from analyzer.rules.conditions import (
    AbsentSignal,
    AllOf,
    AnyOf,
    Condition,
    Count,
    Distinct,
    FirstNode,
    HasSignal,
    NodeShare,
    Not,
    Sequential,
    Unless,
)
from analyzer.rules.evaluation.captures import find_references, resolve_references
from analyzer.rules.parsing.fields import ESCAPE_ADVICE, suggest_name
from analyzer.rules.parsing.keys import CONDITIONS, SCOPES, SHARED_CONDITION_KEYS, names_of
from analyzer.rules.parsing.yaml_values import YamlList, YamlMapping
from analyzer.signals.compiled_patterns import compile_pattern
from analyzer.signals.types import SourcePosition

_DURATION = regex.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$")
MAX_OPTIONAL_STEPS = 8  # each optional step doubles the ways through a sequence
_UNIT_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, None: 1.0}


class ConditionError(ValueError):
    """What is wrong with a condition, what to write instead, and the position if it is known."""

    def __init__(self, text: str, advice: str, position: SourcePosition | None = None) -> None:
        super().__init__(text)
        self.advice = advice
        self.position = position


def parse_duration(raw: object) -> float:
    """Return `90`, `90s`, `2m`, `1h` or `250ms` in seconds. Raises ConditionError."""
    match = _DURATION.fullmatch(str(raw).strip())
    if not match:
        raise ConditionError(f"{raw!r} is not a duration", "write it as 30s, 2m or 1h")
    return float(match[1]) * _UNIT_SECONDS[match[2]]


def parse_condition(raw: object) -> Condition:
    """Return the condition. Raises ConditionError."""
    try:
        return _parse_head(raw)
    except ConditionError as error:
        if error.position is None and isinstance(raw, YamlMapping):
            error.position = raw.position  # of the innermost mapping that is wrong
        raise


def _parse_head(raw: object) -> Condition:
    if isinstance(raw, str):
        return HasSignal(raw, {})
    if not isinstance(raw, Mapping):
        raise ConditionError(
            f"{raw!r} is not a condition", "write the name of a signal, or a mapping such as {all: [...]}"
        )
    heads = [key for key in _PARSERS if key in raw]
    if len(heads) != 1:
        key_list = ", ".join(map(str, raw)) or "nothing"
        raise ConditionError(f"this condition has {key_list}", f"a condition has exactly one of {', '.join(_PARSERS)}")
    head = heads[0]
    known = names_of(CONDITIONS[head]) | names_of(SHARED_CONDITION_KEYS)
    if unknown := sorted(set(map(str, raw)) - known):
        position = raw.key_position(unknown[0]) if isinstance(raw, YamlMapping) else None
        raise ConditionError(f"{head} does not know {', '.join(unknown)}", suggest_name(unknown[0], known), position)
    condition = _PARSERS[head](raw)
    if "unless" in raw:
        return _parse_unless(condition, raw)
    return condition


def signal_mentions(raw: object, position: SourcePosition) -> Iterator[tuple[str, SourcePosition]]:
    """Yield each signal that the condition names, and its position."""
    if isinstance(raw, str):
        yield raw, position
    elif isinstance(raw, YamlList):
        for part, item_position in zip(raw, raw.positions, strict=True):
            yield from signal_mentions(part, item_position)
    elif isinstance(raw, YamlMapping):
        for key, value in raw.items():
            if (key in _PARSERS and key != "distinct") or key in ("of", "unless", "before", "after"):
                yield from signal_mentions(value, raw.position_of(key))


def _parse_unless(condition: Condition, raw: Mapping[str, object]) -> Condition:
    exception = raw["unless"]
    sides = {"before", "after"} & set(exception) if isinstance(exception, Mapping) else set()
    if not sides or not isinstance(exception, Mapping):
        return AllOf((condition, Not(AllOf((condition, parse_condition(exception)), _parse_within(raw)))))
    if len(sides) > 1 or set(exception) - {"before", "after", "within"}:
        raise ConditionError("unless has both before and after", "write only one of them: {before: ..., within: 5m}")
    if "within" in raw:
        raise ConditionError("within stands beside unless", "write it inside unless: {before: ..., within: 5m}")
    side = sides.pop()
    return Unless(condition, parse_condition(exception[side]), side == "after", _parse_within(exception))


def _parse_parts(raw: object) -> tuple[Condition, ...]:
    if not isinstance(raw, list) or not raw:
        raise ConditionError("a list of conditions is needed here", "write [first_signal, second_signal]")
    return tuple(map(parse_condition, raw))


def _parse_within(raw: Mapping[str, object]) -> float | None:
    return parse_duration(raw["within"]) if "within" in raw else None


def _parse_signal(raw: Mapping[str, object]) -> HasSignal:
    where = raw.get("where", {})
    scope = str(raw.get("on", "same_node"))
    if not isinstance(where, Mapping):
        raise ConditionError("where is not a mapping", 'write a capture and its test: {code: "> 3"}')
    if scope not in SCOPES:
        raise ConditionError(f"on: {scope!r} is not known", suggest_name(scope, SCOPES))
    tests = {
        str(key): tuple(map(_test_text, value)) if isinstance(value, list) else (_test_text(value),)
        for key, value in where.items()
    }
    _check_test_patterns(tests)
    return HasSignal(str(raw["signal"]), tests, scope)


def _check_test_patterns(tests: Mapping[str, tuple[str, ...]]) -> None:
    """Raise ConditionError if a test `~ pattern` cannot be compiled.

    Without this check, the error would occur only when a line is compared with it.
    """
    stand_ins = dict.fromkeys(find_references(tests), ("x",))
    for test in (test for resolved_tests in resolve_references(tests, stand_ins).values() for test in resolved_tests):
        if test.startswith(("~", "!~")):
            pattern = test.lstrip("!").removeprefix("~").strip()
            try:
                compile_pattern(pattern)
            except (regex.error, RecursionError, OverflowError, MemoryError) as error:
                raise ConditionError(f"the pattern {pattern[:200]!r} is not valid: {error}", ESCAPE_ADVICE) from None


def _test_text(value: object) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def _parse_plain_signal(raw: object) -> HasSignal:
    condition = parse_condition(raw)
    if not isinstance(condition, HasSignal):
        raise ConditionError(
            "this condition must be a single signal", "write the name of a signal, or {signal: name, where: {...}}"
        )
    return condition


def _read_whole_number(raw: Mapping[str, object], key: str) -> int | None:
    value = raw.get(key)
    if value is not None and not isinstance(value, int):
        raise ConditionError(f"{key}: {value!r} is not a whole number", "write a whole number")
    return value


def _parse_sequence(raw: Mapping[str, object]) -> Sequential:
    steps = raw["sequence"]
    parts = _parse_parts(steps)
    optional = frozenset(
        index
        for index, step in enumerate(steps if isinstance(steps, list) else ())
        if isinstance(step, Mapping) and step.get("optional")
    )
    if len(optional) == len(parts):
        raise ConditionError("all steps of the sequence are optional", "at least one step must be required")
    if len(optional) > MAX_OPTIONAL_STEPS:
        raise ConditionError(f"{len(optional)} optional steps", f"a sequence has at most {MAX_OPTIONAL_STEPS}")
    return Sequential(parts, _parse_within(raw), optional, raw.get("known") is True)


def _parse_count(raw: Mapping[str, object]) -> Count:
    return Count(
        parse_condition(raw["count"]),
        _read_whole_number(raw, "at_least") or 0 if "at_most" in raw else _read_whole_number(raw, "at_least") or 1,
        _read_whole_number(raw, "at_most"),
        _parse_within(raw),
    )


def _parse_distinct(raw: Mapping[str, object]) -> Distinct:
    if "of" not in raw:
        raise ConditionError(
            "distinct needs `of`", "name the signal whose captures are counted: {distinct: x, of: name}"
        )
    return Distinct(str(raw["distinct"]), parse_condition(raw["of"]), _read_whole_number(raw, "at_least") or 2)


def _parse_share(raw: Mapping[str, object]) -> NodeShare:
    at_least = raw.get("at_least")
    if at_least is None:
        return NodeShare(_parse_plain_signal(raw["share"]), _read_whole_number(raw, "exactly"), None)
    text = str(at_least).strip()
    try:
        share = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise ConditionError(f"at_least: {at_least!r} is not a share of the nodes", "write it as 90%") from None
    return NodeShare(_parse_plain_signal(raw["share"]), _read_whole_number(raw, "exactly"), share)


_PARSERS: dict[str, Callable[[Mapping[str, object]], Condition]] = {
    "signal": _parse_signal,
    "all": lambda raw: AllOf(_parse_parts(raw["all"]), _parse_within(raw) if "unless" not in raw else None),
    "any": lambda raw: AnyOf(_parse_parts(raw["any"])),
    "not": lambda raw: Not(parse_condition(raw["not"])),
    "count": _parse_count,
    "distinct": _parse_distinct,
    "sequence": _parse_sequence,
    "absent": lambda raw: AbsentSignal(_parse_plain_signal(raw["absent"])),
    "first": lambda raw: FirstNode(_parse_plain_signal(raw["first"])),
    "share": _parse_share,
}
