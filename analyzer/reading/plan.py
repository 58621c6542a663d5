"""All signals made ready to read with: one scanner, and each signal's confirming patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import regex

from analyzer.model import Kind
from analyzer.rules.types import Packs, Signal
from analyzer.scan import Scanner, build_scanner

Compiled = regex.Pattern[str]


@dataclass(frozen=True, slots=True)
class Ready:
    """A signal with its patterns compiled."""

    signal: Signal
    match: tuple[Compiled, ...]
    not_match: tuple[Compiled, ...]
    also: tuple[Compiled, ...]
    until: Compiled | None


@dataclass(frozen=True, slots=True)
class Plan:
    """`owners[i]` is the index in `ready` of the signal whose pattern has index i in the scanner."""

    scanner: Scanner
    ready: tuple[Ready, ...]
    owners: tuple[int, ...]
    tables: Mapping[str, Mapping[str, Mapping[str, str]]]
    problems: tuple[str, ...] = ()


def build_plan(packs: Packs, cache: Path | None = None) -> Plan:
    """Signals whose pattern no scanner takes are left out and named in `problems`."""
    ready: list[Ready] = []
    patterns: list[str] = []
    owners: list[int] = []
    problems: list[str] = []
    for signal in packs.signals.values():
        if signal.kinds and signal.kinds <= {Kind.DERIVED, Kind.CORE}:
            continue
        for pattern in signal.match:
            try:
                re.compile(pattern)
            except re.error:
                problems.append(f"signal {signal.name}: {pattern!r} is beyond the scanner's syntax and is not searched for")
                continue
            patterns.append(pattern)
            owners.append(len(ready))
        ready.append(_make_ready(signal))
    return Plan(build_scanner(patterns, cache), tuple(ready), tuple(owners), packs.tables, tuple(problems))


def _make_ready(signal: Signal) -> Ready:
    until = signal.block.until if signal.block else None
    return Ready(
        signal,
        tuple(map(_compile, signal.match)),
        tuple(map(_compile, signal.not_match)),
        tuple(map(_compile, signal.also)),
        None if until is None else _compile(until),
    )


def _compile(pattern: str) -> Compiled:
    return regex.compile(pattern)


def names(ready: Iterable[Ready]) -> list[str]:
    return [one.signal.name for one in ready]
