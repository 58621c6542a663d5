"""Properties of the parts: marks, times, mutants, generalised patterns, positions."""

import pytest
import regex
import yaml
from hypothesis import given
from hypothesis import strategies as st

from analyzer.rule_tests.inline_expectations import read_expectations, update_expectations
from analyzer.rule_tests.mutations import MUTATION_KINDS, mutate_bundle
from analyzer.rule_tests.time_shift import shift_times
from analyzer.rules.authoring.pattern_from_line import split_message, write_pattern
from analyzer.rules.authoring.propose import propose_pack
from analyzer.rules.linting.backtracking import (
    find_backtracking_line,
    has_ambiguous_nesting,
    matches_empty,
    parse_tree,
    sample_match,
)
from analyzer.rules.parsing.yaml_spans import locate

LINES = st.lists(
    st.sampled_from(["a", "", "#! r1", "#~ r1 r2", "#? r*", "#! not a mark!", "#!/bin/sh", "# x"]), max_size=12
)


@given(LINES, st.sets(st.integers(1, 13)))
def test_blessing_keeps_the_log_and_is_done_at_once(lines: list[str], fired: set[int]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    rules = {number: {"r1"} for number in fired}
    blessed = update_expectations(text, rules, {"r1"})
    old, new = read_expectations(text), read_expectations(blessed)
    assert new.text == old.text
    moved = dict(zip(old.line_numbers, new.line_numbers, strict=True))
    again = {moved[number]: names for number, names in rules.items() if number in moved}
    assert update_expectations(blessed, again, {"r1"}) == blessed


def test_no_shebang_is_a_mark() -> None:
    marked = read_expectations("#!/bin/bash\n#! a, b-*\nx\n")
    assert marked.text == "#!/bin/bash\nx\n"
    assert [(mark.kind, mark.rules, mark.line) for mark in marked.expectations] == [("!", ("a", "b-*"), 3)]
    assert marked.original_line_number(2) == 3


STAMPS = [
    "2024-02-28 23:59:50.123456: I x",
    "2024/02/28 23:59:50 x",
    "E0228 23:59:50.000001 7 x.cc:1] y",
    "Feb  8 23:59:50 h k: x",
    "Thu Feb  8 23:59:50 2024 x",
    "Thu Feb  8 23:59:50 UTC 2024 x",
    "23:59:50 [INFO] x",
    "1709164790.123456 x",
    "[2024-02-28T23:59:50+09:00] x",
]


@given(st.sampled_from(STAMPS), st.integers(-40_000_000, 40_000_000))
def test_times_come_back(line: str, seconds: int) -> None:
    if "23:59:50 [" in line or "Feb  8 23:59:50 h" in line or line.startswith("E"):
        seconds %= 86400 * 5  # these state no year, or no day
        seconds = seconds % 9 if line.startswith("23") else seconds
    moved = shift_times(line, seconds)
    assert shift_times(moved, -seconds) == line
    assert (moved == line) == (seconds == 0)


def test_uptimes_pass_but_are_no_clock() -> None:
    assert shift_times("[  12.5] x", 10) == "[  12.5] x"
    assert shift_times("[  12.5] x", 10, uptime=True) == "[  22.5] x"


def test_a_time_that_is_none_stays() -> None:
    assert shift_times("2024-13-45 10:00:00 x", 5) == "2024-13-45 10:00:00 x"


@given(
    st.dictionaries(st.sampled_from(["n1/a", "n2/b"]), st.lists(st.text("ab1", max_size=3), max_size=30).map("\n".join))
)
def test_mutants_differ_in_one_file_and_are_few(texts: dict[str, str]) -> None:
    for mutant in mutate_bundle(texts):
        assert mutant.kind in MUTATION_KINDS
        assert set(mutant.texts) == set(texts)
        assert sum(mutant.texts[path] != texts[path] for path in texts) == 1
    assert sum(1 for _ in mutate_bundle(texts)) <= 12 * len(MUTATION_KINDS) * 2


WORDS = st.lists(
    st.sampled_from(
        [
            "failed",
            "to open",
            "/var/lib/x.so:",
            "pid 42",
            "rank=3",
            "0xdeadbeef",
            "10.0.0.1:80",
            "'a b'",
            "12.5 GiB",
            "[x]",
            "{y}",
            "a+b*",
            "0000:3b:00.0",
            "3 attempts",
            "node=n1",
            "\\d",
            "(z",
            "2024-03-01 10:00:00",
        ]
    ),
    min_size=1,
    max_size=9,
).map(" ".join)


@given(WORDS)
def test_a_proposed_pattern_finds_its_line(message: str) -> None:
    pieces = split_message(message)
    pattern = write_pattern(pieces)
    assert "".join(piece.text for piece in pieces) == message
    match = regex.compile(pattern).search(message)
    assert match is not None
    assert not find_backtracking_line(pattern)


@given(WORDS, st.sampled_from(["", "2024-03-01 10:00:00,123 ERROR x: ", "[  12.5] ", "Mar  1 10:00:00 h d[1]: "]))
def test_a_proposed_pack_is_yaml_with_a_near_miss_that_misses(message: str, prefix: str) -> None:
    proposal = propose_pack(prefix + message)
    if proposal is None:
        return
    (rule,) = yaml.safe_load(proposal.yaml)["rules"]
    assert rule["match"] == proposal.pattern
    fires, silent = rule["tests"]
    (line,), (near,) = fires["fires"].values(), silent["silent"].values()
    assert line == prefix + message
    assert regex.compile(proposal.pattern).search(line)
    assert near == proposal.near_miss
    assert not regex.compile(proposal.pattern).search(near)


def test_what_explodes_is_found_and_what_does_not_is_left() -> None:
    for bad in (r"(a+)+$", r"(a|aa)+$", r"^(?:\w|\w\w)+!$"):
        assert find_backtracking_line(bad), bad
    for good in (r"Killed process (?P<pid>\d+)", r"a.*b.*c", r"(?:/[\w.]+)+:", r"\S+ \S+ lost"):
        assert not find_backtracking_line(good), good
        assert not has_ambiguous_nesting(good) or good.startswith("(?:/")
    assert has_ambiguous_nesting(r"(\w+,?)*x")
    assert matches_empty(r"a*|b")
    assert not matches_empty(r"a+|b")


@given(st.sampled_from([r"ab+[0-9]{2,4}(?:x|y)\.z", r"[^a]b\d\s\w", r"(?P<n>\d+) of (?P<m>[a-f]+)", r"(?i)LOST\b \S+"]))
def test_a_sample_is_matched(pattern: str) -> None:
    assert regex.compile(pattern).search(sample_match(parse_tree(pattern)))


def test_positions_are_exact_behind_wide_characters() -> None:
    text = "pack: x\nrules:\n  - id: a\n    title: 'ü → 😀'\n    tests: [{node: n1, captures: {p: \"7\"}}]\n"
    positions = locate(text)
    place = positions["rules", "a", "tests", "0", "captures", "p"]
    assert text[place.start : place.stop] == '"7"'
    assert (place.line, text.splitlines()[4][place.column - 1]) == (5, '"')
    title = positions["rules", "a", "title"]
    assert text[title.start : title.stop] == "'ü → 😀'"
    assert locate("a: [") == {}


def test_a_short_hexadecimal_name_is_one_capture() -> None:
    assert "lease (?P<lease>[0-9a-f]" in write_pattern(split_message("velvetfs: lease 88f1 on /velvet/part-17 expired"))


@pytest.mark.parametrize(
    ("prefix", "role", "severity"),
    [
        ("2026-03-01 10:00:07,000 INFO feeder: ", "context", "info"),
        ("2026-03-01 10:00:07,000 WARNING feeder: ", "symptom", "warning"),
        ("2026-03-01 10:00:07,000 ERROR feeder: ", "cause", "error"),
        ("", "cause", "error"),
    ],
)
def test_what_a_line_says_of_its_severity_decides_what_is_proposed(prefix: str, role: str, severity: str) -> None:
    proposal = propose_pack(f"{prefix}table t7 of the feeder was reopened")
    assert proposal
    (rule,) = yaml.safe_load(proposal.yaml)["rules"]
    assert (rule["role"], rule["severity"]) == (role, severity)
