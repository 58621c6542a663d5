"""What is remembered of a line's template never decides about a line whose own digits would decide otherwise."""

import io
import random
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from builtin_rules import builtin_packs, lines_of_rule_tests

from analyzer.formats import ends_with_message, read_line
from analyzer.paths import cache_dir
from analyzer.reading import ReadPlan, build_plan, read_source, shapes
from analyzer.reading.hit_throttle import HitThrottle
from analyzer.reading.hits import MAX_HEAD_HITS, MAX_TAIL_HITS
from analyzer.reading.source_result import SourceResult
from analyzer.rules.load import load_packs
from analyzer.scan import LineMemo, is_blind_beyond_match
from analyzer.scan.suffixes import widen_to_suffixes

DIGIT = re.compile(r"\d")
STAMP = "2026-11-21 02:00:00,000 ERROR train: "
COPIES = 90  # of a line: more than are read before others are left out, and fewer than throttle a signal


class _ShortReads(io.BytesIO):
    """A stream that returns less than it is asked for, as decompressors do."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(size, 3_001) if size and size > 0 else size)


def _read(plan: ReadPlan, lines: Sequence[str], stream: type[io.BytesIO] = io.BytesIO) -> SourceResult:
    return read_source("train.log", stream("".join(f"{line}\n" for line in lines).encode()), plan)


def _plan_of(folder: Path, signal: str) -> ReadPlan:
    file = folder / "pack.yaml"
    file.write_text(f"pack: templates\nversion: 1.0.0\nsignals:\n  hit: {{{signal}}}\n")
    packs = load_packs([file], builtin=False)
    assert not packs.problems
    return build_plan(packs)


CASES = [
    (r"match: 'exit code 1[0-9]{2}'", STAMP + "exit code 137", STAMP + "exit code 200"),
    (r"match: 'errno 5\b'", STAMP + "errno 5", STAMP + "errno 4"),
    (r"match: 'step \d{6,}'", STAMP + "step 123456", STAMP + "step 12345"),
    (r"match: 'Xid.{0,20} 79,'", STAMP + "Xid (PCI:3b:00): 79, pid=1", STAMP + "Xid (PCI:3b:00): 31, pid=1"),
    (r"match: 'status (?!0)\d'", STAMP + "status 9", STAMP + "status 0"),
    (r"match: '(\d+) of \1 failed'", STAMP + "8 of 8 failed", STAMP + "7 of 8 failed"),
    (r"match: 'exit \d+', not_match: 'exit 0$'", STAMP + "exit 1", STAMP + "exit 0"),
    (r"match: 'code \d+', contains: ['code 13']", STAMP + "code 13", STAMP + "code 12"),
    (r"match: 'it failed', fields: {code: '> 4'}", STAMP + "it failed code=5", STAMP + "it failed code=4"),
    # The day makes a date of the prefix, or not, so it decides where the message begins,
    (r"match: '^it failed$'", "11/30/2026 05:10:07 it failed", "11/31/2026 05:10:07 it failed"),
    (r"match: '^it failed$'", "30/11/2026 05:10:07 it failed", "31/11/2026 05:10:07 it failed"),
    (r"match: '^it failed$'", "[23:59:59] it failed", "[24:59:59] it failed"),
    (r"match: '^it failed$'", "2026-11-30 05:10:07,123 it failed", "2026-11-31 05:10:07,123 it failed"),
    # and the number of a syslog priority says whether the kernel wrote it.
    (r"match: 'it failed', source: worker", "<9>it failed", "<3>it failed"),
]  # fmt: skip


@pytest.mark.parametrize(("signal", "hit", "miss"), CASES)
@pytest.mark.parametrize("stream", [io.BytesIO, _ShortReads])
def test_lines_of_one_template_of_which_only_some_are_hits(
    tmp_path: Path, signal: str, hit: str, miss: str, stream: type[io.BytesIO]
) -> None:
    plan = _plan_of(tmp_path, signal)
    pairs = [hit, miss] * COPIES
    for lines in (pairs, sorted(pairs), sorted(pairs, reverse=True)):
        result = _read(plan, [STAMP + "begin"] * 100 + lines, stream)
        assert sum(result.counts.values()) == COPIES
        assert {event.text for event in result.events} == {hit}
        assert len(result.events) == COPIES


@pytest.mark.parametrize(("signal", "hit", "miss"), CASES)
def test_floods_of_one_template_of_which_only_some_are_hits(tmp_path: Path, signal: str, hit: str, miss: str) -> None:
    plan = _plan_of(tmp_path, signal)
    for lines in ([hit, miss] * 600, [hit] * 600 + [miss] * 600, [miss] * 600 + [hit] * 600):
        result = _read(plan, [STAMP + "begin"] * 100 + lines, _ShortReads)
        assert sum(result.counts.values()) == 600
        assert [event.text for event in result.events] == [hit] * (MAX_HEAD_HITS + MAX_TAIL_HITS)


def test_a_traceback_that_the_following_lines_refute_says_nothing_of_the_next(tmp_path: Path) -> None:
    plan = _plan_of(tmp_path, "match: '^Traceback', feeds: traceback, severity: error, not_match: 'KeyboardInterrupt'")
    frames = ["Traceback (most recent call last):", '  File "a.py", line 1, in <module>', "    f()"]
    lines = [*frames, "KeyboardInterrupt", *frames, "ValueError: 1"] * COPIES
    assert sum(_read(plan, lines).counts.values()) == COPIES


def test_a_flood_is_counted_without_a_look_at_each_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = _plan_of(tmp_path, "match: '(?:errno 104|reset by peer)', feeds: error, severity: error")
    looks = []
    count = HitThrottle.count_if_throttled
    monkeypatch.setattr(HitThrottle, "count_if_throttled", lambda *args: looks.append(args) or count(*args))
    lines = [f"{STAMP}step {step}: connection reset by peer" for step in range(10_000, 30_000)]
    lines[15_000] = f"{STAMP}step 1: nobody knows errno 104"
    result = _read(plan, lines)
    assert result.counts == {("hit", ""): 20_000}
    assert sum(result.shapes.values()) == 20_000
    assert len(looks) < 400
    tail = [event.locus.line for event in result.events][-MAX_TAIL_HITS:]
    assert tail == [*range(19_951, 20_001)]
    assert 15_001 in [event.locus.line for event in result.events], "an error of a new shape is kept"


@pytest.mark.parametrize(
    "form",
    [
        "2026-11-21 02:00:00 [info     ] step                 [train] loss=0.5 step={}",
        "ts=2026-11-21T02:00:00Z level=info msg=step loss=0.5 step={}",
    ],
)
def test_an_end_of_a_line_that_is_no_message_costs_no_look_at_each_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    file = tmp_path / "pack.yaml"
    file.write_text(
        "pack: templates\nversion: 1.0.0\nsignals:\n  hit: {match: 'loss=', feeds: progress, severity: info}\n"
        "  end: {match: '^step=\\d+$', severity: error}\n"
    )
    looks = []
    count = HitThrottle.count_if_throttled
    monkeypatch.setattr(HitThrottle, "count_if_throttled", lambda *args: looks.append(args) or count(*args))
    lines = [form.format(step) for step in range(10_000, 30_000)]
    result = _read(build_plan(load_packs([file], builtin=False)), lines)
    assert result.counts == {("hit", ""): 20_000}
    assert len(looks) < 1_000


@pytest.mark.parametrize("frames", [0, 1, 300])
def test_a_known_line_is_source_code_below_a_frame(tmp_path: Path, frames: int) -> None:
    plan = _plan_of(tmp_path, "match: 'it failed', severity: error")
    quote = ["Traceback (most recent call last):", '  File "a.py", line 3, in f', "    it failed(7)", "ValueError: 7"]
    lines = ["    it failed(5)"] * 400 + quote * frames + ["    it failed(6)"] * 400
    result = _read(plan, lines, _ShortReads)
    assert result.counts == {("hit", ""): 800}
    assert not any("(7)" in event.text for event in result.events)


def test_a_flood_of_errors_with_blocks_is_counted_where_the_blocks_are_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line behind each error is read: a text, or a number that is no month, makes it a part of the error."""
    plan = _plan_of(tmp_path, "match: 'it failed', feeds: error, severity: error, block: {lines: 3}")
    lines = [f"11/30/2026 05:10:07 ERROR it failed at {number}" for number in range(4_000)]
    for place in (0, 120, 1_500, 2_500, 3_990):
        lines[place] += "\n    detail"
        lines[place + 3] = lines[place + 3].replace("11/", "13/")
    looks = []
    count = HitThrottle.count_if_throttled
    monkeypatch.setattr(HitThrottle, "count_if_throttled", lambda *args: looks.append(args) or count(*args))
    flood = _read(plan, lines, _ShortReads)
    assert len(looks) < 600
    monkeypatch.setattr(LineMemo, "scan", lambda self, data, start, stop: self._search(data[start:stop]))
    one_by_one = _read(plan, lines)
    assert flood.counts == one_by_one.counts
    assert (flood.events, flood.stamps, flood.shapes) == (one_by_one.events, one_by_one.stamps, one_by_one.shapes)
    assert flood.counts == {("hit", ""): 4_000}


