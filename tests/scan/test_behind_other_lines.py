"""The automaton finds behind other lines what it finds in a line alone.

Hyperscan missed patterns such as `\\d\\d[^\\n]*[:>] ?kill` behind another line. The lines are of the rules' tests.
"""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

import pytest
from builtin_rules import builtin_packs, lines_of_rule_tests

from analyzer.paths import cache_dir
from analyzer.reading import build_plan
from analyzer.scan import unpack_hit
from analyzer.scan.scanner import HyperscanScanner, run_automaton

BEFORE = [
    b"Duplicate GPU detected : rank 5 and rank 1 both on CUDA device 9d000\n",
    b"E0102 03:04:05.678901 1234 a.cc:55] error: failed 12 -> 34 x\n",
    b"step 1 loss 0.5\n\n2026-01-02 03:04:05,678 INFO train: step 2 [####>   ] loss 0.4: ok\n",
]


@pytest.fixture(scope="module")
def scanner() -> HyperscanScanner:
    pytest.importorskip("hyperscan")
    scanner = build_plan(builtin_packs(), cache_dir()).scanner
    assert isinstance(scanner, HyperscanScanner)
    return scanner


@pytest.fixture(scope="module")
def lines() -> list[bytes]:
    return [line.encode() for line in lines_of_rule_tests() if line]


@pytest.fixture(scope="module")
def found_alone(scanner: HyperscanScanner, lines: Sequence[bytes]) -> list[set[int]]:
    return [find_patterns(scanner, line, 0) for line in lines]


def find_patterns(scanner: HyperscanScanner, block: bytes, start: int) -> set[int]:
    """Return the patterns with a hit behind `start`."""
    return {
        pattern for offset, pattern in map(unpack_hit, run_automaton(scanner._second_pass, block)) if offset > start
    }


def name_patterns(scanner: HyperscanScanner, missing: Counter[int]) -> list[str]:
    return [scanner._patterns[pattern] for pattern in missing]


@pytest.mark.parametrize("before", BEFORE, ids=["a line", "a line of C++", "three lines"])
def test_each_line_behind_others(
    before: bytes, scanner: HyperscanScanner, lines: Sequence[bytes], found_alone: Sequence[set[int]]
) -> None:
    missing: Counter[int] = Counter()
    for line, alone in zip(lines, found_alone, strict=True):
        missing.update(alone - find_patterns(scanner, before + line, len(before)))
    assert name_patterns(scanner, missing) == []


@pytest.mark.parametrize("is_reversed", [False, True], ids=["in order", "reversed"])
def test_all_lines_in_one_block(
    is_reversed: bool, scanner: HyperscanScanner, lines: Sequence[bytes], found_alone: Sequence[set[int]]
) -> None:
    order = sorted(range(len(lines)), reverse=is_reversed)
    starts = list(accumulate((len(lines[index]) + 1 for index in order), initial=0))
    seen: list[set[int]] = [set() for _ in order]
    block = b"\n".join(lines[index] for index in order)
    for offset, pattern in map(unpack_hit, run_automaton(scanner._second_pass, block)):
        seen[bisect.bisect_left(starts, offset) - 1].add(pattern)
    missing: Counter[int] = Counter()
    for index, patterns in zip(order, seen, strict=True):
        missing.update(found_alone[index] - patterns)
    assert name_patterns(scanner, missing) == []
