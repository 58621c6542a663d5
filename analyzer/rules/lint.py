"""Checks on packs beyond their syntax: each a small pure function over one rule or signal."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterator

from analyzer.model import Severity
from analyzer.rules.conditions import signals_of
from analyzer.rules.fill import BUILTIN, fields
from analyzer.rules.places import Problem
from analyzer.rules.types import Packs, Rule
from analyzer.scan.widen import widen

WEAK = 4    # bytes; a shorter literal makes the scanner stop all the time


def lint_packs(packs: Packs) -> Iterator[Problem]:
    for rule in packs.rules.values():
        for check in _RULE_CHECKS:
            for text in check(rule, packs):
                yield Problem(rule.file, rule.line, 1, f"rule {rule.id}: {text}")
    used = {name for rule in packs.rules.values() for name in signals_of(rule.when)}
    for pack in packs.packs:
        for signal in pack.signals:
            loud = signal.severity is not None and signal.severity >= Severity.ERROR   # may become an unknown error
            if signal.name not in used and not signal.feeds and not signal.noise and not loud:
                yield Problem(pack.file, 1, 1, f"signal {signal.name}: no rule uses it, it feeds nothing and is no noise")
            for pattern in signal.match:
                literals = widen(pattern).literals
                if not literals or min(map(len, literals)) < WEAK:
                    yield Problem(pack.file, 1, 1, f"signal {signal.name}: {pattern!r} has no literal of {WEAK} bytes to look for")


def _has_tests(rule: Rule, _: Packs) -> Iterator[str]:
    if not any("fires" in test for test in rule.tests):
        yield "no test that fires"
    if not any("silent" in test for test in rule.tests):
        yield "no near miss that stays silent"


def _has_advice(rule: Rule, _: Packs) -> Iterator[str]:
    if rule.role.value == "cause" and not rule.remediation:
        yield "a cause needs remediation"
    if rule.role.value == "cause" and not rule.cause:
        yield "role cause without a cause id"


def _edges_lead_somewhere(rule: Rule, packs: Packs) -> Iterator[str]:
    names = {*packs.rules, *packs.causes}
    for edge in (*rule.explains, *rule.silences):
        if not any(fnmatch.fnmatchcase(name, edge) for name in names):
            yield f"explains or silences {edge!r}, which is no rule and no cause"


def _templates_are_filled(rule: Rule, packs: Packs) -> Iterator[str]:
    known = BUILTIN | {name for signal in signals_of(rule.when) for name in _captures(signal, packs)}
    for template in (rule.title, rule.summary, *rule.remediation, rule.cause or "", rule.severity):
        for name, optional in fields(template):
            if name not in known and not optional:
                yield f"{{{name}}} is no capture of its signals"


def _captures(signal: str, packs: Packs) -> Iterator[str]:
    import regex

    if (found := packs.signals.get(signal)) is None:
        yield from ("signal_code", "pid", "executable", "fault_address", "sender_pid", "message", "explanation", "function", "module",
                    "python_frame", "path", "lineno", "crash", "task", "common", "own_ms", "others_ms", "how", "nodes", "address", "key", "value", "step", "code", "signal", "exit_signal", "peer")
        return
    for pattern in (*found.match, *found.also):
        yield from regex.compile(pattern).groupindex
    yield from found.set
    if found.lookup:
        for row in packs.tables.get(found.lookup.table, {}).values():
            yield from row
    if "traceback" in found.feeds:
        yield from ("exception", "message", "frame", "path", "lineno")


_RULE_CHECKS: tuple[Callable[[Rule, Packs], Iterator[str]], ...] = (
    _has_tests, _has_advice, _edges_lead_somewhere, _templates_are_filled,
)
