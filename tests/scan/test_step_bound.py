"""Which patterns are searched for without a clock: never one that may take long on a text of that length."""

import re._parser as parser  # type: ignore[import-not-found]

import pytest
import regex

from analyzer.scan.first_characters import characters_of
from analyzer.scan.step_bound import TEXT_LENGTHS, find_clockless_chars


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a+)+$",
        r"(?:a|a)*b",
        r"(?:a|aa)+$",
        r"(?:\w+\s?)*:",
        r"(?:a*)*b",
        r"(x+x+)+y",
        r".*.*.*.*=.*",
        r"(?:.{0,60}a){8}",
        r"(?P<x>\w+) (?P=x)",
        r"^(?:[\w.]+)*@",
        r"(?=(?:a+)+$)b",
        r"a(?!(?:a|a)*b)",
        r"(?>(?:a|a)+b)",
        r"(a+)++",  # what `re` refuses or reads in another way
        r"\p{Lu}+",
        r"(",
    ],
)
def test_what_may_take_long_needs_a_clock(pattern: str) -> None:
    assert find_clockless_chars(pattern) == 0


@pytest.mark.parametrize(
    ("pattern", "least"),
    [
        ("Coordination agent has successfully connected", 8192),
        (r"Loaded cuDNN version (?P<cudnn>\d+)", 8192),
        (r"(?P<task>/job:\w+/(?:replica:\d+/)?task:\d+) has connected", 1024),
        (r"^step (?P<step>\d+)(?: of \d+)?$", 1024),
        (r"(?i)\b(?:error|failed)\b.{0,80}?(?P<path>/\S+)", 128),
        (r"(?:[a-z]\w*\.){0,8}Error", 128),
    ],
)
def test_ordinary_patterns_need_none(pattern: str, least: int) -> None:
    assert find_clockless_chars(pattern) >= least


def test_the_longest_search_without_a_clock_ends() -> None:
    """The worst text for each: every part may end at every place, and the last text is missing."""
    for pattern in (r"a.{0,300}a.{0,300}x", r"(?:^|[\s:])E \S{1,300}:\d+\] ", r"\S+ .*\d+x", r"(?:a|ab|b){0,9}c"):
        length = find_clockless_chars(pattern)
        assert length in TEXT_LENGTHS
        for text in ("a" * length, "E :1" * (length // 4), "a 1" * (length // 3), "ab" * (length // 2)):
            assert regex.search(pattern, text) is None


@pytest.mark.parametrize(
    "pattern",
    [
        "a",
        "K",
        "[^a]",
        "[a-f]",
        r"\d",
        r"\D",
        r"\w",
        r"\W",
        r"\s",
        r"\S",
        ".",
        r"[\d.]",
        r"[^\s:]",
        "[À-ž]",
        "ſ",
        "İ",
        "ß",
    ],
)
def test_a_set_holds_all_characters_that_match(pattern: str) -> None:
    ((op, arg),) = parser.parse(pattern)
    characters = characters_of(op, arg)
    assert characters is not None
    for flags in (0, regex.IGNORECASE):
        matching = [code for code in range(0x2200) if regex.fullmatch(pattern, chr(code), flags)]
        assert characters.ascii >= {code for code in matching if code < 128}
        assert characters.beyond or max(matching) < 128
