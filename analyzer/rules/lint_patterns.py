"""Patterns that cost too much or say nothing."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

import regex

from analyzer.rules.captures import references, resolve
from analyzer.rules.cost import clean_lines, clean_text, stops_per_thousand
from analyzer.rules.danger import Haste, find_explosion, find_nested, matches_nothing
from analyzer.rules.fields import ESCAPE, SHORTEN
from analyzer.rules.lint_types import Fault, Files, Spot, atoms, in_rule, in_signal, is_asked, literals_of
from analyzer.rules.types import Packs, Rule, Signal
from analyzer.scan.price import Price

MOST_STOPS = 10  # of 1,000 clean lines: each is read in Python
DEAR = 0.1  # of the time that the scan takes without the pattern
WEAK = 4  # bytes; a shorter literal makes the scanner stop all the time
# Words of every log: a pattern with nothing rarer in it stops the scanner at most lines.
COMMON = frozenset(
    {
        "info",
        "warn",
        "warning",
        "error",
        "errors",
        "debug",
        "fatal",
        "fail",
        "failed",
        "failure",
        "python",
        "python3",
        "tensorflow",
        "worker",
        "step",
        "steps",
        "epoch",
        "loss",
        "task",
        "node",
        "rank",
        "host",
        "device",
        "kernel",
        "http",
        "https",
        "file",
        "line",
        "time",
        "exception",
        "true",
        "false",
        "none",
        "null",
    }
)


EXACT = "make the inner repeat exact: [^,]+, instead of .*, or \\S+ instead of (\\S+ ?)+"


def check_patterns(packs: Packs, files: Files = None) -> Iterator[Fault]:
    haste = Haste()
    price = Price([pattern for signal in packs.signals.values() for pattern in signal.match], clean_text())
    for pack in packs.packs:
        for signal in pack.signals if is_asked(pack.file, files) else ():
            yield from _check_literals(signal, pack.file, packs)
            yield from _check_shape(signal, pack.file, packs, haste)
            yield from _check_price(signal, pack.file, packs, price)
    for rule in packs.rules.values():
        if is_asked(rule.file, files):
            yield from _check_tests(rule, haste)
    yield from _check_twins(packs)


def _check_literals(signal: Signal, file: str, packs: Packs) -> Iterator[Fault]:
    for number, pattern in enumerate(signal.match):
        spot = _at(signal, file, packs, "match", number)
        try:
            literals = literals_of(pattern)
        except (re.error, RecursionError, OverflowError) as error:
            yield Fault(spot, f"signal {signal.name}: the scanner cannot take {pattern!r}: {error}", SHORTEN)
            continue
        if not literals or min(map(len, literals)) < WEAK:
            text = f"signal {signal.name}: {pattern!r} has no literal of {WEAK} bytes to look for"
            yield Fault(spot, text, "add a word that stands in every such line")
        elif not signal.feeds and (weak := sorted(one for one in literals if one.strip(" :=[](),.'\"") in COMMON)):
            stops = stops_per_thousand(pattern, *_clean())
            if stops > MOST_STOPS:
                text = (
                    f"{pattern!r} is looked for by {weak[0]!r} and stops the scan at {stops / 10:.0f} % of clean lines"
                )
                yield Fault(spot, f"signal {signal.name}: {text}", "add what is rare", hint=True)


def _check_price(signal: Signal, file: str, packs: Packs, price: Price) -> Iterator[Fault]:
    """Signals that feed something are about what stands in ordinary lines: steps, errors, ends."""
    for number, pattern in enumerate(() if signal.feeds else signal.match):
        try:
            share = price.measure(pattern)
        except (re.error, RecursionError, OverflowError):
            continue  # told already
        if share > DEAR:
            text = f"{pattern!r} is looked for in every line, which makes the scan {share:.0%} slower"
            advice = "add a text that must stand there and is rare in ordinary logs"
            yield Fault(_at(signal, file, packs, "match", number), f"signal {signal.name}: {text}", advice, hint=True)


@functools.lru_cache(maxsize=1)
def _clean() -> tuple[str, int]:
    lines = clean_lines(150)
    return "\n".join(lines), len(lines)


def _check_tests(rule: Rule, haste: Haste) -> Iterator[Fault]:
    """Patterns in `where`: `~ pattern`, with anything for what they take from the anchor."""
    for atom in atoms(rule.when):
        stand_ins = dict.fromkeys(references(atom.where), ("x",))
        for name, tests in resolve(atom.where, stand_ins).items():
            for pattern in (
                test.lstrip("!").removeprefix("~").strip() for test in tests if test.startswith(("~", "!~"))
            ):
                try:
                    line = find_explosion(pattern, haste)
                except regex.error:
                    continue
                if line:
                    text = f"rule {rule.id}: where {name}: {pattern!r} explodes, for example on {line!r}"
                    yield Fault(in_rule(rule, "when"), text, EXACT)


def _check_shape(signal: Signal, file: str, packs: Packs, haste: Haste) -> Iterator[Fault]:
    until = (signal.block.until,) if signal.block and signal.block.until else ()
    for key, patterns in (
        ("match", signal.match),
        ("not_match", signal.not_match),
        ("also", signal.also),
        ("block", until),
    ):
        for number, pattern in enumerate(patterns):
            if fault := _shape_of(pattern, haste):
                text = f"signal {signal.name}: {key}: {pattern!r} {fault.text}"
                yield Fault(_at(signal, file, packs, key, number), text, fault.advice, fault.hint)


@functools.lru_cache(maxsize=16384)
def _shape_of(pattern: str, haste: Haste) -> _Shape | None:
    try:
        if matches_nothing(pattern):
            return _Shape("matches the empty string", "add words that must stand there")
        if line := find_explosion(pattern, haste):
            return _Shape(f"explodes, for example on {line!r}", EXACT)
    except regex.error as error:
        return _Shape(f"is not valid: {error}", ESCAPE)
    return _Shape("repeats a repeat", EXACT, hint=True) if find_nested(pattern) else None


@dataclass(frozen=True, slots=True)
class _Shape:
    """What is wrong with a pattern by itself, and what to do."""

    text: str
    advice: str
    hint: bool = False


def _at(signal: Signal, file: str, packs: Packs, key: str, number: int) -> Spot:
    if key == "block":
        return in_signal(signal, file, packs, "block", "until")
    return in_signal(signal, file, packs, key, str(number))


def _check_twins(packs: Packs) -> Iterator[Fault]:
    """One pattern in two signals that are searched in the same kinds of source, with nothing that tells them apart."""
    seen: dict[tuple[str, tuple[str, ...]], Signal] = {}
    for pack in packs.packs:
        for signal in pack.signals:
            for number, pattern in enumerate(signal.match):
                other = seen.setdefault((pattern, signal.not_match), signal)
                if other.name != signal.name and (not other.kinds or not signal.kinds or other.kinds & signal.kinds):
                    rule = packs.rules.get(signal.name)
                    spot = (
                        in_rule(rule, "match", str(number)) if rule else _at(signal, pack.file, packs, "match", number)
                    )
                    text = f"signal {signal.name}: the signal {other.name} has the same pattern"
                    advice = "tell them apart by source or not_match, or let one rule use the other's signal"
                    yield Fault(spot, text, advice, hint=True)
