"""Faults that the checks on packs report, and helpers that the checks share."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from dataclasses import dataclass

import regex

from analyzer.rules.builtin_signals import BUILTIN_CAPTURES
from analyzer.rules.conditions import HasSignal
from analyzer.rules.types import Packs, Rule
from analyzer.scan.widen import widen
from analyzer.signals.types import Signal, capture_of_field

_TRACEBACK_CAPTURES = frozenset({"exception", "message", "frame", "path", "lineno", "importing", "chain", "roots"})


@dataclass(frozen=True, slots=True)
class FaultLocation:
    """The file, the keys that lead to the part, and the line to use if the part is not written in the file."""

    file: str
    path: tuple[str, ...]
    line: int = 1


@dataclass(frozen=True, slots=True)
class LintFault:
    """What is wrong, and what to do about it. `hint` says that it is right in some packs."""

    location: FaultLocation
    text: str
    advice: str
    hint: bool = False


LintedFiles = frozenset[str] | None  # the files that are linted; None: all


def is_linted(file: str, files: LintedFiles) -> bool:
    return files is None or file in files


def locate_in_rule(rule: Rule, *path: str) -> FaultLocation:
    return FaultLocation(rule.file, ("rules", rule.id, *path), rule.line)


def locate_in_signal(signal: Signal, file: str, packs: Packs, *path: str) -> FaultLocation:
    """Return the location of a part of a signal: under `signals`, or in the rule that carries its patterns."""
    rule = packs.rules.get(signal.name)
    if rule is not None and rule.file == file:
        return FaultLocation(file, ("rules", signal.name, *path), rule.line)
    return FaultLocation(file, ("signals", signal.name, *path))


def subconditions(condition: object) -> Iterator[object]:
    """Yield the condition and all conditions inside it, for all operators of the language."""
    if isinstance(condition, tuple):
        for part in condition:
            yield from subconditions(part)
    elif dataclasses.is_dataclass(condition):
        yield condition
        for field in dataclasses.fields(condition):
            yield from subconditions(getattr(condition, field.name))


def signal_conditions(condition: object) -> Iterator[HasSignal]:
    """Yield each mention of a signal in a condition."""
    return (part for part in subconditions(condition) if isinstance(part, HasSignal))


def possible_captures(name: str, packs: Packs) -> frozenset[str]:
    """Return the names of the captures that an event of the signal can have."""
    signal = packs.signals.get(name)
    if signal is None:
        return BUILTIN_CAPTURES.get(name, frozenset())
    names = {group for pattern in (*signal.match, *signal.also) for group in named_groups(pattern)} | set(signal.set)
    names |= set(signal.bits) | {capture_of_field(name) for name, _ in signal.fields}
    for lookup in signal.lookup:
        names |= {column for row in packs.tables.get(lookup.table, {}).values() for column in row}
    return frozenset(names | _TRACEBACK_CAPTURES if "traceback" in signal.feeds else names)


@functools.lru_cache(maxsize=16384)
def required_literals(pattern: str) -> frozenset[str]:
    """Return texts in lower case, one of which occurs in each line that the pattern matches.

    Raises re.error.
    """
    return widen(pattern).literals


_GROUP = regex.compile(r"\(\?P?<(\w+)>")


@functools.lru_cache(maxsize=65536)
def named_groups(pattern: str) -> frozenset[str]:
    """Return the named groups, found in the text of the pattern: compiling it costs a hundred times as much."""
    return frozenset(_GROUP.findall(pattern))
