"""The scanner: Hyperscan where it has a wheel, a search for literals elsewhere."""

from __future__ import annotations

import bisect
import hashlib
import logging
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import regex

from analyzer.collect.free_memory import read_free_memory
from analyzer.scan.automaton import (
    NUMBER_BITS,
    NUMBER_MASK,
    Automaton,
    AutomatonCache,
    StaleAutomatonError,
    load_automaton,
    run_automaton,
)
from analyzer.scan.compilation import CompiledScanner, compile_first_pass, compile_patterns
from analyzer.scan.gates import Gates, load_gates
from analyzer.scan.text_frequency import load_frequencies
from analyzer.scan.widen import widen

_log = logging.getLogger("analyzer.scan")
PATTERN_TIMEOUT_S = 2.0  # for one pattern over one block
_LINE = re.compile(rb"[^\n]+")
_LINE_FEED = re.compile(rb"\n")
BLOCK_BYTES = 1 << 20  # larger blocks do not fit the processor's caches, and each block has a fixed cost
MIN_BYTES_PER_GATE_HIT = 1024  # if gates are denser, the whole block is scanned instead of single lines
RELEARN_GATE_HITS = 400_000  # so many gate hits have cost as much as compiling other gates …
RELEARN_BACKOFF = 4  # … which get so many times as many hits before they are replaced
MIN_BYTES_PER_RARE_HIT = 16 * 1024  # a text that is seen more often is no good gate
SAMPLE_BYTES = 64 * 1024  # of the text that is being read; a new gate must not occur in it
COMPILATION_BYTES = 128 << 20  # of memory, which it takes to compile the automaton of other gates


class Scanner(Protocol):
    """Finds the lines of a block that may match one of many patterns.

    `scan(data, start, stop)` returns the hits of `data[start:stop]`, in no particular order: each is
    `end offset << NUMBER_BITS | pattern index`. Offsets count from `start`; the data are not copied. A hit says where
    to look: the line that holds the byte before the offset *may* match the pattern. No matching line is ever missed.
    """

    engine: str

    def scan(self, data: bytes, start: int = 0, stop: int | None = None) -> list[int]: ...

    def find_digit_dependent_lines(self, text: bytes) -> set[int] | None:
        """Return the lines of `text`, counted from 0, of which the hits may change with their digits.

        None: the scanner cannot tell.
        """


def unpack_hit(hit: int) -> tuple[int, int]:
    """Return the end offset and the pattern index of a hit."""
    return hit >> NUMBER_BITS, hit & NUMBER_MASK


def build_scanner(patterns: Sequence[str], cache: Path | None = None, for_small_texts: bool = False) -> Scanner:
    """Return a scanner for the patterns, which hits name by their index.

    cache: the folder of compiled automata. Without one, each scanner is compiled anew.
    for_small_texts: compile no automaton, which takes seconds and pays off only from a megabyte of text on.
    Raises `re.error` if a pattern is not valid.
    """
    if for_small_texts or not patterns:
        return LiteralScanner(patterns)  # Hyperscan cannot compile an empty automaton
    try:
        return HyperscanScanner(patterns, cache)
    except ImportError:
        _log.info(
            "Hyperscan is not installed: %d patterns are searched by their literals, which is slow", len(patterns)
        )
        return LiteralScanner(patterns)


