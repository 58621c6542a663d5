"""Two rules that rest on the same lines of each other's tests, with no edge that says which of them matters.

Lines are confirmed and rules judged as in an analysis, but for times: every window holds. Lines are found by literals:
an automaton of thousands of patterns costs more than these few lines. Rules over cores, and over what the analyzer
concludes from several files, are left to `rules test`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from analyzer.formats import read_line
from analyzer.model import Event, Kind, Line, Locus, Source
from analyzer.reading.blocks import fill_captures, holds_all
from analyzer.reading.hits import refuses
from analyzer.reading.kinds import accepts, guess_kind
from analyzer.reading.patience import Patience
from analyzer.reading.plan import Ready
from analyzer.rules.compiled import compile_pattern
from analyzer.rules.conditions import anchors_of, signals_of
from analyzer.rules.edges import Edges
from analyzer.rules.evaluate import find
from analyzer.rules.lint_types import Fault, Files, in_rule, is_asked, literals_of
from analyzer.rules.types import Packs, Rule
from analyzer.timeline.order import Timeline

Fired = dict[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class _Sample:
    """One line of a firing test, with what stands behind it in its file."""

    file: str
    number: int
    kind: Kind
    text: str
    behind: tuple[str, ...]


def check_overlap(packs: Packs, files: Files = None) -> Iterator[Fault]:
    fired = _Tests(packs).fire(files)
    edges = Edges(packs)
    for one in sorted(fired):
        for other in sorted(fired[one]):
            first, second = packs.rules[one], packs.rules[other]
            if one < other and one in fired.get(other, ()) and not edges.joined(first, second):
                text = f"rule {one}: it and {other} fire on each other's tests"
                advice = "which of them explains or silences the other?"
                yield Fault(in_rule(first if is_asked(first.file, files) else second), text, advice, hint=True)


class _Tests:
    """Every rule's own tests, with all rules that rest on lines alone."""

    def __init__(self, packs: Packs) -> None:
        self.packs = packs
        self.rules = [rule for rule in packs.rules.values() if packs.signals.keys() >= set(signals_of(rule.when))]
        self.by_anchor: dict[str, list[Rule]] = {}
        for rule in self.rules:
            for anchor in anchors_of(rule.when):
                self.by_anchor.setdefault(anchor, []).append(rule)
        used = {name for rule in self.rules for name in signals_of(rule.when)}
        self.finder = _Finder({name: packs.signals[name].match for name in used})
        patience = Patience()
        self.ready = {name: Ready(packs.signals[name], patience) for name in used}
        self.known: dict[tuple[_Sample, ...], dict[str, set[Locus]]] = {}

    def fire(self, files: Files) -> Fired:
        """Each asked rule with the rules that rest on the very lines of its own tests on which it rests itself, and
        those rules with theirs.
        """
        fired = {rule.id: self._alike(rule) for rule in self.rules if is_asked(rule.file, files)}
        for name in sorted(frozenset().union(*fired.values()) - fired.keys()):
            fired[name] = self._alike(self.packs.rules[name])
        return fired

    def _alike(self, rule: Rule) -> frozenset[str]:
        alike: set[str] = set()
        for test in rule.tests:
            samples = tuple(_samples(test))
            if samples not in self.known:  # tests of one rule often share their lines
                self.known[samples] = self._judge(samples)
            held = self.known[samples]
            if mine := held.get(rule.id):
                alike.update(name for name, lines in held.items() if lines == mine)
        return frozenset(alike - {rule.id})

    def _judge(self, samples: tuple[_Sample, ...]) -> dict[str, set[Locus]]:
        """The rules that hold, each with the lines that it rests on; nothing where one rule alone may hold."""
        events = [event for sample in samples for event in self._events(sample)]
        asked = {rule.id: rule for event in events for rule in self.by_anchor.get(event.signal, ())}
        if len(asked) < 2:
            return {}
        sources = [Source(one.file, _node(one.file), one.kind, 0, "read") for one in samples]
        timeline = Timeline(events, {}, sorted({_node(one.file) for one in samples}), sources)
        held: dict[str, set[Locus]] = {}
        for finding in find(asked.values(), timeline, _Nobody(), self.packs)[0]:
            held.setdefault(finding.rule, set()).update(event.locus for event in finding.evidence)
        return held

    def _events(self, sample: _Sample) -> Iterator[Event]:
        line = read_line(sample.text)
        for name, numbers in self.finder.find(sample.text).items():
            said = _confirm(self.ready[name], sorted(numbers), sample, line, self.packs)
            if said is not None:
                place = Locus(sample.file, sample.number)
                yield Event(name, place, sample.text, kind=sample.kind, node=_node(sample.file), captures=said)


class _Nobody:
    """No line of a test in small names a node."""

    def accused(self, event: Event) -> tuple[str, ...]:
        return ()


def _node(file: str) -> str:
    return file.partition("/")[0]


def _confirm(ready: Ready, numbers: list[int], sample: _Sample, line: Line, packs: Packs) -> Mapping[str, str] | None:
    signal = ready.signal
    if not accepts(signal.kinds, line.kind, sample.kind):
        return None
    block = sample.behind[: signal.block.lines] if signal.block else ()
    for pattern in map(compile_pattern, (signal.match[number] for number in numbers)):
        if not (found := ready.search(pattern, sample.text) or ready.search(pattern, line.message)):
            continue
        if refuses(ready, (sample.text, *block)):
            return None
        if not holds_all(signal.contains, sample.text, block):
            return None
        said = {name: value for name, value in found.groupdict().items() if value is not None}
        return fill_captures(ready, said, line.message, sample.text, block, packs.tables)
    return None


def _samples(test: Mapping[str, object]) -> Iterator[_Sample]:
    for file, text in _texts(test.get("fires"), ""):
        lines = text.splitlines()
        kind = guess_kind(file, text[:4096].encode("utf-8", "replace"))
        for number, line in enumerate(lines, 1):
            yield _Sample(file, number, kind, line, tuple(lines[number : number + 59]))


def _texts(raw: object, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(raw, Mapping):
        for name, inner in raw.items():
            yield from _texts(inner, f"{path}/{name}" if path else str(name))
    elif raw is not None:
        yield path or "node-1/log.txt", "\n".join(map(str, raw)) if isinstance(raw, list) else str(raw)


class _Finder:
    """Patterns whose literals stand in a line, as numbers by the name of their signal."""

    def __init__(self, patterns: Mapping[str, tuple[str, ...]]) -> None:
        self._heads: dict[str, list[tuple[str, str, int]]] = {}  # three letters → (literal, signal, number)
        self._always: list[tuple[str, int]] = []
        for name, some in patterns.items():
            for number, pattern in enumerate(some):
                literals = literals_of(pattern)
                for literal in literals:
                    self._heads.setdefault(literal[:3], []).append((literal, name, number))
                if not literals:
                    self._always.append((name, number))
        # One pass finds one literal at each place; a lookahead lets the next begin inside of it.
        self._search = re.compile(f"(?=({'|'.join(map(re.escape, sorted(self._heads, reverse=True)))}))")

    def find(self, text: str) -> dict[str, set[int]]:
        lowered = text.lower()
        found: dict[str, set[int]] = {}
        for name, number in self._always:
            found.setdefault(name, set()).add(number)
        for hit in self._search.finditer(lowered) if self._heads else ():
            for literal, name, number in self._heads[hit[1]]:
                if lowered.startswith(literal, hit.start()):
                    found.setdefault(name, set()).add(number)
        return found
