"""Hyperscan (Vectorscan 5.4 behind the `hyperscan` wheel): many expressions in one automaton, and its cache."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from analyzer.paths import keep, recall
from analyzer.scan.widen import WIDENING, Widened

SHORT = "\x01\x02"
LINE = b"^[^\\n]"  # every line: each hit is confirmed by the pattern itself
Expression = tuple[bytes, int, int]  # text, the number that is reported with a hit, flags


class Database(Protocol):
    def scan(self, block: bytes, *, match_event_handler: Callable[..., None]) -> None: ...


Automaton = Database | None  # none of no expressions: such a one cannot be compiled


class StaleError(Exception):
    """What was compiled cannot be used here."""


def run(automaton: Automaton, block: bytes | memoryview) -> list[tuple[int, int]]:
    """(end offset, number of the expression) of every match, ends alone: starts would cost as much again."""
    hits: list[tuple[int, int]] = []
    if automaton is None:
        return hits
    append = hits.append

    def seen(number: int, _start: int, end: int, _flags: int, _context: object) -> None:
        append((end, number))

    automaton.scan(block, match_event_handler=seen)  # type: ignore[arg-type]  # takes any buffer
    return hits


def express(widened: Mapping[int, Widened]) -> list[Expression]:
    import hyperscan

    multiline, caseless = hyperscan.HS_FLAG_MULTILINE, hyperscan.HS_FLAG_CASELESS
    return [
        (one.expression.encode(), number, multiline | (caseless if one.caseless else 0))
        for number, one in widened.items()
    ]


def express_texts(texts: Iterable[str], first: int) -> list[Expression]:
    """Texts, a character for each byte, numbered from `first`, found in any case; and last one that no log holds.

    It is short: where all are of five characters or more the engine reads in strides, with a table that three times as
    many places of a log pass (Hyperscan's fdr_engine_description.cpp chooses it by number and shortest length).
    """
    import hyperscan

    return [
        ("".join(f"\\x{ord(char):02x}" for char in text).encode(), number, hyperscan.HS_FLAG_CASELESS)
        for number, text in enumerate((*texts, SHORT), first)
    ]


def build(expressions: Sequence[Expression]) -> Automaton:
    import hyperscan

    if not expressions:
        return None
    try:
        return _compile(expressions)
    except hyperscan.error:  # one of a user's pack, such as `.{0,0}`: the engine takes fewer than `regex` does
        return _compile(
            [each if _takes(each) else (LINE, each[1], hyperscan.HS_FLAG_MULTILINE) for each in expressions]
        )


def _compile(expressions: Sequence[Expression]) -> Database:
    import hyperscan

    texts, numbers, flags = zip(*expressions, strict=True)
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    database.compile(expressions=list(texts), ids=list(numbers), elements=len(texts), flags=list(flags))
    compiled: Database = database
    return compiled


def _takes(expression: Expression) -> bool:
    """Whether the engine knows what to do with it alone."""
    import hyperscan

    try:
        _compile([expression])
    except hyperscan.error:
        return False
    return True


class Shelf:
    """What was compiled of these patterns before, in `cache`. ImportError where there is no engine."""

    def __init__(self, cache: Path | None, patterns: Sequence[str]) -> None:
        import hyperscan

        said = (getattr(hyperscan, "__version__", ""), str(WIDENING), _cpu(), *patterns)
        self._cache = cache
        self._digest = hashlib.sha256("".join(f"{len(each)}:{each}" for each in said).encode()).hexdigest()[:32]

    def recall(self, name: str) -> bytes | None:
        return recall(self._cache / f"{self._digest}-{name}.hs") if self._cache else None

    def keep(self, name: str, data: bytes) -> None:
        if self._cache:
            keep(self._cache / f"{self._digest}-{name}.hs", data)


def load(data: bytes) -> Automaton:
    """What `dump` wrote. Raises StaleError for what another build of the engine wrote."""
    import hyperscan

    if not data:
        return None
    try:
        database = hyperscan.loadb(data, hyperscan.HS_MODE_BLOCK)
    except hyperscan.error as error:
        raise StaleError from error
    database.scratch = hyperscan.Scratch(database)  # loadb leaves none, and scan() would fail with -1
    return database


def dump(automaton: Automaton) -> bytes:
    import hyperscan

    return hyperscan.dumpb(automaton) if automaton is not None else b""  # type: ignore[arg-type]


def _cpu() -> str:
    """A compiled automaton fits one instruction set only."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return ""
    return next((line for line in text.splitlines() if line.startswith(("flags", "Features"))), "")
