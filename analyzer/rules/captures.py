"""What an event says under a name: its captures, and what the prefix of its line says (`line.pid`, `line.task`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice, product

import regex

from analyzer.model import Event
from analyzer.rules.values import where_holds

PREFIX = "line."
MOST = 1000  # tests that one reference becomes
_REFERENCE = regex.compile(r"(?<!\\[pPN])\{([A-Za-z_][\w.]*)\}")  # not the `\p{Lu}` of a pattern


def value_of(event: Event, name: str) -> str | None:
    """A capture, or `line.pid`, `line.tid`, `line.host`, `line.task`, `line.stream`: what stands before the message."""
    if not name.startswith(PREFIX):
        return event.captures.get(name)
    said: Mapping[str, object] = {
        "pid": event.pid,
        "tid": event.tid,
        "host": event.host,
        "task": event.task,
        "stream": event.stream,
    }
    value = said.get(name.removeprefix(PREFIX))
    return None if value in (None, "") else str(value)


def said_by(event: Event, aliases: Mapping[str, tuple[str, ...]]) -> Mapping[str, str]:
    """The captures, and each alias with the first of its names that the event has."""
    if not aliases:
        return event.captures
    named = {
        alias: value
        for alias, names in aliases.items()
        if (value := next((value for name in names if (value := value_of(event, name)) is not None), None)) is not None
    }
    return {**event.captures, **named}


def said_by_all(events: Iterable[Event], aliases: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Every value that the events give to a name."""
    values: dict[str, dict[str, None]] = {}
    for event in events:
        for name, value in said_by(event, aliases).items():
            values.setdefault(name, {})[value] = None
    return {name: tuple(found) for name, found in values.items()}


def matches(where: Mapping[str, tuple[str, ...]], event: Event) -> bool:
    """Whether the event passes all tests."""
    if any(name.startswith(PREFIX) for name in where):
        told = {name: value for name in where if (value := value_of(event, name)) is not None}
        return where_holds(where, {**event.captures, **told})
    return where_holds(where, event.captures)


def references(where: Mapping[str, tuple[str, ...]]) -> set[str]:
    """Names of the anchor's captures that tests refer to."""
    return {found[1] for tests in where.values() for test in tests for found in _REFERENCE.finditer(test)}


def resolve(where: Mapping[str, tuple[str, ...]], said: Mapping[str, tuple[str, ...]]) -> Mapping[str, tuple[str, ...]]:
    """`{pid}` in a test becomes the anchor's pid: one test for each value it has. Where it has none, nothing passes."""
    if not any("{" in test for tests in where.values() for test in tests):
        return where
    return {
        name: tuple(ready for test in tests for ready in _resolve(test, said)) or NEVER for name, tests in where.items()
    }


NEVER = ("~ (?!)",)  # a test that no value passes


def _resolve(test: str, said: Mapping[str, tuple[str, ...]]) -> Iterable[str]:
    names = list(dict.fromkeys(found[1] for found in _REFERENCE.finditer(test)))
    if not names:
        yield test
        return
    is_pattern = test.startswith(("~", "!~"))
    for values in islice(product(*(said.get(name, ()) for name in names)), MOST):
        chosen = dict(zip(names, values, strict=True))
        filled = _REFERENCE.sub(lambda found: regex.escape(chosen[found[1]]) if is_pattern else chosen[found[1]], test)  # noqa: B023
        yield f"== {filled}" if _REFERENCE.fullmatch(test) else filled
