"""Check patterns: those that cost too much, and those that are too general."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

import regex

from analyzer.rules.evaluation.captures import find_references, resolve_references
from analyzer.rules.linting.backtracking import (
    SearchTimeLimit,
    find_backtracking_line,
    has_ambiguous_nesting,
    matches_empty,
)
from analyzer.rules.linting.faults import (
    FaultLocation,
    LintedFiles,
    LintFault,
    is_linted,
    locate_in_rule,
    locate_in_signal,
    required_literals,
    signal_conditions,
)
from analyzer.rules.linting.pattern_cost import clean_lines, clean_text, stops_per_thousand
from analyzer.rules.parsing.fields import ESCAPE_ADVICE, SHORTEN_ADVICE
from analyzer.rules.types import Packs, Rule
from analyzer.scan.pattern_check import ScanSlowdown
from analyzer.scan.pattern_memo import remember_sound
from analyzer.signals.types import Signal

MAX_STOPS_PER_THOUSAND = 10  # in 1,000 clean lines; Python confirms each stop
MAX_SCAN_SLOWDOWN = 0.1  # share of the time that the scan takes without the pattern
MIN_LITERAL_BYTES = 4  # a shorter literal makes the scanner stop too often
# Words of every log: a pattern without a rarer word stops the scanner at most lines.
COMMON_WORDS = frozenset(
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


EXACT_REPEAT_ADVICE = "make the inner repeat exact: [^,]+, instead of .*, or \\S+ instead of (\\S+ ?)+"


def check_patterns(packs: Packs, files: LintedFiles = None) -> Iterator[LintFault]:
    time_limit = SearchTimeLimit()
    slowdown = ScanSlowdown([pattern for signal in packs.signals.values() for pattern in signal.match], clean_text())
    for pack in packs.packs:
        for signal in pack.signals if is_linted(pack.file, files) else ():
            yield from _check_literals(signal, pack.file, packs)
            yield from _check_pattern_shapes(signal, pack.file, packs, time_limit)
            yield from _check_scan_slowdown(signal, pack.file, packs, slowdown)
    for rule in packs.rules.values():
        if is_linted(rule.file, files):
            yield from _check_where_patterns(rule, time_limit)
    yield from _check_duplicate_patterns(packs)


def _check_literals(signal: Signal, file: str, packs: Packs) -> Iterator[LintFault]:
    for index, pattern in enumerate(signal.match):
        location = _locate_pattern(signal, file, packs, "match", index)
        try:
            literals = required_literals(pattern)
        except (re.error, RecursionError, OverflowError) as error:
            yield LintFault(
                location, f"signal {signal.name}: the scanner cannot use {pattern!r}: {error}", SHORTEN_ADVICE
            )
            continue
        if not literals or min(map(len, literals)) < MIN_LITERAL_BYTES:
            text = f"signal {signal.name}: {pattern!r} has no literal of {MIN_LITERAL_BYTES} bytes to look for"
            yield LintFault(location, text, "add a word that occurs in every such line", hint=bool(literals))
        elif not signal.feeds and (
            common_literals := sorted(literal for literal in literals if literal.strip(" :=[](),.'\"") in COMMON_WORDS)
        ):
            stops = stops_per_thousand(pattern, *_clean_log())
            if stops > MAX_STOPS_PER_THOUSAND:
                text = (
                    f"the scan searches for {pattern!r} by {common_literals[0]!r}, which is common in logs: it "
                    f"stops the scan at {stops / 10:.0f} % of clean lines"
                )
                yield LintFault(
                    location, f"signal {signal.name}: {text}", "add a text that is rare in ordinary logs", hint=True
                )


def _check_scan_slowdown(signal: Signal, file: str, packs: Packs, slowdown: ScanSlowdown) -> Iterator[LintFault]:
    """Yield a hint for each pattern that slows the scan too much.

    Signals that feed something are exempt: they describe ordinary lines, such as steps, errors and ends.
    """
    for index, pattern in enumerate(() if signal.feeds else signal.match):
        try:
            share = _find_slowdown(pattern, slowdown.fingerprint, slowdown)
        except (re.error, RecursionError, OverflowError):
            continue  # _check_literals reports it
        if share is not None:
            text = f"{pattern!r} is searched in every line, which makes the scan {share:.0%} slower"
            advice = "add a text that every such line contains and that is rare in ordinary logs"
            yield LintFault(
                _locate_pattern(signal, file, packs, "match", index), f"signal {signal.name}: {text}", advice, hint=True
            )


@remember_sound
def _find_slowdown(pattern: str, fingerprint: str, slowdown: ScanSlowdown) -> float | None:
    """Return by what share the pattern slows the scan down if that is too much. `fingerprint` is that of `slowdown`."""
    share = slowdown.measure(pattern)
    return share if share > MAX_SCAN_SLOWDOWN else None


@functools.lru_cache(maxsize=1)
def _clean_log() -> tuple[str, int]:
    lines = clean_lines(150)
    return "\n".join(lines), len(lines)


def _check_where_patterns(rule: Rule, time_limit: SearchTimeLimit) -> Iterator[LintFault]:
    """Check the patterns of `where`: `~ pattern`, with a stand-in for each of the anchor's captures."""
    for condition in signal_conditions(rule.when):
        stand_ins = dict.fromkeys(find_references(condition.where), ("x",))
        for name, tests in resolve_references(condition.where, stand_ins):
            for pattern in (
                test.lstrip("!").removeprefix("~").strip() for test in tests if test.startswith(("~", "!~"))
            ):
                try:
                    line = find_backtracking_line(pattern, time_limit)
                except regex.error:
                    continue
                if line:
                    text = f"rule {rule.id}: where {name}: {pattern!r} takes exponential time, for example on {line!r}"
                    yield LintFault(locate_in_rule(rule, "when"), text, EXACT_REPEAT_ADVICE)


