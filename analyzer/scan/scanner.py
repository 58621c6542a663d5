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

from analyzer.scan.automaton import Automaton, AutomatonCache, StaleAutomatonError, load_automaton, run_automaton
from analyzer.scan.compilation import CompiledScanner, compile_first_pass, compile_patterns
from analyzer.scan.gates import Gates, load_gates
from analyzer.scan.widen import widen

PATTERN_TIMEOUT_S = 2.0  # seconds that one pattern may take over a block
_LINE = re.compile(rb"[^\n]+")
BLOCK_BYTES = (
    1 << 20
)  # bytes; of larger ones the caches hold little, and each of more small ones costs its reader as much
MIN_BYTES_PER_GATE_HIT = 1024  # bytes; where gates are seen more often than once in as many, lines are not picked out
RELEARN_GATE_HITS = 40_000  # hits of gates; by then they have cost as much as it does to compile others …
RELEARN_BACKOFF = 4  # … which are given so many times longer
MIN_BYTES_PER_RARE_HIT = 16 * 1024  # bytes; what is seen more often than once in as many is no good gate
SAMPLE_BYTES = 64 * 1024  # bytes of what is read, in which no new gate may stand


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
        self._cache = AutomatonCache(cache, patterns)
        self._patterns = patterns
        self._gates: Gates
        try:
            self._use_compiled(self._load_cached() or self._compile_and_cache())
        except StaleAutomatonError:
            self._use_compiled(self._compile_and_cache())
        self._gate_hits: Counter[int] = Counter()  # gates, by index …
        self._scanned_bytes = 0  # … in as many
        self._hits_until_relearn = self._relearn_interval = RELEARN_GATE_HITS

    def scan(self, data: bytes, start: int = 0, stop: int | None = None) -> list[tuple[int, int]]:
        block = memoryview(data)[start:stop]
        all_hits, first = run_automaton(self._first_pass, block), len(self._patterns)
        gate_hits = [hit for hit in all_hits if hit[1] >= first]
        hits = [hit for hit in all_hits if hit[1] < first] if gate_hits else all_hits
        self._scanned_bytes += len(block)
        if not gate_hits:
            return hits
        if len(gate_hits) * MIN_BYTES_PER_GATE_HIT > len(block):
            hits += run_automaton(self._second_pass, block)
        else:
            hits += _scan_lines(self._second_pass, data, start, start + len(block), (end for end, _ in gate_hits))
        self._gate_hits.update(index for _, index in gate_hits)
        self._hits_until_relearn -= len(gate_hits)
        if self._hits_until_relearn <= 0:
            self._replace_common_gates(bytes(block[:SAMPLE_BYTES]))
        return hits

    def _replace_common_gates(self, sample: bytes) -> None:
        """A gate that stands in many lines opens to nothing: others take its place."""
        texts, first = self._gates.texts, len(self._patterns)
        common = [
            text
            for index, text in enumerate(texts, first)
            if self._gate_hits[index] * MIN_BYTES_PER_RARE_HIT > self._scanned_bytes
        ]
        if common:
            sample_text = sample.decode("latin-1").lower()
            self._gates.replace_gates(common, sample_text)
            if self._gates.is_degraded:
                self._restart_from_original_gates(common, sample_text)
            first_pass = compile_first_pass(self._patterns, self._gates)
            self._cache_first_pass(self._gates, first_pass)
            self._first_pass = load_automaton(first_pass)
        self._hits_until_relearn = self._relearn_interval = self._relearn_interval * RELEARN_BACKOFF
        self._gate_hits.clear()
        self._scanned_bytes = 0

    def _restart_from_original_gates(self, common: Sequence[str], sample_text: str) -> None:
        """With the gates of before anything was read: what logs of other kinds wore out may be good for these."""
        cached = self._cache.load("first")
        gates = load_gates(self._patterns, cached.decode()) if cached else self._gates
        if (
            gates.initially_gated == self._gates.initially_gated
        ):  # or what is behind them is not in the automaton at hand
            often = (
                text for text in gates.texts if sample_text.count(text) * MIN_BYTES_PER_RARE_HIT > len(sample_text)
            )
            gates.replace_gates((*common, *often), sample_text)
            self._gates = gates

    def _load_cached(self) -> CompiledScanner | None:
        gates_json, _, first_pass = (self._cache.load("front") or b"").partition(
            b"\n"
        )  # one file, so that they fit each other
        if not gates_json:
            return None
        gates = load_gates(self._patterns, gates_json.decode())
        second_pass = self._cache.load(_name_second_pass(gates))
        return None if second_pass is None else CompiledScanner(gates, first_pass, second_pass)

    def _compile_and_cache(self) -> CompiledScanner:
        compiled = compile_patterns(self._patterns)
        self._cache.store("first", compiled.gates.dump().encode())
        self._cache_first_pass(compiled.gates, compiled.first_pass)
        self._cache.store(_name_second_pass(compiled.gates), compiled.second_pass)
        return compiled

    def _use_compiled(self, compiled: CompiledScanner) -> None:
        self._gates = compiled.gates
        self._first_pass, self._second_pass = load_automaton(compiled.first_pass), load_automaton(compiled.second_pass)

    def _cache_first_pass(self, gates: Gates, first_pass: bytes) -> None:
        if not gates.is_degraded:
            self._cache.store("front", gates.dump().encode() + b"\n" + first_pass)


