"""Two rules that both fire on the lines of each other's tests, with no edge that says which of them matters.

Only rules over one signal are compared: whether a combination holds is for `rules test` to say. Lines are confirmed as
the reader does it, and found by literals: an automaton of thousands of patterns costs more than these few lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from analyzer.formats import read_line
from analyzer.model import Kind, Line
from analyzer.reading.blocks import fill_captures, holds_all
from analyzer.reading.kinds import accepts, guess_kind
from analyzer.reading.patience import Patience
from analyzer.reading.plan import Ready
from analyzer.rules.compiled import compile_pattern
from analyzer.rules.conditions import Has
from analyzer.rules.edges import Edges
from analyzer.rules.lint_types import Fault, Files, in_rule, is_asked, literals_of
from analyzer.rules.types import Packs, Rule
from analyzer.rules.values import SlowPatternError, where_holds


@dataclass(frozen=True, slots=True)
class _Sample:
    """One line of a firing test, with what stands behind it in its file."""

    owner: str
    file: str
    kind: Kind
    text: str
    behind: tuple[str, ...]


def check_overlap(packs: Packs, files: Files = None) -> Iterator[Fault]:
    plain = {
        rule.id: rule for rule in packs.rules.values() if isinstance(rule.when, Has) and rule.when.on == "same_node"
    }
    fired = _fire(packs, plain)
    edges = Edges(packs)
    for one in sorted(fired):
        for other in sorted(fired[one]):
            if one < other and one in fired.get(other, ()) and not edges.joined(plain[one], plain[other]):
                text = f"rule {one}: it and {other} fire on each other's tests"
                advice = "which of them explains or silences the other?"
                asked = one if is_asked(plain[one].file, files) else other
                yield Fault(in_rule(plain[asked]), text, advice, hint=True)


def _fire(packs: Packs, plain: Mapping[str, Rule]) -> dict[str, set[str]]:
    """Each rule with the rules that fire on the very line of its own tests on which it fires itself."""
    by_signal: dict[str, list[Rule]] = {}
    for rule in plain.values():
        if isinstance(rule.when, Has) and rule.when.signal in packs.signals:
            by_signal.setdefault(rule.when.signal, []).append(rule)
    finder = _Finder({name: packs.signals[name].match for name in by_signal})
    patience = Patience()
    ready = {name: Ready(packs.signals[name], patience) for name in by_signal}
    fired: dict[str, set[str]] = {}
    known: dict[tuple[Kind, str, tuple[str, ...]], set[str]] = {}  # tests of one rule often share their lines
    for sample in _samples(plain):
        hit = known.setdefault((sample.kind, sample.text, sample.behind), set())
        if hit:
            if sample.owner in hit:
                fired.setdefault(sample.owner, set()).update(hit - {sample.owner})
            continue
        line = read_line(sample.text)
        for name, numbers in finder.find(sample.text).items():
            said = _confirm(ready[name], sorted(numbers), sample, line, packs)
            if said is not None:
                hit.update(rule.id for rule in by_signal[name] if _passes(rule, said))
        if sample.owner in hit:
            fired.setdefault(sample.owner, set()).update(hit - {sample.owner})
    return fired


def _passes(rule: Rule, said: Mapping[str, str]) -> bool:
    try:
        return isinstance(rule.when, Has) and where_holds(rule.when.where, said)
    except SlowPatternError:
        return False  # told by the check of patterns


def _confirm(ready: Ready, numbers: list[int], sample: _Sample, line: Line, packs: Packs) -> Mapping[str, str] | None:
    signal = ready.signal
    if not accepts(signal.kinds, line.kind, sample.kind):
        return None
    block = sample.behind[: signal.block.lines] if signal.block else ()
    for pattern in map(compile_pattern, (signal.match[number] for number in numbers)):
        if not (found := ready.search(pattern, sample.text) or ready.search(pattern, line.message)):
            continue
        if any(ready.search(other, part) for other in ready.not_match for part in (sample.text, *block)):
            return None
        if not holds_all(signal.contains, sample.text, block):
            return None
        said = {name: value for name, value in found.groupdict().items() if value is not None}
        return fill_captures(ready, said, line.message, sample.text, block, packs.tables)
    return None


def _samples(plain: Mapping[str, Rule]) -> Iterator[_Sample]:
    for rule in plain.values():
        for test in rule.tests:
            for file, text in _texts(test.get("fires"), "node-1/log.txt"):
                lines = text.splitlines()
                kind = guess_kind(file, text[:4096].encode("utf-8", "replace"))
                for number, line in enumerate(lines):
                    yield _Sample(rule.id, file, kind, line, tuple(lines[number + 1 : number + 60]))


def _texts(raw: object, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(raw, Mapping):
        for name, inner in raw.items():
            yield from _texts(inner, str(name))
    elif raw is not None:
        yield path, "\n".join(map(str, raw)) if isinstance(raw, list) else str(raw)


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
