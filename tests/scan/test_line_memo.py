"""The memo finds what the scanner finds in each segment, although it searches segments that differ in digits once."""

import random
import re
from collections.abc import Sequence

import pytest
from builtin_rules import builtin_packs, lines_of_rule_tests

from analyzer.paths import cache_dir
from analyzer.reading import build_plan
from analyzer.rules.linting.pattern_cost import clean_lines
from analyzer.scan import LineMemo, Scanner, is_digit_blind, line_memo, unpack_hit
from analyzer.scan.digits import split_by_digits
from analyzer.scan.scanner import HyperscanScanner
from analyzer.scan.widen import widen

DIGIT = re.compile(r"\d")
Sightings = set[tuple[int, int]]  # (segment, pattern)


@pytest.fixture(scope="module")
def scanner() -> Scanner:
    pytest.importorskip("hyperscan")
    return build_plan(builtin_packs(), cache_dir()).scanner


def other_digits(text: str, chance: random.Random) -> str:
    return DIGIT.sub(lambda _: str(chance.randrange(10)), text)


def place_sightings(block: bytes, hits: Sequence[tuple[int, int]]) -> Sightings:
    """`hits` are the offset of the last byte and the pattern of each."""
    ends = [match.start() for match in re.finditer(rb"[\r\n]", block)]
    return {(sum(end < offset for end in ends), pattern) for offset, pattern in hits}


def find_plainly(scanner: Scanner, segments: Sequence[bytes]) -> Sightings:
    return {
        (number, pattern) for number, text in enumerate(segments) for _, pattern in map(unpack_hit, scanner.scan(text))
    }


def find_by_memo(memo: LineMemo, block: bytes) -> Sightings:
    hits = memo.scan(b"old\n" + block + b"new\n", 4, 4 + len(block))
    assert hits.offsets.tolist() == sorted(hits.offsets)
    return place_sightings(block, list(zip(hits.offsets.tolist(), hits.patterns.tolist(), strict=True)))


def test_built_in_patterns_on_lines_that_differ_in_digits(scanner: Scanner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_memo, "MAX_NEW_SHARE", 1.0)
    monkeypatch.setattr(line_memo, "MAX_TEMPLATES", 900)  # so that the memo begins anew
    chance = random.Random(7)
    lines = [*chance.sample(lines_of_rule_tests(), 500), *clean_lines(100)]
    varied = [other_digits(line, chance) for line in lines for _ in range(3)] + lines * 2
    chance.shuffle(varied)
    memo = LineMemo(scanner)
    for first in range(0, len(varied), 600):
        segments = [line.encode() for line in varied[first : first + 600]]
        block = b"".join(text + chance.choice((b"\n", b"\n", b"\r")) for text in segments)
        assert find_by_memo(memo, block) == find_plainly(scanner, segments)


def test_only_new_templates_are_searched(scanner: Scanner) -> None:
    searched = []

    class CountedScanner:
        engine = "counted"

        def scan(self, data: bytes, start: int = 0, stop: int | None = None) -> list[int]:
            searched.append(len(data[start:stop]))
            return scanner.scan(data, start, stop)

        def find_digit_dependent_lines(self, text: bytes) -> set[int] | None:
            return scanner.find_digit_dependent_lines(text)

    memo = LineMemo(CountedScanner())
    blocks = [
        b"".join(b"2026-11-21 02:00:%02d,000 INFO train: step %d loss 0.5\n" % (step % 60, step) for step in steps)
        for steps in (range(1_000, 2_000), range(2_000, 3_000))
    ]
    first, second = (memo.scan(block, 0, len(block)) for block in blocks)
    assert len(first.offsets) == len(second.offsets) >= 1_000
    assert set(first.templates.tolist()) == set(second.templates.tolist()) == {1}
    assert sum(searched) < 200


def test_text_that_never_repeats_is_searched_at_once(scanner: Scanner) -> None:
    memo, chance = LineMemo(scanner), random.Random(3)
    for _ in range(8):
        words = ("".join(chance.choices("abcdefgh", k=9)) for _ in range(400))
        block = "".join(f"2026-11-21 02:00:00.000000: E tensorflow/core/a.cc:1] {word}\n" for word in words).encode()
        hits = memo.scan(block, 0, len(block))
        assert len(place_sightings(block, list(zip(hits.offsets, hits.patterns, strict=True)))) >= 400
        assert set(hits.templates.tolist()) == {-1}


@pytest.mark.parametrize(
    ("pattern", "blind"),
    [
        (r"step \d+ (?:loss|[\w.]+)", True),
        (r"[0-9a-f]{4}(?!\d)", True),
        (r"Xid 79", False),
        (r"exit code [1-9]\d*", False),
        (r"exit code (?!0)\d", False),
        (r"[^1]$", False),
        (r"(\d+) of \1", False),
    ],
)
def test_patterns_that_tell_digits_apart(pattern: str, blind: bool) -> None:
    assert is_digit_blind(pattern) is blind


@pytest.mark.parametrize(
    ("pattern", "text", "with_some", "with_any"),
    [
        (r"Xid 79!", "Xid 00!", True, False),
        (r"Xid 79!", "Xid 0!", False, False),
        (r"(?:closed|errno 4)!", "closed!", True, True),
        (r"(?:closed|errno 4)!", "errno 0!", True, False),
        (r"a[b1]c", "a0c", True, False),
        (r"a(?: 7)?c", "ac", True, True),
        (r"a(?: 7)?c", "a 0c", True, False),
        (r"a[^0-3]c", "a0c", True, False),
        (r"a(?:[5-7]|x\d)+c", "ax0x0c", True, True),
        (r"a(?:[5-7]|x\d)+c", "ax00c", True, False),
    ],
)
def test_what_a_pattern_matches_with_some_and_with_any_digits(
    pattern: str, text: str, with_some: bool, with_any: bool
) -> None:
    split = split_by_digits(widen(pattern).expression)
    assert split is not None
    loose, strict = split
    assert bool(re.search(loose, text)) is with_some
    assert (strict is not None and bool(re.search(strict, text))) is with_any


def test_lines_whose_digits_decide_are_told_from_others(scanner: Scanner) -> None:
    patterns = [r"(?:socket closed|errno 104)", r"Xid \d+", r"exit code [1-9]"]
    line_numbers = HyperscanScanner(patterns, None).find_digit_dependent_lines(
        b"socket closed, errno 104\nerrno 000\nXid 79\nexit code 3\nno exit code"
    )
    assert line_numbers == {1, 3}
