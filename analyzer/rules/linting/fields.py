"""Check what a rule must state, and that the names in it exist."""

from __future__ import annotations

from collections.abc import Iterator, Set

import regex

from analyzer.model import Role, Severity
from analyzer.reading.hits import MAX_HEAD_HITS, MAX_TAIL_HITS
from analyzer.rules.builtin_signals import BUILTIN_CAPTURES
from analyzer.rules.conditions import Count, Distinct, HasSignal, OddNode, signals_of
from analyzer.rules.evaluation.captures import LINE_PREFIX, find_references
from analyzer.rules.evaluation.odd_values import COMMON_CAPTURE
from analyzer.rules.evaluation.templates import BUILTIN_FIELDS, STEP_FIELDS, find_unknown_braces, template_fields
from analyzer.rules.linting.faults import (
    LintedFiles,
    LintFault,
    is_linted,
    locate_in_rule,
    locate_in_signal,
    possible_captures,
    signal_conditions,
    subconditions,
)
from analyzer.rules.parsing.fields import suggest_name
from analyzer.rules.types import Packs, Rule

CAUSE_ADVICE = "name a cause of rules/causes.yaml, or <pack>.NAME; a rule without a cause is a symptom or context"


KEPT_LINES_ADVICE = (
    f"of each signal and stream the first {MAX_HEAD_HITS} and the last {MAX_TAIL_HITS} lines are kept: "
    f"ask for {MAX_HEAD_HITS} at most, or count a plain signal over the whole run"
)


def check_fields(packs: Packs, files: LintedFiles = None) -> Iterator[LintFault]:
    for rule in (*packs.rules.values(), *packs.broken_rules):
        if is_linted(rule.file, files):
            yield from _check_required_texts(rule)
            yield from _check_references(rule)
    for rule in packs.rules.values():
        if is_linted(rule.file, files):
            yield from _check_capture_names(rule, packs)
    yield from _check_signal_use(packs)


def _check_required_texts(rule: Rule) -> Iterator[LintFault]:
    if rule.role is Role.CAUSE:
        if not rule.cause:
            yield LintFault(
                locate_in_rule(rule, "role"), f"rule {rule.id}: role is cause, but there is no cause id", CAUSE_ADVICE
            )
        if not rule.remediation:
            yield LintFault(
                locate_in_rule(rule),
                f"rule {rule.id}: a cause needs remediation",
                "say what the reader should do first",
            )
        if not rule.references:
            advice = "say where the message is documented, or which source file prints it"
            yield LintFault(locate_in_rule(rule), f"rule {rule.id}: a cause needs references", advice)
    if rule.title == rule.id:
        yield LintFault(
            locate_in_rule(rule), f"rule {rule.id}: there is no title", "say in one line what happened: {node}: ..."
        )
    for key, texts in (
        ("title", (rule.title,)),
        ("summary", (rule.summary,)),
        ("remediation", rule.remediation),
        ("references", rule.references),
    ):
        if any("TODO" in text for text in texts):
            yield LintFault(
                locate_in_rule(rule, key),
                f"rule {rule.id}: this text contains a TODO",
                "write it before you ship the pack",
                hint=True,
            )


_HOST = regex.compile(r"(?P<host>[\w.-]++)(?:/|$)")
_TOP_LEVEL_DOMAINS = ("com", "org", "net", "io", "dev", "edu", "gov")


def _check_references(rule: Rule) -> Iterator[LintFault]:
    for index, reference in enumerate(rule.references):
        if _is_address_without_scheme(reference):
            text = f"rule {rule.id}: the reference {reference!r} has no scheme, so no report can link to it"
            yield LintFault(locate_in_rule(rule, "references", str(index)), text, f"write https://{reference}")


def _is_address_without_scheme(reference: str) -> bool:
    host = _HOST.match(reference)
    name, _, domain = host["host"].rpartition(".") if host else ("", "", "")
    return bool(name) and domain in _TOP_LEVEL_DOMAINS


