"""Describe rules for people: one rule in prose, or all rules as a Markdown reference."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby

from analyzer.incident import UNKNOWN_CAUSE
from analyzer.model import Kind
from analyzer.rules.condition_words import describe_condition, describe_tests
from analyzer.rules.linting.faults import signal_conditions
from analyzer.rules.rule_edges import RuleEdges
from analyzer.rules.types import Packs, Rule

MAX_EDGES = 12


def source_kinds(rule: Rule, packs: Packs) -> frozenset[Kind]:
    """Return the kinds of source in which the rule's signals are searched; empty: all kinds."""
    kinds: set[Kind] = set()
    for condition in signal_conditions(rule.when):
        signal = packs.signals.get(condition.signal)
        if signal is None:
            kinds.add(Kind.CORE if condition.signal.startswith("core.") else Kind.DERIVED)
        elif not signal.kinds:
            return frozenset()
        else:
            kinds |= signal.kinds
    return frozenset(kinds)


def rule_row(rule: Rule, packs: Packs) -> dict[str, object]:
    """Return the row of a rule for tables and JSON."""
    return {
        "id": rule.id,
        "pack": rule.pack,
        "role": rule.role.value,
        "cause": rule.cause,
        "status": rule.status,
        "aliases": list(rule.former_ids),
        "severity": rule.severity,
        "confidence": rule.confidence,
        "sources": sorted(kind.value for kind in source_kinds(rule, packs)) or ["any"],
        "title": rule.title,
        "tests": len(rule.tests),
        "file": rule.file,
        "line": rule.line,
    }


def describe_rule(rule: Rule, packs: Packs) -> Iterator[str]:
    """Yield lines that describe a rule: meaning, signals, edges, remediation, tests."""
    yield f"{rule.id}  (pack {rule.pack}, {rule.file}:{rule.line})"
    if rule.status != "stable":
        yield f"  {rule.status}"
    if rule.former_ids:
        yield f"  formerly {', '.join(rule.former_ids)}"
    yield f"  {rule.title}"
    if rule.summary != rule.title:
        yield f"  {rule.summary}"
    meaning = packs.causes.get(rule.cause or "", UNKNOWN_CAUSE).means
    yield f"  {rule.role.value}, cause {rule.cause or 'none'}{f': {meaning}' if meaning else ''}"
    sources = ", ".join(sorted(kind.value for kind in source_kinds(rule, packs))) or "any source"
    by = f"; one finding for each {' and '.join(rule.by)}" if rule.by else ""
    yield f"  severity {rule.severity}, confidence {rule.confidence}; searched in {sources}{by}"
    yield f"  fires on: {describe_condition(rule.when)}"
    yield from _describe_signals(rule, packs)
    yield from _describe_edges(rule, packs)
    for label, texts in (("do", rule.remediation), ("see", rule.references)):
        for text in texts:
            yield f"  {label}: {text}"
    for number, test in enumerate(rule.tests, 1):
        yield f"  test {number}: {_describe_test(test)}"


def _describe_signals(rule: Rule, packs: Packs) -> Iterator[str]:
    for name in dict.fromkeys(condition.signal for condition in signal_conditions(rule.when)):
        signal = packs.signals.get(name)
        yield f"  {name}{':' if signal else ' is a signal of the analyzer itself'}"
        for pattern in signal.match if signal else ():
            yield f"    {pattern}"
        for field, tests in signal.fields if signal else ():
            yield f"    and the field {field} {describe_tests(tests)}"
        for pattern in signal.not_match if signal else ():
            yield f"    but not {pattern}"


def _describe_edges(rule: Rule, packs: Packs) -> Iterator[str]:
    edges = RuleEdges(packs)
    other_rules = [other for other in packs.rules.values() if other.id != rule.id]
    for label, names in (
        ("explains", edges.explained_rules(rule)),
        ("is explained by", {other.id for other in other_rules if rule.id in edges.explained_rules(other)}),
        ("silences", edges.silenced_rules(rule)),
        ("is silenced by", {other.id for other in other_rules if rule.id in edges.silenced_rules(other)}),
    ):
        if names:
            suffix = f" and {len(names) - MAX_EDGES} more" if len(names) > MAX_EDGES else ""
            yield f"  {label} {', '.join(sorted(names)[:MAX_EDGES])}{suffix}"


def _describe_test(test: object) -> str:
    """Return the test as one line of JSON, which is YAML too."""
    return json.dumps(test, ensure_ascii=False, default=str)


def write_markdown(rules: Iterable[Rule], packs: Packs) -> Iterator[str]:
    """Yield the lines of a Markdown reference of the rules, by pack."""
    chosen = sorted(rules, key=lambda rule: (rule.pack, rule.id))
    yield f"# Rules\n\n{len(chosen)} rules."
    for pack, pack_rules in groupby(chosen, key=lambda rule: rule.pack):
        yield f"\n## {pack}"
        for rule in pack_rules:
            yield from _rule_section(rule, packs)


def _rule_section(rule: Rule, packs: Packs) -> Iterator[str]:
    sources = ", ".join(sorted(kind.value for kind in source_kinds(rule, packs))) or "any"
    yield f"\n### `{rule.id}`\n\n{_escape(rule.summary)}\n"
    yield f"- {rule.role.value}, cause `{rule.cause or 'none'}`"
    yield f"- fires on: {_escape(describe_condition(rule.when))}"
    yield f"- severity `{rule.severity}`, confidence {rule.confidence}, sources: {sources}"
    for edge, names in (("explains", rule.explains), ("silences", rule.silences)):
        if names:
            yield f"- {edge}: {', '.join(f'`{name}`' for name in names)}"
    for text in rule.remediation:
        yield f"- do: {_escape(text)}"
    for text in rule.references:
        yield f"- see: <{text}>" if text.startswith("http") else f"- see: {_escape(text)}"


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("<", "&lt;").replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")
