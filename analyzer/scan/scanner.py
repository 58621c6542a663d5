"""One interface over the matching engine: Hyperscan where it has a wheel, literal search elsewhere."""

from __future__ import annotations

import bisect
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import regex

from analyzer.scan.automaton import Automaton, Shelf, StaleError, load, run
from analyzer.scan.compiled import Compiled, compile_front, compile_patterns
from analyzer.scan.gate import Gates, load_gates
from analyzer.scan.widen import widen

LIMIT = 2.0  # seconds that one pattern may take over a block
_LINE = re.compile(rb"[^\n]+")
BLOCK = 1 << 20  # bytes; of larger ones the caches hold little, and each of more small ones costs its reader as much
DENSE = 1024  # bytes; where gates are seen more often than once in as many, lines are not picked out
DEAR = 40_000  # hits of gates; by then they have cost as much as it does to compile others …
LATER = 4  # … which are given so many times longer
COMMON = 16 * 1024  # bytes; what is seen more often than once in as many is no good gate
SAMPLE = 64 * 1024  # bytes of what is read, in which no new gate may stand


class Scanner(Protocol):
    """`scan(data)` gives (end offset, pattern index) pairs in no particular order; of `data[start:stop]`, which is not
    copied, with offsets from `start`.

    A pair says where to look: the line that holds the byte before the offset *may* match the pattern.
    No matching line is ever missed.
    """

    engine: str

    def scan(self, data: bytes, start: int = 0, stop: int | None = None) -> list[tuple[int, int]]: ...


def build_scanner(patterns: Sequence[str], cache: Path | None = None) -> Scanner:
    """Raises `re.error` where a pattern is not valid. `cache` is a folder for compiled databases."""
    if not patterns:
        return LiteralScanner(patterns)  # an automaton of nothing cannot be compiled
    try:
        return HyperscanScanner(patterns, cache)
    except ImportError:
        return LiteralScanner(patterns)


class HyperscanScanner:
    """An automaton of the direct patterns and of the gates, for whole blocks, and one of all other patterns, for the
    lines in which a gate stands. Gates that prove common in what is read are changed for others, or their patterns
    looked for directly; what was learnt so is kept for the next run.
    """

    engine = "hyperscan"

    def __init__(self, patterns: Sequence[str], cache: Path | None) -> None:
        self._shelf = Shelf(cache, patterns)
        self._patterns = patterns
        self._gates: Gates
        try:
            self._load(self._recall() or self._compile())
        except StaleError:
            self._load(self._compile())
        self._seen: Counter[int] = Counter()  # gates, by index …
        self._bytes = 0  # … in as many
        self._patience = self._waited = DEAR

    def scan(self, data: bytes, start: int = 0, stop: int | None = None) -> list[tuple[int, int]]:
        block = memoryview(data)[start:stop]
        found, first = run(self._front, block), len(self._patterns)
        gates = [hit for hit in found if hit[1] >= first]
        hits = [hit for hit in found if hit[1] < first] if gates else found
        self._bytes += len(block)
        if not gates:
            return hits
        if len(gates) * DENSE > len(block):
            hits += run(self._gated, block)
        else:
            hits += _scan_lines(self._gated, data, start, start + len(block), (end for end, _ in gates))
        self._seen.update(index for _, index in gates)
        self._patience -= len(gates)
        if self._patience <= 0:
            self._learn(bytes(block[:SAMPLE]))
        return hits

    def _learn(self, sample: bytes) -> None:
        """A gate that stands in many lines opens to nothing: others take its place."""
        texts, first = self._gates.texts, len(self._patterns)
        common = [text for index, text in enumerate(texts, first) if self._seen[index] * COMMON > self._bytes]
        if common:
            ordinary = sample.decode("latin-1").lower()
            self._gates.refuse(common, ordinary)
            if self._gates.worn:
                self._begin_anew(common, ordinary)
            front = compile_front(self._patterns, self._gates)
            self._keep_front(self._gates, front)
            self._front = load(front)
        self._patience = self._waited = self._waited * LATER
        self._seen.clear()
        self._bytes = 0

    def _begin_anew(self, common: Sequence[str], ordinary: str) -> None:
        """With the gates of before anything was read: what logs of other kinds wore out may be good for these."""
        said = self._shelf.recall("first")
        gates = load_gates(self._patterns, said.decode()) if said else self._gates
        if gates.behind == self._gates.behind:  # or what is behind them is not in the automaton at hand
            often = (text for text in gates.texts if ordinary.count(text) * COMMON > len(ordinary))
            gates.refuse((*common, *often), ordinary)
            self._gates = gates

    def _recall(self) -> Compiled | None:
        said, _, front = (self._shelf.recall("front") or b"").partition(b"\n")  # one file, so that they fit each other
        if not said:
            return None
        gates = load_gates(self._patterns, said.decode())
        gated = self._shelf.recall(_name_gated(gates))
        return None if gated is None else Compiled(gates, front, gated)

    def _compile(self) -> Compiled:
        compiled = compile_patterns(self._patterns)
        self._shelf.keep("first", compiled.gates.dump().encode())
        self._keep_front(compiled.gates, compiled.front)
        self._shelf.keep(_name_gated(compiled.gates), compiled.gated)
        return compiled

    def _load(self, compiled: Compiled) -> None:
        self._gates = compiled.gates
        self._front, self._gated = load(compiled.front), load(compiled.gated)

    def _keep_front(self, gates: Gates, front: bytes) -> None:
        if not gates.worn:
            self._shelf.keep("front", gates.dump().encode() + b"\n" + front)