def _check_pattern_shapes(signal: Signal, file: str, packs: Packs, time_limit: SearchTimeLimit) -> Iterator[LintFault]:
    until = (signal.block.until,) if signal.block and signal.block.until else ()
    for key, patterns in (
        ("match", signal.match),
        ("not_match", signal.not_match),
        ("also", signal.also),
        ("block", until),
    ):
        for index, pattern in enumerate(patterns):
            if fault := _find_shape_fault(pattern, time_limit):
                text = f"signal {signal.name}: {key}: {pattern!r} {fault.text}"
                yield LintFault(_locate_pattern(signal, file, packs, key, index), text, fault.advice, fault.hint)


@remember_sound
def _find_shape_fault(pattern: str, time_limit: SearchTimeLimit) -> _ShapeFault | None:
    try:
        if matches_empty(pattern):
            return _ShapeFault("matches the empty string", "add words that must occur in the line")
        if line := find_backtracking_line(pattern, time_limit):
            return _ShapeFault(f"takes exponential time, for example on {line!r}", EXACT_REPEAT_ADVICE)
    except regex.error as error:
        return _ShapeFault(f"is not valid: {error}", ESCAPE_ADVICE)
    return (
        _ShapeFault("contains a repeat inside a repeat", EXACT_REPEAT_ADVICE, hint=True)
        if has_ambiguous_nesting(pattern)
        else None
    )


@dataclass(frozen=True, slots=True)
class _ShapeFault:
    """What is wrong with a pattern by itself, and what to do."""

    text: str
    advice: str
    hint: bool = False


def _locate_pattern(signal: Signal, file: str, packs: Packs, key: str, index: int) -> FaultLocation:
    if key == "block":
        return locate_in_signal(signal, file, packs, "block", "until")
    return locate_in_signal(signal, file, packs, key, str(index))


def _check_duplicate_patterns(packs: Packs) -> Iterator[LintFault]:
    """Yield a hint for a pattern of two signals that nothing distinguishes and that search the same kinds of source."""
    seen: dict[tuple[str, tuple[str, ...]], Signal] = {}
    for pack in packs.packs:
        for signal in pack.signals:
            for index, pattern in enumerate(signal.match):
                other = seen.setdefault((pattern, signal.not_match), signal)
                if other.name != signal.name and (not other.kinds or not signal.kinds or other.kinds & signal.kinds):
                    rule = packs.rules.get(signal.name)
                    location = (
                        locate_in_rule(rule, "match", str(index))
                        if rule
                        else _locate_pattern(signal, pack.file, packs, "match", index)
                    )
                    text = f"signal {signal.name}: the signal {other.name} has the same pattern"
                    advice = "distinguish them by source or not_match, or let one rule use the other's signal"
                    yield LintFault(location, text, advice, hint=True)
