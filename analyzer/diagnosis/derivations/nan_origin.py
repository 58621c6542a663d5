"""The member of a job whose losses or gradients were NaN before those of all others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from analyzer.diagnosis.derivation_context import DerivationContext, derives
from analyzer.formats import read_line
from analyzer.model import Event
from analyzer.signals.derived import FIRST_NOT_FINITE
from analyzer.untrusted.numbers import read_whole
from analyzer.wording import join_names

MAX_CHARS = 400  # of a step's line
MAX_NAMED = 20  # other nodes
_search_number = re.compile(r"(?<![\w.])\d{1,12}(?![\w.:])").search
_find_values = re.compile(r"(?i)([\w./-]{1,60})[\"']?\s{0,2}[:= ]\s{0,2}[-+]?(?:nan|inf)\b").findall
_find_finite = re.compile(r"([\w./-]{1,60})[\"']?\s{0,2}[:= ]\s{0,2}[-+]?\d").findall
_find_words = re.compile(r"[^\W\d_]\w*").findall


class _FirstValues(NamedTuple):
    """The first line of a node with such values: the word before its step, the step, the values' names, the message."""

    label: str
    step: int
    names: tuple[str, ...]
    text: str
    event: Event


@derives(FIRST_NOT_FINITE)
def derive_first_not_finite(context: DerivationContext) -> Iterator[Event]:
    """Of the nodes whose lines have one form, one shows a NaN in an earlier step, or in more values of the same step.

    Steps need no clocks: all members count the same ones. The step is the first whole number of a line.
    """
    firsts: dict[str, _FirstValues] = {}
    for event in context.not_finite:
        values = _read_values(event)
        if values and event.node and (event.node not in firsts or values.step < firsts[event.node].step):
            firsts[event.node] = values
    if len(firsts) < 2 or len({values.label for values in firsts.values()}) > 1:
        return
    (node, first), (_, second), *_ = sorted(firsts.items(), key=lambda item: _order(item[1]))
    others = sorted(firsts.keys() - {node})
    if _order(first) == _order(second) or not all(_was_finite(name, firsts[name], first, context) for name in others):
        return
    yield from context.derive(
        FIRST_NOT_FINITE,
        node,
        [first.event],
        where=f"{first.label} {first.step}",
        what=", ".join(first.names),
        nodes=join_names(others, MAX_NAMED),
    )


def _was_finite(node: str, own: _FirstValues, first: _FirstValues, context: DerivationContext) -> bool:
    """Return whether a node logs a finite number for the step and value that are not finite in `first`."""
    if own.step == first.step:
        missing = set(first.names) - set(own.names)
        return bool(missing) and missing <= set(_find_finite(own.text))
    steps = (read_whole(event.captures.get("step")) for event in context.activities[node].step_events)
    return any(step is not None and first.step <= step < own.step for step in steps)


def _order(values: _FirstValues) -> tuple[int, int]:
    return values.step, -len(values.names)


def _read_values(event: Event) -> _FirstValues | None:
    text = read_line(event.text[:MAX_CHARS]).message
    number = _search_number(text)
    if number is None:
        return None
    words = _find_words(text[: number.start()])
    return _FirstValues(
        label=words[-1] if words else "step",
        step=int(number[0]),
        names=tuple(_find_values(text)),
        text=text,
        event=event,
    )