def _name_gated(gates: Gates) -> str:
    """What was compiled for other gates must not be taken for it."""
    return f"gated-{hashlib.sha256(repr(gates.behind).encode()).hexdigest()[:16]}"


def _scan_lines(
    automaton: Automaton, data: bytes, first: int, last: int, ends: Iterable[int]
) -> Iterator[tuple[int, int]]:
    """Hits in those lines of data[first:last] that hold the byte before one of `ends`: put together and scanned at
    once. All offsets count from `first`.
    """
    pieces: list[bytes] = []
    begins: list[int] = []  # of each line in what is put together …
    moved: list[int] = []  # … and how far it stands from there
    size, stop = 0, first
    for end in sorted(ends):
        if first + end <= stop:
            continue
        start = max(first, data.rfind(b"\n", first, first + end - 1) + 1)
        stop = data.find(b"\n", first + end - 1, last) + 1 or last
        pieces.append(data[start:stop])
        begins.append(size)
        moved.append(start - first - size)
        size += stop - start
    for end, pattern in run(automaton, b"".join(pieces)):
        yield end + moved[bisect.bisect_left(begins, end) - 1], pattern


class LiteralScanner:
    """Finds each pattern's rarest literal with `bytes.find`, and runs the pattern itself where it has none.

    About 50 times slower than Hyperscan, with the same answers. A pattern without a literal that takes too long is
    said to stand in every line: whoever confirms the lines has limits of his own, and tells when he gives up.
    """

    engine = "literals"

    def __init__(self, patterns: Sequence[str]) -> None:
        self._literals: dict[bytes, list[int]] = {}
        self._others: dict[int, regex.Pattern[bytes]] = {}
        self._slow: set[int] = set()
        for index, one in enumerate(map(widen, patterns)):
            if one.literals and min(map(len, one.literals)) >= 3:
                for literal in one.literals:
                    self._literals.setdefault(literal.encode("latin-1"), []).append(index)
            else:
                flags = regex.MULTILINE | (regex.IGNORECASE if one.caseless else 0)
                self._others[index] = regex.compile(one.expression.encode(), flags)

    def scan(self, data: bytes, start: int = 0, stop: int | None = None) -> list[tuple[int, int]]:
        block = data[start:stop]
        lowered = block.lower()  # ASCII only, so offsets stay
        hits: list[tuple[int, int]] = []
        for literal, indexes in self._literals.items():
            at = lowered.find(literal)
            while at >= 0:
                hits.extend((at + len(literal), index) for index in indexes)
                at = lowered.find(literal, at + len(literal))
        for index in self._others:
            hits.extend((end, index) for end in self._search(index, block))
        return hits

    def _search(self, index: int, block: bytes) -> list[int]:
        if index not in self._slow:
            try:
                return [found.end() for found in self._others[index].finditer(block, timeout=LIMIT)]
            except TimeoutError:
                self._slow.add(index)
        return [found.end() for found in _LINE.finditer(block)]