def test_errors_beyond_those_that_are_told_apart_are_counted_as_if_they_were_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, chance = _plan_of(tmp_path, "match: ' ERROR ', feeds: error, severity: error"), random.Random(3)
    monkeypatch.setattr(shapes, "MAX_SHAPES", 150)
    words = [f"{first}{last}" for first in ("lease", "shard", "quota", "tensor") for last in ("Lost", "Gone", "Bad")]
    lines = [f"{STAMP}{' '.join(chance.choices(words, k=3))} after {chance.randrange(9)} s" for _ in range(3_000)]
    counted = _read(plan, lines, _ShortReads)
    monkeypatch.setattr(HitThrottle, "_count_other_shape", lambda *args: False)
    read = _read(plan, lines)
    assert (counted.counts, counted.shapes) == (read.counts, read.shapes)
    assert (counted.events, counted.stamps) == (read.events, read.stamps)


@pytest.mark.parametrize(("sampled", "copies"), [(150, 24), (15, 400)])
def test_built_in_signals_read_the_same_without_a_memo(
    monkeypatch: pytest.MonkeyPatch, sampled: int, copies: int
) -> None:
    """Lines of the rules' own tests, behind several prefixes, in random order and with other digits."""
    plan, chance = build_plan(builtin_packs(), cache_dir()), random.Random(11)
    prefixes = (
        "",
        "11/30/2026 05:10:07 ",
        STAMP,
        "[05:10:06] ",
        "1795237809.123456 ",
        "<13>",
        "I1121 05:10:06.500000 1 a.cc:12] ",
        "Nov 21 05:10:06 n-1 train[17]: ",
        "2026-11-21 05:10:06 [info     ] ",
        "ts=2026-11-21T05:10:06Z level=info msg=",
        "21.11.2026 05:10:06 ",
    )
    lines = [
        DIGIT.sub(lambda _: str(chance.randrange(10)), chance.choice(prefixes))
        + DIGIT.sub(lambda _: str(chance.randrange(10)), line)
        for line in chance.sample(lines_of_rule_tests(), sampled)
        for _ in range(copies)
    ]
    chance.shuffle(lines)
    with_memo = _read(plan, lines)
    monkeypatch.setattr(LineMemo, "scan", lambda self, data, start, stop: self._search(data[start:stop]))
    without = _read(plan, lines)
    assert [(event.locus.line, event.signal) for event in with_memo.events] == [
        (event.locus.line, event.signal) for event in without.events
    ]
    assert (with_memo.events, with_memo.shapes) == (without.events, without.shapes)
    exact = {key for key in without.counts if key[0] not in without.scanner_counted | with_memo.scanner_counted}
    assert len(exact) > sampled // 3
    assert {key: with_memo.counts[key] for key in exact} == {key: without.counts[key] for key in exact}


