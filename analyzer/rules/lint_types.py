"""What the checks on packs say, and the words that they share."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from dataclasses import dataclass

import regex

from analyzer.rules.conditions import Has
from analyzer.rules.given import GIVEN
from analyzer.rules.types import Packs, Rule, Signal
from analyzer.scan.widen import widen

_TRACEBACK = frozenset({"exception", "message", "frame", "path", "lineno", "chain", "roots"})


@dataclass(frozen=True, slots=True)
class Spot:
    """A file, the keys that lead to the part, and the line to fall back on."""

    file: str
    path: tuple[str, ...]
    line: int = 1


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, and what to do about it; a hint is right in some packs."""

    spot: Spot
    text: str
    advice: str
    hint: bool = False


Files = frozenset[str] | None  # the files that are linted; None: all


def is_asked(file: str, files: Files) -> bool:
    return files is None or file in files


def in_rule(rule: Rule, *path: str) -> Spot:
    return Spot(rule.file, ("rules", rule.id, *path), rule.line)


def in_signal(signal: Signal, file: str, packs: Packs, *path: str) -> Spot:
    """A signal stands under `signals`, or inside the rule that carries its patterns."""
    rule = packs.rules.get(signal.name)
    if rule is not None and rule.file == file:
        return Spot(file, ("rules", signal.name, *path), rule.line)
    return Spot(file, ("signals", signal.name, *path))


def parts(condition: object) -> Iterator[object]:
    """The condition and all conditions in it, whatever operators the language has."""
    if isinstance(condition, tuple):
        for part in condition:
            yield from parts(part)
    elif dataclasses.is_dataclass(condition):
        yield condition
        for field in dataclasses.fields(condition):
            yield from parts(getattr(condition, field.name))


def atoms(condition: object) -> Iterator[Has]:
    """Every mention of a signal in a condition."""
    return (part for part in parts(condition) if isinstance(part, Has))


def captures_of(name: str, packs: Packs) -> frozenset[str]:
    """What an event of the signal may capture."""
    signal = packs.signals.get(name)
    if signal is None:
        return GIVEN.get(name, frozenset())
    own = {group for pattern in (*signal.match, *signal.also) for group in groups_of(pattern)} | set(signal.set)
    own |= set(signal.bits)
    for lookup in signal.lookup:
        own |= {column for row in packs.tables.get(lookup.table, {}).values() for column in row}
    return frozenset(own | _TRACEBACK if "traceback" in signal.feeds else own)


@functools.lru_cache(maxsize=16384)
def literals_of(pattern: str) -> frozenset[str]:
    """Texts one of which stands in every line that the pattern matches, in lower case. Raises re.error."""
    return widen(pattern).literals


_GROUP = regex.compile(r"\(\?P?<(\w+)>")


@functools.lru_cache(maxsize=65536)
def groups_of(pattern: str) -> frozenset[str]:
    """Named groups, read off the text: compiling costs a hundred times as much."""
    return frozenset(_GROUP.findall(pattern))
