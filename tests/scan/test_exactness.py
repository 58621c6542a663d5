"""With all built-in patterns the scanner finds what a plain search of each line finds, whatever its gates became."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from functools import cache

import pytest
from builtin_rules import builtin_packs

from analyzer.model import Kind
from analyzer.rules.linting.pattern_cost import clean_lines
from analyzer.scan.scanner import HyperscanScanner, LiteralScanner, Scanner, unpack_hit
from analyzer.signals.compiled_patterns import compile_pattern

LINES = 300  # of each kind


@cache
def scanned_patterns() -> list[str]:
    return [
        pattern
        for signal in builtin_packs().signals.values()
        if not (signal.kinds and signal.kinds <= {Kind.DERIVED, Kind.CORE})
        for pattern in signal.match
    ]


def texts(raw: object) -> Iterator[str]:
    if isinstance(raw, Mapping):
        for inner in raw.values():
            yield from texts(inner)
    elif isinstance(raw, list):
        for inner in raw:
            yield from texts(inner)
    elif isinstance(raw, str):
        yield from raw.splitlines()


@pytest.fixture(scope="module")
def lines() -> list[str]:
    """Lines that rules are tested on, some of them spoilt, between those of healthy jobs."""
    chance = random.Random(5)
    examples = sorted({line for rule in builtin_packs().rules.values() for test in rule.tests for line in texts(test)})
    some = chance.sample(examples, LINES)
    spoilt = [line[: chance.randrange(len(line) + 1)].swapcase() for line in chance.sample(examples, LINES)]
    all_lines = [*some, *spoilt, *clean_lines(LINES)]
    chance.shuffle(all_lines)
    return all_lines


@pytest.fixture(scope="module")
def plain(lines: list[str]) -> set[tuple[int, int]]:
    """(line, pattern) by searching each line with each pattern."""
    compiled = list(map(compile_pattern, scanned_patterns()))
    return {
        (number, index)
        for number, line in enumerate(lines)
        for index, pattern in enumerate(compiled)
        if pattern.search(line)
    }


def confirmed(scanner: Scanner, lines: list[str], block: int) -> set[tuple[int, int]]:
    hits: set[tuple[int, int]] = set()
    for first in range(0, len(lines), block):
        data = "".join(line + "\n" for line in lines[first : first + block]).encode()
        for end, index in map(unpack_hit, set(scanner.scan(data))):
            number = first + data.count(b"\n", 0, end - 1)
            if compile_pattern(scanned_patterns()[index]).search(lines[number]):
                hits.add((number, index))
    return hits


@pytest.mark.parametrize(
    ("dense", "dear"),
    [
        pytest.param(1, 1 << 60, id="lines picked out"),
        pytest.param(1 << 60, 1 << 60, id="whole blocks"),
        pytest.param(1, 100, id="gates changed again and again"),
    ],
)
def test_all_patterns_on_all_lines(
    lines: list[str], plain: set[tuple[int, int]], dense: int, dear: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("hyperscan")
    monkeypatch.setattr("analyzer.scan.scanner.MIN_BYTES_PER_GATE_HIT", dense)
    monkeypatch.setattr("analyzer.scan.scanner.RELEARN_GATE_HITS", dear)
    scanner = HyperscanScanner(scanned_patterns(), None)
    before = scanner._gates.texts
    assert confirmed(scanner, lines, 100) == plain
    assert confirmed(scanner, lines, 37) == plain
    assert (scanner._gates.texts != before) is (dear == 100)
    assert len(plain) > LINES


def test_without_the_engine(lines: list[str], plain: set[tuple[int, int]]) -> None:
    assert confirmed(LiteralScanner(scanned_patterns()), lines, len(lines)) == plain
