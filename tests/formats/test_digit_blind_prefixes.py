"""A prefix that holds whatever its digits are: what `find_digit_blind_message` says agrees with `read_line`."""

import re
from collections.abc import Iterator

import pytest

from analyzer.formats import FORMATS, find_digit_blind_message, is_continuation_line, read_line
from analyzer.formats.line_format import Tier

LINES = (
    "2026-11-21 05:10:09.123456: E tensorflow/core/distributed_runtime/master.cc:318] CreateSession still waiting",
    "2026-11-21 05:10:09.123456: W    1234 tensorflow/core/framework/op_kernel.cc:1858] OP_REQUIRES failed",
    "2026-11-21 05:10:09.1: I a.cc:3]",
    "E tensorflow/stream_executor/cuda/cuda_driver.cc:965] failed to allocate 3.94G",
    "W 12 a.cu.cc:1]  x",
)


def _with_other_digits(text: str) -> Iterator[str]:
    yield text
    for digit in "0159":
        yield re.sub(r"\d", digit, text)


@pytest.mark.parametrize("line", LINES)
def test_the_message_is_that_of_read_line_with_any_digits(line: str) -> None:
    for text in _with_other_digits(line):
        begin, read = find_digit_blind_message(text), read_line(text, {"worker-1", "0"})
        assert begin is not None
        assert read.message == text[begin:]
        assert not read.stream
        assert not read.host
        assert not is_continuation_line(read)


@pytest.mark.parametrize(
    "line",
    ["[1,3]<stderr>:" + LINES[0], "E0000 00:00:1795237809.123456    4100 a.cc:252] x", "\x1b[31m" + LINES[0], ""],
)
def test_others_may_be_read_differently(line: str) -> None:
    assert find_digit_blind_message(line) is None


def test_no_format_is_tried_before_one_whose_prefix_holds_with_any_digits() -> None:
    blind = [line_format for line_format in FORMATS if line_format.find_message]
    assert blind == list(FORMATS[: len(blind)])
    assert all(line_format.tier is Tier.EXACT and not line_format.wrapper for line_format in blind)
