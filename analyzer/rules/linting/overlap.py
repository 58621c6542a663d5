"""Find rules that rest on the same lines of each other's tests, without an edge that says which one matters.

Lines are confirmed and rules evaluated as in an analysis, but without times: every window holds. Signals are found by
their literals, because an automaton of thousands of patterns costs more than these few lines. Rules over core dumps,
and over what the analyzer derives from several files, are left to `rules test`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from analyzer.formats import read_line
from analyzer.model import Event, Kind, Line, Locus, Source
from analyzer.reading.hit_blocks import contains_all, fill_captures
from analyzer.reading.hits import is_excluded
from analyzer.reading.line_fields import match_fields
from analyzer.reading.plan import CompiledSignal
from analyzer.reading.regex_budget import RegexTimeoutBudget
from analyzer.reading.source_kinds import accepts_line, guess_kind
from analyzer.rules.conditions import anchors_of, signals_of
from analyzer.rules.evaluation.findings import find_without_log
from analyzer.rules.linting.faults import LintedFiles, LintFault, is_linted, locate_in_rule
from analyzer.rules.rule_edges import RuleEdges
from analyzer.rules.types import Packs, Rule
from analyzer.scan.widen import widen
from analyzer.signals.compiled_patterns import compile_pattern
from analyzer.timeline.timeline import Timeline

_PREFIX_CHARS = 3  # of the literals that one expression finds the candidates for
FiredRules = dict[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class _TestLine:
    """One line of a firing test, with the lines that follow it in its file."""

    file: str
    line_number: int
    kind: Kind
    text: str
    following_lines: tuple[str, ...]


def check_overlap(packs: Packs, files: LintedFiles = None) -> Iterator[LintFault]:
    fired = _FiringTests(packs).find_overlapping_rules(files)
    edges = RuleEdges(packs)
    for rule_id in sorted(fired):
        for other_id in sorted(fired[rule_id]):
            first, second = packs.rules[rule_id], packs.rules[other_id]
            if rule_id < other_id and rule_id in fired.get(other_id, ()) and not edges.are_connected(first, second):
                text = f"rule {rule_id}: this rule and {other_id} fire on each other's tests"
                advice = "let one of them explain or silence the other"
                yield LintFault(
                    locate_in_rule(first if is_linted(first.file, files) else second), text, advice, hint=True
                )


class _FiringTests:
    """All rules' own tests, evaluated with all rules that rest on lines alone."""

    def __init__(self, packs: Packs) -> None:
        self.packs = packs
        self.rules = [rule for rule in packs.rules.values() if packs.signals.keys() >= set(signals_of(rule.when))]
        self.by_anchor: dict[str, list[Rule]] = {}
        for rule in self.rules:
            for anchor in anchors_of(rule.when):
                self.by_anchor.setdefault(anchor, []).append(rule)
        used = {name for rule in self.rules for name in signals_of(rule.when)}
        self.prefilter = _LiteralPrefilter({name: packs.signals[name].match for name in used})
        patience = RegexTimeoutBudget()
        self.compiled_signals = {name: CompiledSignal(packs.signals[name], patience) for name in used}
        self.evidence_by_test: dict[tuple[_TestLine, ...], dict[str, set[Locus]]] = {}

    def find_overlapping_rules(self, files: LintedFiles) -> FiredRules:
        """Return each linted rule with the rules that rest on exactly the same lines of its own tests.

        The rules found this way are included with theirs, so that the caller can see whether the overlap is mutual.
        """
        fired = {rule.id: self._rules_on_same_lines(rule) for rule in self.rules if is_linted(rule.file, files)}
        for rule_id in sorted(frozenset().union(*fired.values()) - fired.keys()):
            fired[rule_id] = self._rules_on_same_lines(self.packs.rules[rule_id])
        return fired

    def _rules_on_same_lines(self, rule: Rule) -> frozenset[str]:
        overlapping: set[str] = set()
        for test in rule.tests:
            test_lines = tuple(_test_lines(test))
            if test_lines not in self.evidence_by_test:  # tests of one rule often share their lines
                self.evidence_by_test[test_lines] = self._evidence_by_rule(test_lines)
            evidence_by_rule = self.evidence_by_test[test_lines]
            if own_lines := evidence_by_rule.get(rule.id):
                overlapping.update(rule_id for rule_id, lines in evidence_by_rule.items() if lines == own_lines)
        return frozenset(overlapping - {rule.id})

    def _evidence_by_rule(self, test_lines: tuple[_TestLine, ...]) -> dict[str, set[Locus]]:
        """Return the rules that hold, with the lines that they rest on; empty if only one rule can hold."""
        events = [event for test_line in test_lines for event in self._events_of_line(test_line)]
        candidate_rules = {rule.id: rule for event in events for rule in self.by_anchor.get(event.signal, ())}
        if len(candidate_rules) < 2:
            return {}
        sources = [
            Source(file=line.file, node=_node_of_file(line.file), kind=line.kind, bytes=0, status="read")
            for line in test_lines
        ]
        timeline = Timeline(events, {}, sorted({_node_of_file(line.file) for line in test_lines}), sources=sources)
        evidence_by_rule: dict[str, set[Locus]] = {}
        for finding in find_without_log(candidate_rules.values(), timeline, _NoAccusations(), self.packs)[0]:
            evidence_by_rule.setdefault(finding.rule, set()).update(event.locus for event in finding.evidence)
        return evidence_by_rule

    def _events_of_line(self, test_line: _TestLine) -> Iterator[Event]:
        line = read_line(test_line.text)
        for name, pattern_indices in self.prefilter.candidate_patterns(test_line.text).items():
            captures = _match_line(self.compiled_signals[name], sorted(pattern_indices), test_line, line, self.packs)
            if captures is not None:
                locus = Locus(test_line.file, test_line.line_number)
                yield Event(
                    name,
                    locus,
                    test_line.text,
                    kind=test_line.kind,
                    node=_node_of_file(test_line.file),
                    captures=captures,
                )