@pytest.mark.parametrize(
    ("pattern", "blind"),
    [
        (r"(?:errno 104|reset)", True),
        (r"reset(?! 5)", False),
        (r"reset(?!\d)", True),
        (r"a(?>(?:bc5)?)bc", False),
        (r"a(?:b5)?+b", False),
        (r"(\d)?(?(1)a|b)", False),
    ],
)
def test_patterns_to_which_digits_beyond_a_match_are_all_the_same(pattern: str, blind: bool) -> None:
    assert is_blind_beyond_match(pattern) is blind


@pytest.mark.parametrize(
    ("pattern", "line", "is_matched"),
    [
        (r"^step \d+$", "INFO: step 5", True),
        (r"^step \d+$", "step 5 loss", False),
        (r"(?:^|\s)Epoch \d", "1Epoch 2", True),
        (r"\bfail", "unfail", True),
        (r"un\bfail", "unfail", False),
        (r"(?<!o)step", "ostep", True),
        (r"(?i)^STEP (?!\d)", "a step 5", True),
        (r"a\Z|^b\b", "ab", True),
    ],
)
def test_patterns_that_match_some_end_of_a_line(pattern: str, line: str, is_matched: bool) -> None:
    assert bool(re.search(widen_to_suffixes(pattern), line)) is is_matched


def test_built_in_patterns_match_no_end_of_a_line_that_their_widened_form_does_not_match() -> None:
    chance = random.Random(5)
    plan = build_plan(builtin_packs(), None, for_small_texts=True)
    lines = [
        line
        for line in chance.sample(lines_of_rule_tests(), 40)
        if line.isascii() and line.isprintable() and len(line) < 200
    ]
    for compiled in plan.signals:
        for pattern, widened in zip(compiled.match, compiled.suffix_match, strict=True):
            for line in lines:
                if widened.search(line) is None:
                    starts = [0, *(match.end() for match in re.finditer(r"\W", line))]
                    assert not any(pattern.search(line[start:]) for start in starts)


def test_lines_that_end_with_their_message() -> None:
    for text in (
        "2026-11-21 02:00:00,000 ERROR train: it failed",
        "    > node-1: I1121 05:10:06.500000 1 a.cc:12] it failed",
        'time="2026-11-21T05:10:06Z" level=error msg="it \\"failed\\"" code=5',
        "\x1b[31m[05:10:06] it failed\x1b[0m",
    ):
        assert ends_with_message(text) is text.endswith(read_line(text).message)
