"""Automata of Hyperscan (Vectorscan 5.4 in the `hyperscan` wheel): many expressions in one, and their cache."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from analyzer.paths import read_cache, write_cache
from analyzer.scan.widen import WIDEN_VERSION, WidenedPattern

ABSENT_TEXT = "\x01\x02"
ANY_LINE = b"^[^\\n]"  # matches every line: the pattern itself confirms each hit
NUMBER_BITS = 20  # of the number of an expression in a hit
NUMBER_MASK = (1 << NUMBER_BITS) - 1
Expression = tuple[bytes, int, int]  # text, number that a hit reports, flags


class Database(Protocol):
    def scan(self, block: bytes, *, match_event_handler: Callable[..., None]) -> None: ...


Automaton = Database | None  # None if there are no expressions: Hyperscan compiles no empty automaton


class StaleAutomatonError(Exception):
    """A cached automaton cannot be used here: another build of Hyperscan wrote it."""


def run_automaton(automaton: Automaton, block: bytes | memoryview) -> list[int]:
    """Return `end offset << NUMBER_BITS | number of the expression` of every match.

    A log may have a hit in each line, and an integer is a quarter of a tuple in time and memory. Start offsets would
    double the cost of the search.
    """
    hits: list[int] = []
    if automaton is None:
        return hits
    append = hits.append

    def add_hit(number: int, _start: int, end: int, _flags: int, _context: object) -> None:
        append(end << NUMBER_BITS | number)

    automaton.scan(block, match_event_handler=add_hit)  # type: ignore[arg-type]  # takes any buffer
    return hits


def make_expressions(widened: Mapping[int, WidenedPattern]) -> list[Expression]:
    import hyperscan

    multiline, caseless = hyperscan.HS_FLAG_MULTILINE, hyperscan.HS_FLAG_CASELESS
    return [
        (pattern.expression.encode(), number, multiline | (caseless if pattern.caseless else 0))
        for number, pattern in widened.items()
    ]


def make_text_expressions(texts: Iterable[str], first: int) -> list[Expression]:
    """Return an expression for each text, numbered from `first`; case does not matter.

    A character of a text stands for a byte. The last expression is ABSENT_TEXT, which no log holds. It is short: if all
    texts have five characters or more, Hyperscan reads in strides, with a table that three times as many places of a
    log pass (fdr_engine_description.cpp chooses it by the number of texts and the shortest length).
    """
    import hyperscan

    return [
        ("".join(f"\\x{ord(char):02x}" for char in text).encode(), number, hyperscan.HS_FLAG_CASELESS)
        for number, text in enumerate((*texts, ABSENT_TEXT), first)
    ]


def compile_automaton(expressions: Sequence[Expression]) -> Automaton:
    """Return the automaton of the expressions, None without any. What Hyperscan does not accept hits every line."""
    import hyperscan

    if not expressions:
        return None
    try:
        return _compile(expressions)
    except hyperscan.error:  # a pattern of a user's pack, such as `.{0,0}`: Hyperscan accepts fewer than `regex` does
        return _compile(
            [
                expression if _is_supported(expression) else (ANY_LINE, expression[1], hyperscan.HS_FLAG_MULTILINE)
                for expression in expressions
            ]
        )


def _compile(expressions: Sequence[Expression]) -> Database:
    import hyperscan

    texts, numbers, flags = zip(*expressions, strict=True)
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    database.compile(expressions=list(texts), ids=list(numbers), elements=len(texts), flags=list(flags))
    compiled: Database = database
    return compiled


def _is_supported(expression: Expression) -> bool:
    """Whether Hyperscan compiles the expression alone."""
    import hyperscan

    try:
        _compile([expression])
    except hyperscan.error:
        return False
    return True


class AutomatonCache:
    """Compiled automata of some patterns in a folder; None: nothing is cached. Raises ImportError without Hyperscan.

    The file names depend on the patterns, the version of Hyperscan, WIDEN_VERSION and the processor.
    """

    def __init__(self, folder: Path | None, patterns: Sequence[str]) -> None:
        import hyperscan

        key_parts = (getattr(hyperscan, "__version__", ""), str(WIDEN_VERSION), _cpu_flags(), *patterns)
        self._folder = folder
        self._digest = hashlib.sha256("".join(f"{len(part)}:{part}" for part in key_parts).encode()).hexdigest()[:32]

    def load(self, name: str) -> bytes | None:
        return read_cache(self._folder / f"{self._digest}-{name}.hs") if self._folder else None

    def store(self, name: str, data: bytes) -> None:
        if self._folder:
            write_cache(self._folder / f"{self._digest}-{name}.hs", data)


def load_automaton(data: bytes) -> Automaton:
    """Return the automaton that `dump_automaton` wrote. Raises StaleAutomatonError for another build's."""
    import hyperscan

    if not data:
        return None
    try:
        database = hyperscan.loadb(data, hyperscan.HS_MODE_BLOCK)
    except hyperscan.error as error:
        raise StaleAutomatonError from error
    database.scratch = hyperscan.Scratch(database)  # loadb leaves none, and scan() would fail with -1
    return database


def dump_automaton(automaton: Automaton) -> bytes:
    import hyperscan

    return hyperscan.dumpb(automaton) if automaton is not None else b""  # type: ignore[arg-type]


def _cpu_flags() -> str:
    """Return the processor's flags: a compiled automaton fits one instruction set only."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return ""
    return next((line for line in text.splitlines() if line.startswith(("flags", "Features"))), "")