class _NoAccusations:
    """Resolves nothing: no line of a small test names a node."""

    def accused(self, event: Event) -> tuple[str, ...]:
        return ()


def _node_of_file(file: str) -> str:
    return file.partition("/")[0]


def _match_line(
    compiled_signal: CompiledSignal, pattern_indices: list[int], test_line: _TestLine, line: Line, packs: Packs
) -> Mapping[str, str] | None:
    signal = compiled_signal.signal
    if not accepts_line(signal.kinds, line.kind, test_line.kind):
        return None
    block = test_line.following_lines[: signal.block.lines] if signal.block else ()
    for pattern in map(compile_pattern, (signal.match[index] for index in pattern_indices)):
        if not (
            match := compiled_signal.search(pattern, test_line.text) or compiled_signal.search(pattern, line.message)
        ):
            continue
        if is_excluded(compiled_signal, (test_line.text, *block)):
            return None
        if not contains_all(signal.contains, test_line.text, block):
            return None
        if (fields := match_fields(compiled_signal, test_line.text, line)) is None:
            return None
        captures = {**fields, **{name: value for name, value in match.groupdict().items() if value is not None}}
        return fill_captures(compiled_signal, captures, line.message, test_line.text, block, packs.tables)
    return None


def _test_lines(test: Mapping[str, object]) -> Iterator[_TestLine]:
    for file, text in _test_texts(test.get("fires"), ""):
        lines = text.splitlines()
        kind = guess_kind(file, text[:4096].encode("utf-8", "replace"))
        for line_number, line in enumerate(lines, 1):
            yield _TestLine(
                file=file,
                line_number=line_number,
                kind=kind,
                text=line,
                following_lines=tuple(lines[line_number : line_number + 59]),
            )


def _test_texts(raw: object, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(raw, Mapping):
        for name, inner in raw.items():
            yield from _test_texts(inner, f"{path}/{name}" if path else str(name))
    elif raw is not None:
        yield path or "node-1/log.txt", "\n".join(map(str, raw)) if isinstance(raw, list) else str(raw)


def _is_searchable(text: str) -> bool:
    """Return whether the prefilter can find a text: a shorter one would hide behind the prefix of another."""
    return text.isascii() and len(text) >= _PREFIX_CHARS


class _LiteralPrefilter:
    """Finds the patterns whose literals occur in a line, as indices by the name of their signal.

    Of the sets of texts that a pattern requires, the one counts that fewest patterns share: rules of one pack are often
    alike but for a name.
    """

    def __init__(self, patterns: Mapping[str, tuple[str, ...]]) -> None:
        required = {
            (name, index): [texts for texts in widen(pattern).required if all(map(_is_searchable, texts))]
            for name, signal_patterns in patterns.items()
            for index, pattern in enumerate(signal_patterns)
        }
        uses = Counter(text for sets in required.values() for texts in sets for text in texts)
        self._without_literals = [key for key, sets in required.items() if not sets]
        # first letters → literals of one length → the patterns of each
        self._by_prefix: dict[str, dict[int, dict[str, list[tuple[str, int]]]]] = {}
        for key, sets in required.items():
            for text in min(sets, key=lambda texts: sum(uses[text] for text in texts), default=()):
                by_length = self._by_prefix.setdefault(text[:_PREFIX_CHARS], {})
                by_length.setdefault(len(text), {}).setdefault(text, []).append(key)
        # One pass finds one prefix at each position; the lookahead allows the next one to begin inside it.
        self._search = re.compile(f"(?=({'|'.join(map(re.escape, sorted(self._by_prefix, reverse=True)))}))")

    def candidate_patterns(self, text: str) -> dict[str, set[int]]:
        lowered = text.lower()
        candidates: dict[str, set[int]] = {}
        for name, index in self._without_literals:
            candidates.setdefault(name, set()).add(index)
        for hit in self._search.finditer(lowered) if self._by_prefix else ():
            for length, literals in self._by_prefix[hit[1]].items():
                for name, index in literals.get(lowered[hit.start() : hit.start() + length], ()):
                    candidates.setdefault(name, set()).add(index)
        return candidates