def _name_second_pass(gates: Gates) -> str:
    """What was compiled for other gates must not be taken for it."""
    return f"gated-{hashlib.sha256(repr(gates.initially_gated).encode()).hexdigest()[:16]}"


def _scan_lines(
    automaton: Automaton, data: bytes, first: int, last: int, ends: Iterable[int]
) -> Iterator[tuple[int, int]]:
    """Hits in those lines of data[first:last] that hold the byte before one of `ends`: put together and scanned at
    once. All offsets count from `first`.
    """
    pieces: list[bytes] = []
    piece_starts: list[int] = []  # of each line in what is put together …
    shifts: list[int] = []  # … and how far it stands from there
    size, stop = 0, first
    for end in sorted(ends):
        if first + end <= stop:
            continue
        start = max(first, data.rfind(b"\n", first, first + end - 1) + 1)
        stop = data.find(b"\n", first + end - 1, last) + 1 or last
        pieces.append(data[start:stop])
        piece_starts.append(size)
        shifts.append(start - first - size)
        size += stop - start
    for end, pattern in run_automaton(automaton, b"".join(pieces)):
        yield end + shifts[bisect.bisect_left(piece_starts, end) - 1], pattern


class LiteralScanner:
    """Finds each pattern's rarest literal with `bytes.find`, and runs the pattern itself where it has none.

    About 50 times slower than Hyperscan, with the same answers. A pattern without a literal that takes too long is
    said to stand in every line: whoever confirms the lines has limits of his own, and tells when he gives up.
    """

    engine = "literals"

    def __init__(self, patterns: Sequence[str]) -> None:
        self._literals: dict[bytes, list[int]] = {}
        self._regexes: dict[int, regex.Pattern[bytes]] = {}
        self._slow: set[int] = set()
        for index, widened in enumerate(map(widen, patterns)):
            if widened.literals and min(map(len, widened.literals)) >= 3:
                for literal in widened.literals:
                    self._literals.setdefault(literal.encode("latin-1"), []).append(index)
            else:
                flags = regex.MULTILINE | (regex.IGNORECASE if widened.caseless else 0)
                self._regexes[index] = regex.compile(widened.expression.encode(), flags)

    def scan(self, data: bytes, start: int = 0, stop: int | None = None) -> list[tuple[int, int]]:
        block = data[start:stop]
        lowered = block.lower()  # ASCII only, so offsets stay
        hits: list[tuple[int, int]] = []
        for literal, indexes in self._literals.items():
            at = lowered.find(literal)
            while at >= 0:
                hits.extend((at + len(literal), index) for index in indexes)
                at = lowered.find(literal, at + len(literal))
        for index in self._regexes:
            hits.extend((end, index) for end in self._search(index, block))
        return hits

    def _search(self, index: int, block: bytes) -> list[int]:
        if index not in self._slow:
            try:
                return [match.end() for match in self._regexes[index].finditer(block, timeout=PATTERN_TIMEOUT_S)]
            except TimeoutError:
                self._slow.add(index)
        return [match.end() for match in _LINE.finditer(block)]