def _templates_of_rule(rule: Rule) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each text that is filled, with the keys that lead to it."""
    yield ("title",), rule.title
    if rule.summary != rule.title:  # otherwise it is not written, and the title is used
        yield ("summary",), rule.summary
    yield ("cause",), rule.cause or ""
    yield ("severity",), rule.severity
    for key, texts in (("remediation", rule.remediation), ("why", rule.why)):
        for index, text in enumerate(texts):
            yield (key, str(index)), text


def _check_capture_names(rule: Rule, packs: Packs) -> Iterator[LintFault]:
    """Check the captures that templates, `by`, `where` and `confidence` name: the captures of a signal are known."""
    known_names = (
        BUILTIN_FIELDS
        | {name for signal in signals_of(rule.when) for name in possible_captures(signal, packs)}
        | set(rule.aliases)
        | ({COMMON_CAPTURE} if any(isinstance(part, OddNode) for part in subconditions(rule.when)) else set())
    )
    for (key, *indices), template in _templates_of_rule(rule):
        for name, optional in template_fields(template):
            if name not in known_names and not (key == "remediation" and name in STEP_FIELDS):
                text = f"rule {rule.id}: {{{name}}} is not a capture of its signals"
                yield LintFault(
                    locate_in_rule(rule, key, *indices), text, suggest_name(name, known_names), hint=optional
                )
        if unknown_braces := find_unknown_braces(template):
            text = f"rule {rule.id}: nothing fills {unknown_braces}"
            yield LintFault(
                locate_in_rule(rule, key, *indices), text, "templates can use only {capture} and {capture?}"
            )
    for name in (name for grouping_name in rule.by for name in rule.aliases.get(grouping_name, (grouping_name,))):
        if name not in known_names and name.removeprefix(LINE_PREFIX) not in _LINE_CAPTURES:
            text = f"rule {rule.id}: by {name!r} is not a capture of its signals"
            yield LintFault(locate_in_rule(rule, "by"), text, suggest_name(name, known_names))
    for name, _ in rule.confidence_shifts:
        if (
            name not in packs.signals
            and name not in packs.rules
            and name not in BUILTIN_CAPTURES
            and name not in packs.disabled_names
        ):
            text = f"rule {rule.id}: confidence depends on {name!r}, which is not a signal or rule"
            yield LintFault(
                locate_in_rule(rule, "confidence"), text, suggest_name(name, [*packs.signals, *packs.rules])
            )
    yield from _check_counts(rule)
    yield from _check_compared_captures(rule, packs)
    for condition in signal_conditions(rule.when):
        if condition.signal in packs.signals:
            yield from _check_where(rule, condition, known_names, packs)


def _check_counts(rule: Rule) -> Iterator[LintFault]:
    """Yield a fault for each count that needs more events than are kept.

    All lines of a signal are counted, but those in the middle lose their captures and times.
    """
    for condition in subconditions(rule.when):
        if (
            isinstance(condition, Count)
            and (highest := max(condition.at_least, condition.at_most or 0)) > MAX_HEAD_HITS
        ):
            is_plain = isinstance(condition.of, HasSignal) and not condition.of.where and condition.of.at == "same_node"
            if not is_plain or condition.within is not None or rule.by:
                text = f"rule {rule.id}: counts up to {highest} events by time, captures or nodes"
                yield LintFault(locate_in_rule(rule, "when"), text, KEPT_LINES_ADVICE)
        elif isinstance(condition, Distinct) and condition.at_least > MAX_HEAD_HITS:
            text = f"rule {rule.id}: counts {condition.at_least} different values"
            yield LintFault(locate_in_rule(rule, "when"), text, KEPT_LINES_ADVICE)


def _check_compared_captures(rule: Rule, packs: Packs) -> Iterator[LintFault]:
    """Yield a fault for each capture of `distinct` and `odd` that no signal of the condition has."""
    for condition in subconditions(rule.when):
        match condition:
            case Distinct(capture=capture, of=of):
                word, signals, others = "distinct", tuple(signals_of(of)), frozenset[str]()
            case OddNode(capture=capture, part=part):
                word, signals, others = "odd", (part.signal,), frozenset(LINE_PREFIX + name for name in _LINE_CAPTURES)
            case _:
                continue
        captures = frozenset().union(*(possible_captures(signal, packs) for signal in signals))
        if capture not in captures | others:
            text = f"rule {rule.id}: {word} compares {capture!r}, which {' and '.join(signals)} does not capture"
            yield LintFault(locate_in_rule(rule, "when"), text, suggest_name(capture, captures))


_LINE_CAPTURES = frozenset({"pid", "tid", "host", "task", "stream"})


def _check_where(rule: Rule, condition: HasSignal, known_names: Set[str], packs: Packs) -> Iterator[LintFault]:
    captures = possible_captures(condition.signal, packs)
    for name in dict(condition.where):
        if name not in captures and name.removeprefix(LINE_PREFIX) not in _LINE_CAPTURES:
            text = f"rule {rule.id}: where tests {name!r}, which {condition.signal} does not capture"
            yield LintFault(locate_in_rule(rule, "when"), text, suggest_name(name, captures))
    for name in find_references(condition.where) - set(known_names):
        if name.removeprefix(LINE_PREFIX) not in _LINE_CAPTURES:
            text = f"rule {rule.id}: where refers to {{{name}}}, which is not a capture of its signals"
            yield LintFault(locate_in_rule(rule, "when"), text, suggest_name(name, known_names))


def _check_signal_use(packs: Packs) -> Iterator[LintFault]:
    used = packs.disabled_names | {
        name
        for rule in packs.rules.values()
        for name in (*signals_of(rule.when), *(name for name, _ in rule.confidence_shifts))
    }
    files_with_problems = {
        problem.file for problem in packs.problems
    }  # a rule that could not be parsed may use any signal
    for pack in packs.packs:
        for signal in pack.signals if pack.file not in files_with_problems else ():
            is_error = (
                signal.severity is not None and signal.severity >= Severity.ERROR
            )  # it may become an unknown error
            if signal.name not in used and not signal.feeds and not signal.noise and not is_error:
                text = f"signal {signal.name}: no rule uses it, it feeds nothing, and it is not noise"
                yield LintFault(
                    locate_in_signal(signal, pack.file, packs), text, "name it in the `when` of a rule, or remove it"
                )
            captures = possible_captures(signal.name, packs)
            needed = [("lookup", lookup.key) for lookup in signal.lookup]
            needed += [("bits", bits.capture) for bits in signal.bits.values()]
            for key, name in needed:
                if name not in captures:
                    text = f"signal {signal.name}: {key} needs {name!r}, which it does not capture"
                    yield LintFault(locate_in_signal(signal, pack.file, packs, key), text, suggest_name(name, captures))
