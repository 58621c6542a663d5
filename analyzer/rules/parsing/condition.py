"""Convert the `when` of a rule from YAML values to conditions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial

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
    OddNode,
    Sequential,
    Unless,
    Window,
)
from analyzer.rules.parsing.condition_errors import ConditionError, collect_results
from analyzer.rules.parsing.fields import suggest_name
from analyzer.rules.parsing.impossible import brings_event, check_all_parts, check_exception, check_rule_condition
from analyzer.rules.parsing.impossible import check_step as check_step_condition
from analyzer.rules.parsing.keys import CONDITIONS, EXCEPTION_SIDES, SCOPES, STEP, TIMELESS, names_of
from analyzer.rules.parsing.where import parse_where
from analyzer.rules.parsing.yaml_values import YamlList, YamlMapping
from analyzer.signals.types import SourcePosition

_DURATION = regex.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$")
MAX_OPTIONAL_STEPS = 8  # each optional step doubles the ways through a sequence
_UNIT_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, None: 1.0}
_OLD_SCOPE_KEY = "on"
_OLD_SCOPE_ADVICE = "write at: instead of on:, which many YAML readers take for `true`"


def parse_duration(raw: object) -> float:
    """Return `90`, `90s`, `2m`, `1h` or `250ms` in seconds. Raises ConditionError."""
    match = _DURATION.fullmatch(str(raw).strip())
    if not match:
        raise ConditionError(f"{raw!r} is not a duration", "write it as 30s, 2m or 1h")
    return float(match[1]) * _UNIT_SECONDS[match[2]]


def parse_rule_condition(raw: object) -> Condition:
    """Return the condition of a rule. Raises ConditionError, also for a condition that can never hold."""
    condition = parse_condition(raw)
    check_rule_condition(condition)
    return condition


def parse_condition(raw: object, is_step: bool = False) -> Condition:
    """Return the condition. `is_step` says that it is a step of a sequence. Raises ConditionError."""
    try:
        return _parse_head(raw, is_step)
    except ConditionError as error:
        for part in error.all_errors():
            if part.position is None and isinstance(raw, YamlMapping):
                part.position = raw.position  # of the innermost mapping that is wrong
        raise


def _parse_head(raw: object, is_step: bool) -> Condition:
    if isinstance(raw, str):
        return HasSignal(raw)
    if not isinstance(raw, Mapping):
        raise ConditionError(
            f"{raw!r} is not a condition", "write the name of a signal, or a mapping such as {all: [...]}"
        )
    heads = [key for key in _PARSERS if key in raw]
    if len(heads) != 1:
        key_list = ", ".join(map(str, raw)) or "nothing"
        raise ConditionError(f"this condition has {key_list}", f"a condition has exactly one of {', '.join(_PARSERS)}")
    head = heads[0]
    parsers: list[Callable[[], Condition | None]] = [
        partial(_check_keys, head, raw, is_step),
        lambda: _PARSERS[head](raw),
    ]
    if "unless" in raw:
        parsers.append(lambda: _parse_exception(raw["unless"]))
    condition, *exceptions = (part for part in collect_results(parsers) if part is not None)
    if isinstance(condition, AllOf):
        check_all_parts(condition.parts)
    return _parse_unless(condition, exceptions[0], raw, head) if exceptions else condition


def _check_keys(head: str, raw: Mapping[str, object], is_step: bool) -> None:
    valid_keys = names_of(CONDITIONS[head]) | (names_of(STEP) if is_step else frozenset())
    unknown = [key for key in map(str, raw) if key not in valid_keys]
    if "within" in unknown and head not in TIMELESS and "unless" in raw:
        unknown.remove("within")  # it is the window of the exception
    if not unknown:
        return
    key = unknown[0]
    position = raw.key_position(key) if isinstance(raw, YamlMapping) else None
    raise ConditionError(f"{head} does not know {', '.join(unknown)}", _advise_key(head, key, valid_keys), position)


def _advise_key(head: str, key: str, valid_keys: frozenset[str]) -> str:
    if key == "within":
        return f"{head} has no window; all, count, distinct and sequence have one, and `unless` has"
    if key == "optional":
        return "only a step of a sequence can be optional"
    if key == _OLD_SCOPE_KEY:
        return _OLD_SCOPE_ADVICE
    return suggest_name(key, valid_keys)


def signal_mentions(raw: object, position: SourcePosition) -> Iterator[tuple[str, SourcePosition]]:
    """Yield each signal that the condition names, and its position."""
    if isinstance(raw, str):
        yield raw, position
    elif isinstance(raw, YamlList):
        for part, item_position in zip(raw, raw.positions, strict=True):
            yield from signal_mentions(part, item_position)
    elif isinstance(raw, YamlMapping):
        for key, value in raw.items():
            if (key in _PARSERS and key not in ("distinct", "odd")) or key in ("of", "unless", *EXCEPTION_SIDES):
                yield from signal_mentions(value, raw.position_of(key))


def _parse_exception(raw: object) -> Condition:
    """Return the condition of an exception, without its side and window."""
    sides = [side for side in EXCEPTION_SIDES if isinstance(raw, Mapping) and side in raw]
    if not sides or not isinstance(raw, Mapping):
        return parse_condition(raw)
    if len(sides) > 1:
        raise ConditionError(f"unless has {' and '.join(sides)}", "write only one of them: {before: ..., within: 5m}")
    if unknown := set(raw) - {sides[0], "within"}:
        key = sorted(unknown)[0]
        raise ConditionError(f"unless does not know {key}", suggest_name(key, {*EXCEPTION_SIDES, "within"}))
    return parse_condition(raw[sides[0]])


def _parse_unless(condition: Condition, exception: Condition, raw: Mapping[str, object], head: str) -> Condition:
    exception_raw = raw["unless"]
    side_raw = exception_raw if isinstance(exception_raw, Mapping) else {}
    side = next((side for side in EXCEPTION_SIDES if side in side_raw), "around")
    if side == "between":
        return _parse_between(condition, exception, side_raw)
    if side != "around" and "within" in raw and "within" not in names_of(CONDITIONS[head]):
        raise ConditionError("within belongs inside unless", "write it inside unless: {before: ..., within: 5m}")
    within = _parse_within(raw if side == "around" else side_raw)
    excepted = Unless(
        condition, exception, "before" if side == "before" else "after" if side == "after" else "around", within
    )
    check_exception(excepted)
    return excepted


def _parse_between(condition: Condition, exception: Condition, side_raw: Mapping[str, object]) -> Condition:
    if not isinstance(condition, Sequential):
        advice = "only a sequence has steps; write unless: {before: ...} or {after: ...}"
        raise ConditionError("unless: between needs a sequence", advice)
    if "within" in side_raw:
        raise ConditionError("unless: between does not take within", "the first and the last step limit it")
    if not brings_event(exception):
        advice = "name a signal; a negation has no time at which it happens"
        raise ConditionError("the exception names only what must not be there, so it has no time", advice)
    return Sequential(
        parts=condition.parts,
        window=condition.window,
        optional=condition.optional,
        certain_order=condition.certain_order,
        absent_between=exception,
    )


def _parse_parts(raw: object, are_steps: bool = False) -> tuple[Condition, ...]:
    if not isinstance(raw, list) or not raw:
        raise ConditionError("a list of conditions is needed here", "write [first_signal, second_signal]")
    return tuple(collect_results(partial(parse_condition, item, are_steps) for item in raw))


def _parse_within(raw: Mapping[str, object]) -> float | None:
    """Return the window in seconds. A sequence may have a lower bound too (`_parse_window`); here it does not count."""
    within = raw.get("within")
    if isinstance(within, Mapping):
        within = within.get("le")
    return None if within is None else parse_duration(within)


def _parse_signal(raw: Mapping[str, object]) -> HasSignal:
    scope = str(raw.get("at", "same_node"))
    if scope not in SCOPES:
        raise ConditionError(f"at: {scope!r} is not known", suggest_name(scope, SCOPES))
    return HasSignal(str(raw["signal"]), parse_where(raw.get("where", {})), scope)


def _parse_plain_signal(raw: object) -> HasSignal:
    condition = parse_condition(raw)
    if not isinstance(condition, HasSignal):
        raise ConditionError(
            "this condition must be a single signal", "write the name of a signal, or {signal: name, where: {...}}"
        )
    return condition


def _read_whole_number(raw: Mapping[str, object], key: str) -> int | None:
    value = raw.get(key)
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
        raise ConditionError(f"{key}: {value!r} is not a whole number", "write a whole number")
    return value


def _read_flag(raw: Mapping[str, object], key: str) -> bool:
    value = raw.get(key, False)
    if not isinstance(value, bool):
        raise ConditionError(f"{key}: {value!r} is neither true nor false", "write true or false")
    return value


def _parse_all(raw: Mapping[str, object]) -> AllOf:
    return AllOf(_parse_parts(raw["all"]), _parse_plain_window(raw))


def _parse_plain_window(raw: Mapping[str, object]) -> float | None:
    if isinstance(raw.get("within"), Mapping):
        raise ConditionError("only a sequence has a lower bound of its window", "write within: 30s")
    return _parse_within(raw)


def _parse_sequence(raw: Mapping[str, object]) -> Sequential:
    steps = raw["sequence"]
    parts = _parse_parts(steps, are_steps=True)
    optional = frozenset(
        index
        for index, step in enumerate(steps if isinstance(steps, list) else ())
        if isinstance(step, Mapping) and _read_flag(step, "optional")
    )
    collect_results(partial(check_step_condition, part) for part in parts)
    if len(optional) == len(parts):
        raise ConditionError("all steps of the sequence are optional", "at least one step must be required")
    if len(parts) < 2:
        raise ConditionError("a sequence of one step has no order", "write the step alone, or add another one")
    if len(optional) > MAX_OPTIONAL_STEPS:
        raise ConditionError(f"{len(optional)} optional steps", f"a sequence has at most {MAX_OPTIONAL_STEPS}")
    return Sequential(parts, _parse_window(raw, len(parts), optional), optional, _read_flag(raw, "known"))


def _parse_window(raw: Mapping[str, object], step_count: int, optional: frozenset[int]) -> Window | None:
    opens_at = _read_whole_number(raw, "from")
    if "within" not in raw:
        if opens_at is not None:
            raise ConditionError("from needs within", "say how long the window is: {from: 2, within: 30s}")
        return None
    within = raw["within"]
    bounds = within if isinstance(within, Mapping) else {"le": within}
    if unknown := sorted(set(map(str, bounds)) - {"ge", "le"}) or ([] if bounds else ["nothing"]):
        raise ConditionError(f"within has {unknown[0]}", "write it as 30s, or {ge: 5s, le: 30s}")
    shortest = parse_duration(bounds["ge"]) if "ge" in bounds else 0.0
    longest = parse_duration(bounds["le"]) if "le" in bounds else math.inf
    if shortest > longest:
        raise ConditionError("within: no time lies in this range", "the lower bound must be below the upper one")
    if opens_at is not None and (not 1 <= opens_at < step_count or opens_at - 1 in optional):
        advice = f"name a step that is required and not the last one: 1 to {step_count - 1}"
        raise ConditionError(f"from: no window can open at step {opens_at}", advice)
    if shortest and step_count - 1 in optional:
        raise ConditionError("within has a lower bound, and the last step is optional", "make the last step required")
    return Window(longest, shortest, 0 if opens_at is None else opens_at - 1)


def _parse_count(raw: Mapping[str, object]) -> Count:
    of = parse_condition(raw["count"])
    at_least, at_most = _read_whole_number(raw, "at_least"), _read_whole_number(raw, "at_most")
    if not brings_event(of):
        raise ConditionError("count counts events, and a negation has none", "count a signal")
    if at_most is not None and (at_least or 0) > at_most:
        text = f"at_least: {at_least} is more than at_most: {at_most}, so the count never holds"
        raise ConditionError(text, "exchange the two bounds")
    if at_least == 0 and at_most is None:
        raise ConditionError("a count of at least 0 always holds", "write at_least: 1 or more, or at_most")
    default = 1 if at_most is None else 0
    return Count(of, default if at_least is None else at_least, at_most, _parse_plain_window(raw))


def _parse_distinct(raw: Mapping[str, object]) -> Distinct:
    if "of" not in raw:
        raise ConditionError(
            "distinct needs `of`", "name the signal whose captures are counted: {distinct: x, of: name}"
        )
    of, at_least = parse_condition(raw["of"]), _read_whole_number(raw, "at_least")
    if not brings_event(of):
        raise ConditionError("distinct compares events, and a negation has none", "name a signal in `of`")
    if at_least == 0:
        raise ConditionError("at least 0 different values always exist", "write at_least: 1 or more")
    return Distinct(str(raw["distinct"]), of, 2 if at_least is None else at_least, _parse_plain_window(raw))


def _parse_odd(raw: Mapping[str, object]) -> OddNode:
    if "of" not in raw:
        raise ConditionError("odd needs `of`", "name the signal whose captures are compared: {odd: x, of: name}")
    part = _parse_plain_signal(raw["of"])
    if part.at != "same_node":
        raise ConditionError(f"odd compares all nodes, so `at: {part.at}` has no effect", "remove `at`")
    return OddNode(str(raw["odd"]), part)


def _parse_share(raw: Mapping[str, object]) -> NodeShare:
    part, exactly, at_least = _parse_plain_signal(raw["share"]), _read_whole_number(raw, "exactly"), raw.get("at_least")
    if exactly is None and at_least is None:
        raise ConditionError("share has no bound", "write exactly: 1, or at_least: 90%")
    if exactly == 0:
        raise ConditionError("exactly: 0 never holds", "the node itself has the signal; use not, or absent")
    if at_least is None:
        return NodeShare(part, exactly, None)
    text = str(at_least).strip()
    try:
        share = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise ConditionError(f"at_least: {at_least!r} is not a share of the nodes", "write it as 90%") from None
    if not 0 < share <= 1:
        raise ConditionError(f"at_least: {at_least!r} is not a share of the nodes", "it is above 0% and at most 100%")
    return NodeShare(part, exactly, share)


_PARSERS: dict[str, Callable[[Mapping[str, object]], Condition]] = {
    "signal": _parse_signal,
    "all": _parse_all,
    "any": lambda raw: AnyOf(_parse_parts(raw["any"])),
    "not": lambda raw: Not(parse_condition(raw["not"])),
    "count": _parse_count,
    "distinct": _parse_distinct,
    "sequence": _parse_sequence,
    "absent": lambda raw: AbsentSignal(_parse_plain_signal(raw["absent"])),
    "first": lambda raw: FirstNode(_parse_plain_signal(raw["first"])),
    "share": _parse_share,
    "odd": _parse_odd,
}
