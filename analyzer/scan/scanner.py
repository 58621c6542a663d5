"""One interface over the matching engine: Hyperscan where it has a wheel, literal search elsewhere."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Protocol

import regex

from analyzer.paths import keep, recall
from analyzer.scan.widen import WIDENING, widen

LIMIT = 2.0  # seconds that one pattern may take over a block
_LINE = re.compile(rb"[^\n]+")
BLOCK = 512 * 1024  # bytes; stays inside the L2 cache, larger blocks were slower


class Scanner(Protocol):
    """`scan(block)` gives (end offset, pattern index) pairs in no particular order.

    A pair says where to look: the line that holds the byte before the offset *may* match the pattern.
    No matching line is ever missed.
    """

    engine: str

    def scan(self, block: bytes) -> list[tuple[int, int]]: ...


def build_scanner(patterns: Sequence[str], cache: Path | None = None) -> Scanner:
    """Raises `re.error` where a pattern is not valid. `cache` is a folder for compiled databases."""
    if not patterns:
        return LiteralScanner(patterns)  # an automaton of nothing cannot be compiled
    try:
        return HyperscanScanner(patterns, cache)
    except ImportError:
        return LiteralScanner(patterns)


class HyperscanScanner:
    """All patterns in one automaton (Vectorscan 5.4 behind the `hyperscan` wheel)."""

    engine = "hyperscan"

    def __init__(self, patterns: Sequence[str], cache: Path | None) -> None:
        import hyperscan  # noqa: F401  (ImportError here chooses the other engine)

        said = (version("hyperscan"), WIDENING, _cpu(), tuple(patterns))
        digest = hashlib.sha256(repr(said).encode()).hexdigest()[:32]
        self._db = _load(cache, digest) or _compile(patterns, cache, digest)

    def scan(self, block: bytes) -> list[tuple[int, int]]:
        hits: list[tuple[int, int]] = []
        append = hits.append

        def seen(pattern: int, _start: int, end: int, _flags: int, _context: object) -> None:
            append((end, pattern))

        self._db.scan(block, match_event_handler=seen)
        return hits


def _compile(patterns: Sequence[str], cache: Path | None, digest: str) -> Database:
    import hyperscan

    widened = [widen(pattern) for pattern in patterns]
    flags = [hyperscan.HS_FLAG_MULTILINE | (hyperscan.HS_FLAG_CASELESS if one.caseless else 0) for one in widened]
    expressions = [one.expression.encode() for one in widened]
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    database.compile(expressions=expressions, ids=list(range(len(expressions))), elements=len(expressions), flags=flags)
    if cache is not None:
        keep(cache / f"{digest}.hs", hyperscan.dumpb(database))
    return database


def _load(cache: Path | None, digest: str) -> Database | None:
    import hyperscan

    data = recall(cache / f"{digest}.hs") if cache else None
    if data is None:
        return None
    try:
        database = hyperscan.loadb(data, hyperscan.HS_MODE_BLOCK)
    except hyperscan.error:
        return None  # another build of the engine wrote it: compiled anew
    database.scratch = hyperscan.Scratch(database)  # loadb leaves none, and scan() would fail with -1
    return database


def _cpu() -> str:
    """A compiled automaton fits one instruction set only."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return ""
    return next((line for line in text.splitlines() if line.startswith(("flags", "Features"))), "")


class Database(Protocol):
    def scan(self, block: bytes, *, match_event_handler: Callable[..., None]) -> None: ...


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
                    self._literals.setdefault(literal.encode(), []).append(index)
            else:
                flags = regex.MULTILINE | (regex.IGNORECASE if one.caseless else 0)
                self._others[index] = regex.compile(one.expression.encode(), flags)

    def scan(self, block: bytes) -> list[tuple[int, int]]:
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
