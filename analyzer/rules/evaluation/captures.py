"""Captures of events, and the tests on them.

A name is a capture, or a value of the line's prefix: `line.pid`, `line.tid`, `line.host`, `line.task`, `line.stream`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice, product

import regex

from analyzer.model import Event
from analyzer.signals.types import CaptureTests
from analyzer.signals.value_tests import captures_pass

LINE_PREFIX = "line."
MAX_RESOLVED_TESTS = 1000  # tests that one test with references becomes
_REFERENCE = regex.compile(r"(?<!\\[pPN])\{([A-Za-z_][\w.]*)\}")  # but not the `\p{Lu}` of a pattern


def capture_value(event: Event, name: str) -> str | None:
    """Return the value of a capture, or of the line's prefix for names that begin with `line.`; None if it has none."""
    if not name.startswith(LINE_PREFIX):
        return event.captures.get(name)
    line_values: Mapping[str, object] = {
        "pid": event.pid,
        "tid": event.tid,
        "host": event.host,
        "task": event.task,
        "stream": event.stream,
    }
    value = line_values.get(name.removeprefix(LINE_PREFIX))
    return None if value in (None, "") else str(value)


def aliased_captures(event: Event, aliases: Mapping[str, tuple[str, ...]]) -> Mapping[str, str]:
    """Return the captures, and each alias with the value of the first of its names that the event has."""
    if not aliases:
        return event.captures
    alias_values = {
        alias: value
        for alias, names in aliases.items()
        if (value := next((value for name in names if (value := capture_value(event, name)) is not None), None))
        is not None
    }
    return {**event.captures, **alias_values}


def merge_captures(events: Iterable[Event], aliases: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return all values that the events give to each name, aliases included."""
    values: dict[str, dict[str, None]] = {}
    for event in events:
        for name, value in aliased_captures(event, aliases).items():
            values.setdefault(name, {})[value] = None
    return {name: tuple(distinct_values) for name, distinct_values in values.items()}


def event_matches(where: CaptureTests, event: Event) -> bool:
    """Return whether the event passes all tests. Raises SlowPatternError."""
    if any(name.startswith(LINE_PREFIX) for name, _ in where):
        line_values = {name: value for name, _ in where if (value := capture_value(event, name)) is not None}
        return captures_pass(where, {**event.captures, **line_values})
    return captures_pass(where, event.captures)


def find_references(where: CaptureTests) -> set[str]:
    """Return the names of the anchor's captures that the tests refer to."""
    return {reference[1] for _, tests in where for test in tests for reference in _REFERENCE.finditer(test)}


def resolve_references(where: CaptureTests, anchor_captures: Mapping[str, tuple[str, ...]]) -> CaptureTests:
    """Return the tests with `{pid}` replaced by the anchor's pid: one test for each value that the anchor has.

    Without any value, the result is a test that nothing passes.
    """
    if not any("{" in test for _, tests in where for test in tests):
        return where
    return tuple(
        (
            name,
            tuple(resolved for test in tests for resolved in _resolve_test(test, anchor_captures))
            or NEVER_MATCHING_TEST,
        )
        for name, tests in where
    )


NEVER_MATCHING_TEST = ("~ (?!)",)  # a test that no value passes


def _resolve_test(test: str, anchor_captures: Mapping[str, tuple[str, ...]]) -> Iterable[str]:
    names = list(dict.fromkeys(reference[1] for reference in _REFERENCE.finditer(test)))
    if not names:
        yield test
        return
    is_pattern = test.startswith(("~", "!~"))
    for values in islice(product(*(anchor_captures.get(name, ()) for name in names)), MAX_RESOLVED_TESTS):
        value_by_name = dict(zip(names, values, strict=True))
        texts = {name: regex.escape(value) if is_pattern else value for name, value in value_by_name.items()}
        filled = _REFERENCE.sub(lambda reference: texts[reference[1]], test)  # noqa: B023
        yield f"== {filled}" if _REFERENCE.fullmatch(test) else filled
