"""The lines that the readers of a head share are those that each would make for itself."""

from __future__ import annotations

import pytest

from analyzer.formats.records.head_lines import head_segments, unnamed_lines, whole_lines

HEAD = "é 1\r\n\n  \n[pod/a/-] b\nähnlich\n\xff".encode() + b"\xff\xe2\x82\nstep 1\xe2\x82\nlast"


def test_whole_lines_hold_text_and_end() -> None:
    lines = whole_lines(HEAD)
    assert lines == tuple(line for line in HEAD.split(b"\n")[:-1] if line.strip())


@pytest.mark.parametrize("length", range(1, 12))
def test_lines_are_cut_and_decoded_each_by_itself(length: int) -> None:
    unnamed = [line for line in whole_lines(HEAD) if not line.startswith(b"[pod/")]
    assert unnamed_lines(HEAD, 10, length) == [line[:length].decode("utf-8", "replace") for line in unnamed]
    assert unnamed_lines(HEAD, 2, length) == [line[:length].decode("utf-8", "replace") for line in unnamed[:2]]


def test_segments_end_at_returns_too() -> None:
    assert head_segments(b"a\rb\nc\r\nd") == (b"a", b"b", b"c", b"", b"d")


def test_nothing_has_no_lines() -> None:
    assert unnamed_lines(b"", 10, 100) == []