class HyperscanScanner:
    """Two automata, run one after the other, and a third that tells which lines depend on their digits.

    The first pass searches whole blocks for the direct patterns and the gates. The second pass searches the lines that
    hold a gate for all other patterns.

    Gates that prove common in the text being read are replaced by others. If a pattern has no other gate, it becomes
    direct. The result is cached for the next run.
    """

    engine = "hyperscan"

    def __init__(self, patterns: Sequence[str], cache: Path | None) -> None:
        self._cache = AutomatonCache(cache, patterns)
        self._patterns = patterns
        self._gates: Gates
        cached = self._load_cached()
        try:
            self._use_compiled(cached or self._compile_and_cache())
        except StaleAutomatonError:
            cached = None
            self._use_compiled(self._compile_and_cache())
        _log.debug(
            "scanner for %d patterns: %s; %d patterns are direct, %d gates stand for the others",
            len(patterns),
            "loaded from the cache" if cached else "compiled anew",
            len(self._gates.direct),
            len(self._gates.texts),
        )
        self._gate_hits: Counter[int] = Counter()  # by index, since the gates were last replaced
        self._scanned_bytes = 0  # since then
        self._hits_until_relearn = self._relearn_interval = RELEARN_GATE_HITS

    def scan(self, data: bytes, start: int = 0, stop: int | None = None) -> list[int]:
        block = memoryview(data)[start:stop]
        all_hits, first = run_automaton(self._first_pass, block), len(self._patterns)
        gate_hits = [hit for hit in all_hits if hit & NUMBER_MASK >= first]
        hits = [hit for hit in all_hits if hit & NUMBER_MASK < first] if gate_hits else all_hits
        self._scanned_bytes += len(block)
        if not gate_hits:
            return hits
        if len(gate_hits) * MIN_BYTES_PER_GATE_HIT > len(block):
            hits += run_automaton(self._second_pass, block)
        else:
            ends = (hit >> NUMBER_BITS for hit in gate_hits)
            hits += _scan_lines(self._second_pass, data, start, start + len(block), ends)
        self._gate_hits.update(hit & NUMBER_MASK for hit in gate_hits)
        self._hits_until_relearn -= len(gate_hits)
        if self._hits_until_relearn <= 0:
            self._replace_common_gates(bytes(block[:SAMPLE_BYTES]))
        return hits

    def find_digit_dependent_lines(self, text: bytes) -> set[int]:
        line_ends = [match.end() for match in _LINE_FEED.finditer(text)]
        matches = [set[tuple[int, int]](), set[tuple[int, int]]()]  # with some digits, with any
        for end, number in map(unpack_hit, run_automaton(self._digit_pass, text)):
            kind, pattern = divmod(number, len(self._patterns))
            matches[kind].add((bisect.bisect_left(line_ends, end), pattern))
        return {line for line, _ in matches[0] - matches[1]}

    def _replace_common_gates(self, sample: bytes) -> None:
        """Replace the gates that are too common to be of use. `sample`: a part of the text that is being read."""
        texts, first = self._gates.texts, len(self._patterns)
        common = [
            text
            for index, text in enumerate(texts, first)
            if self._gate_hits[index] * MIN_BYTES_PER_RARE_HIT > self._scanned_bytes
        ]
        if common and _can_choose_gates():
            sample_text = sample.decode("latin-1").lower()
            self._gates.replace_gates(common, sample_text)
            if self._gates.is_degraded:
                self._restart_from_original_gates(common, sample_text)
            first_pass = compile_first_pass(self._patterns, self._gates)
            self._cache_first_pass(self._gates, first_pass)
            self._first_pass = load_automaton(first_pass)
            _log.debug(
                "replaced %d gates that are common in this text (%s); %d patterns are direct now",
                len(common),
                ", ".join(common[:8]),
                len(self._gates.direct),
            )
        self._hits_until_relearn = self._relearn_interval = self._relearn_interval * RELEARN_BACKOFF
        self._gate_hits.clear()
        self._scanned_bytes = 0

    def _restart_from_original_gates(self, common: Sequence[str], sample_text: str) -> None:
        """Start again from the gates that were chosen before any log was read.

        Gates that were dropped because they are common in logs of other kinds may be good for this log.
        """
        cached = self._cache.load("first")
        gates = load_gates(self._patterns, cached.decode()) if cached else self._gates
        if gates.initially_gated == self._gates.initially_gated:  # else the second pass has other patterns
            often = (
                text for text in gates.texts if sample_text.count(text) * MIN_BYTES_PER_RARE_HIT > len(sample_text)
            )
            gates.replace_gates((*common, *often), sample_text)
            self._gates = gates

    def _load_cached(self) -> CompiledScanner | None:
        cached = self._cache.load("front") or b""  # gates and automaton in one file, so that they fit each other
        gates_json, _, first_pass = cached.partition(b"\n")
        if not gates_json:
            return None
        gates = load_gates(self._patterns, gates_json.decode())
        second_pass, digit_pass = self._cache.load(_name_second_pass(gates)), self._cache.load("digits")
        if second_pass is None or digit_pass is None:
            return None
        return CompiledScanner(gates=gates, first_pass=first_pass, second_pass=second_pass, digit_pass=digit_pass)

    def _compile_and_cache(self) -> CompiledScanner:
        compiled = compile_patterns(self._patterns)
        self._cache.store("first", compiled.gates.dump().encode())
        self._cache_first_pass(compiled.gates, compiled.first_pass)
        self._cache.store(_name_second_pass(compiled.gates), compiled.second_pass)
        self._cache.store("digits", compiled.digit_pass)
        return compiled

    def _use_compiled(self, compiled: CompiledScanner) -> None:
        self._gates = compiled.gates
        self._first_pass, self._second_pass = load_automaton(compiled.first_pass), load_automaton(compiled.second_pass)
        self._digit_pass = load_automaton(compiled.digit_pass)

    def _cache_first_pass(self, gates: Gates, first_pass: bytes) -> None:
        if not gates.is_degraded:
            self._cache.store("front", gates.dump().encode() + b"\n" + first_pass)


