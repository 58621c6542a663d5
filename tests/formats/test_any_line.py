"""Whatever the text, `read_line` neither raises nor makes up a time."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from analyzer.formats import FORMATS, read_line
from analyzer.model import Basis
from tests.formats.samples import SAMPLES

TEXTS = [text for _, text in SAMPLES]
# Pieces of real lines in any order come closer to the edges of the patterns than letters do.
PIECES = sorted({piece for text in TEXTS for piece in re.findall(r"\w+|\W", text)})


def check(text: str) -> None:
    line = read_line(text)
    assert isinstance(line.message, str)
    assert len(line.formats) <= 7
    for stamp in line.stamps:
        assert stamp.value >= 0
        if stamp.basis in (Basis.UTC, Basis.LOCAL):
            assert 631152000 <= stamp.value < 7258118400  # 1990 to 2200
    if not any(letter.isdigit() for letter in text):
        assert line.stamps == ()


@given(st.text())
@example("<999>")
@example("[1,")
@example("٣: m")
@example("E٠٠٠٠ 00:00:1795237809.123456 1 a.cc:1] m")
@example("²021-09-04 14:12:08.686281: E a/x.cc:1] m")
def test_any_text(text: str) -> None:
    check(text)


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_any_pieces(text: str) -> None:
    check(text)


@given(st.sampled_from(TEXTS), st.integers(0, 200), st.text(max_size=3), st.integers(0, 3))
def test_damaged_lines(text: str, at: int, insert: str, cut: int) -> None:
    check(text[:at] + insert + text[at + cut :])


@given(st.sampled_from(TEXTS), st.sampled_from(TEXTS))
def test_any_two_lines_glued(first: str, second: str) -> None:
    check(first + second)


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    check(data.decode("utf-8", "replace"))


def test_long_lines_take_one_pass() -> None:
    """A pattern that backtracks over the line would not come back from these."""
    for piece in (" ", "-", "1", "[", "a", "(", "a: ", "1: ", "node-1 ", "[1] ", "<1>", "2026-11-21 04:17:38 "):
        text = piece * (300_000 // len(piece))
        check(text)


def test_starts_are_only_a_short_cut() -> None:
    for line_format in FORMATS:
        for text in TEXTS:
            if line_format.first_chars and text[:1] not in line_format.first_chars:
                assert line_format.parse(text) is None
            for dated in (f"2026-11-21 05:10:06{text}", f"2026-11-21T05:10:06{text}", f"[2026-11-21 05:10:06{text}"):
                mark = "[" if dated[0] == "[" else dated[10]
                assert mark in line_format.date_marks or line_format.parse(dated) is None
