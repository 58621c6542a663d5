"""What a rule must say, and names in it that lead nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Set

from analyzer.model import Role, Severity
from analyzer.reading.hits import FIRST, LAST
from analyzer.rules.captures import PREFIX, references
from analyzer.rules.conditions import Count, Distinct, Has, signals_of
from analyzer.rules.fields import nearest
from analyzer.rules.fill import BUILTIN, fields, unfilled
from analyzer.rules.given import GIVEN
from analyzer.rules.lint_types import Fault, Files, atoms, captures_of, in_rule, in_signal, is_asked, parts
from analyzer.rules.types import Packs, Rule

CAUSE = "name one of rules/causes.yaml, or <pack>.NAME; without one it is a symptom or context"


KEPT = (
    f"of each signal and stream the first {FIRST} and the last {LAST} lines are kept: "
    f"ask for {FIRST} at most, or count a plain signal over the whole run"
)


def check_fields(packs: Packs, files: Files = None) -> Iterator[Fault]:
    for rule in packs.rules.values():
        if not is_asked(rule.file, files):
            continue
        yield from _check_advice(rule)
        yield from _check_names(rule, packs)
    yield from _check_use(packs)


def _check_advice(rule: Rule) -> Iterator[Fault]:
    if rule.role is Role.CAUSE:
        if not rule.cause:
            yield Fault(in_rule(rule, "role"), f"rule {rule.id}: role cause without a cause id", CAUSE)
        if not rule.remediation:
            yield Fault(in_rule(rule), f"rule {rule.id}: a cause needs remediation", "what should the reader do?")
        if not rule.references:
            advice = "where does the message come from?"
            yield Fault(in_rule(rule), f"rule {rule.id}: a cause needs references", advice)
    if rule.title == rule.id:
        yield Fault(in_rule(rule), f"rule {rule.id}: no title", "say in one line what happened: {node}: ...")
    for key, texts in (
        ("title", (rule.title,)),
        ("summary", (rule.summary,)),
        ("remediation", rule.remediation),
        ("references", rule.references),
    ):
        if any("TODO" in text for text in texts):
            yield Fault(
                in_rule(rule, key), f"rule {rule.id}: a TODO stands here", "write it before you ship", hint=True
            )


def _templates(rule: Rule) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each text that is filled, by the keys that lead to it."""
    yield ("title",), rule.title
    if rule.summary != rule.title:  # else not written: the title stands for it
        yield ("summary",), rule.summary
    yield ("cause",), rule.cause or ""
    yield ("severity",), rule.severity
    for key, texts in (("remediation", rule.remediation), ("why", rule.why)):
        for number, text in enumerate(texts):
            yield (key, str(number)), text


def _check_names(rule: Rule, packs: Packs) -> Iterator[Fault]:
    """Templates, `by` and `where` name captures; which of them a signal has is known beforehand."""
    known = (
        BUILTIN | {name for signal in signals_of(rule.when) for name in captures_of(signal, packs)} | set(rule.aliases)
    )
    for (key, *number), template in _templates(rule):
        for name, optional in fields(template):
            if name not in known:
                text = f"rule {rule.id}: {{{name}}} is no capture of its signals"
                yield Fault(in_rule(rule, key, *number), text, nearest(name, known), hint=optional)
        if odd := unfilled(template):
            text = f"rule {rule.id}: {odd} is filled with nothing"
            yield Fault(in_rule(rule, key, *number), text, "templates know {capture} and {capture?} only")
    for name in (name for own in rule.by for name in rule.aliases.get(own, (own,))):
        if name not in known and name.removeprefix(PREFIX) not in _PREFIXES:
            text = f"rule {rule.id}: by {name!r} is no capture of its signals"
            yield Fault(in_rule(rule, "by"), text, nearest(name, known))
    for name, _ in rule.shifts:
        if name not in packs.signals and name not in packs.rules and name not in GIVEN and name not in packs.off:
            text = f"rule {rule.id}: confidence moves with {name!r}, which is no signal and no rule"
            yield Fault(in_rule(rule, "confidence"), text, nearest(name, [*packs.signals, *packs.rules]))
    yield from _check_counts(rule)
    for atom in atoms(rule.when):
        if atom.signal in packs.signals:
            yield from _check_where(rule, atom, known, packs)


def _check_counts(rule: Rule) -> Iterator[Fault]:
    """All lines of a signal are counted, but the captures and times of those in the middle are not kept."""
    for part in parts(rule.when):
        if isinstance(part, Count) and (most := max(part.least, part.most or 0)) > FIRST:
            plain = isinstance(part.of, Has) and not part.of.where and part.of.on == "same_node"
            if not plain or part.within is not None or rule.by:
                text = f"rule {rule.id}: counts to {most} by time, captures or nodes"
                yield Fault(in_rule(rule, "when"), text, KEPT)
        elif isinstance(part, Distinct) and part.least > FIRST:
            text = f"rule {rule.id}: counts {part.least} different values"
            yield Fault(in_rule(rule, "when"), text, KEPT)


_PREFIXES = frozenset({"pid", "tid", "host", "task", "stream"})


def _check_where(rule: Rule, atom: Has, known: Set[str], packs: Packs) -> Iterator[Fault]:
    said = captures_of(atom.signal, packs)
    for name in atom.where:
        if name not in said and name.removeprefix(PREFIX) not in _PREFIXES:
            text = f"rule {rule.id}: where tests {name!r}, which {atom.signal} does not capture"
            yield Fault(in_rule(rule, "when"), text, nearest(name, said))
    for name in references(atom.where) - set(known):
        if name.removeprefix(PREFIX) not in _PREFIXES:
            text = f"rule {rule.id}: where refers to {{{name}}}, which is no capture of its signals"
            yield Fault(in_rule(rule, "when"), text, nearest(name, known))


def _check_use(packs: Packs) -> Iterator[Fault]:
    used = packs.off | {
        name for rule in packs.rules.values() for name in (*signals_of(rule.when), *(name for name, _ in rule.shifts))
    }
    marred = {problem.file for problem in packs.problems}  # a rule that was not understood may use any
    for pack in packs.packs:
        for signal in pack.signals if pack.file not in marred else ():
            loud = signal.severity is not None and signal.severity >= Severity.ERROR  # may become an unknown error
            if signal.name not in used and not signal.feeds and not signal.noise and not loud:
                text = f"signal {signal.name}: no rule uses it, it feeds nothing and is no noise"
                yield Fault(in_signal(signal, pack.file, packs), text, "name it in a rule's `when`, or take it out")
            said = captures_of(signal.name, packs)
            asked = [("lookup", lookup.key) for lookup in signal.lookup]
            asked += [("bits", bits.of) for bits in signal.bits.values()]
            for key, name in asked:
                if name not in said:
                    text = f"signal {signal.name}: {key} needs {name!r}, which it does not capture"
                    yield Fault(in_signal(signal, pack.file, packs, key), text, nearest(name, said))