def _name_second_pass(gates: Gates) -> str:
    """Return the cache name of the second pass, which fits only the gates that it was compiled for."""
    return f"gated-{hashlib.sha256(repr(gates.initially_gated).encode()).hexdigest()[:16]}"


def _can_choose_gates() -> bool:
    """Return False where memory is short or no further file may be opened: other gates only save time."""
    free_bytes = read_free_memory()
    if free_bytes is not None and free_bytes < COMPILATION_BYTES:
        _log.debug("the gates stay as they are: %d MB of memory are free", free_bytes >> 20)
        return False
    try:
        load_frequencies()
    except OSError as error:
        _log.debug("the gates stay as they are: %s", error)
        return False
    return True


def _scan_lines(automaton: Automaton, data: bytes, first: int, last: int, ends: Iterable[int]) -> Iterator[int]:
    """Yield the hits in the lines of data[first:last] that hold the byte before one of `ends`.

    The lines are joined and scanned at once. All offsets count from `first`.
    """
    pieces: list[bytes] = []
    piece_starts: list[int] = []  # of each line, in the joined text …
    shifts: list[int] = []  # … and its distance from there in the data
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
    for hit in run_automaton(automaton, b"".join(pieces)):
        yield hit + (shifts[bisect.bisect_left(piece_starts, hit >> NUMBER_BITS) - 1] << NUMBER_BITS)


class LiteralScanner:
    """Finds the most selective literals of each pattern with `bytes.find`; runs the pattern itself if it has none.

    It is about 50 times slower than Hyperscan, with the same answers. A pattern without a literal that takes longer
    than PATTERN_TIMEOUT_S is reported for every line: the reader that confirms hits has its own time limit.
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

    def scan(self, data: bytes, start: int = 0, stop: int | None = None) -> list[int]:
        block = data[start:stop]
        lowered = block.lower()  # of bytes: ASCII only, so the offsets stay
        hits: list[int] = []
        for literal, indexes in self._literals.items():
            at = lowered.find(literal)
            while at >= 0:
                hits.extend((at + len(literal)) << NUMBER_BITS | index for index in indexes)
                at = lowered.find(literal, at + len(literal))
        for index in self._regexes:
            hits.extend(end << NUMBER_BITS | index for end in self._search(index, block))
        return hits

    def find_digit_dependent_lines(self, text: bytes) -> None:
        return None

    def _search(self, index: int, block: bytes) -> list[int]:
        if index not in self._slow:
            try:
                return [match.end() for match in self._regexes[index].finditer(block, timeout=PATTERN_TIMEOUT_S)]
            except TimeoutError:
                self._slow.add(index)
        return [match.end() for match in _LINE.finditer(block)]
