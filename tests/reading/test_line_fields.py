"""Fields of a line are the same whichever record format wrote them."""

from __future__ import annotations

import pytest

from analyzer.formats import read_line
from analyzer.reading.line_fields import read_fields


def fields(text: str) -> dict[str, str]:
    return read_fields(text, read_line(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("step failed rank=3 code=-9", {"rank": "3", "code": "-9"}),
        ('msg="no \\"space\\" left" path="C:\\\\x" empty=""', {"msg": 'no "space" left', "path": "C:\\x", "empty": ""}),
        ("(rank=3, host=a); [dev=cuda:0]", {"rank": "3", "host": "a", "dev": "cuda:0"}),
        ("error.code=5 k8s/pod=x @v=1", {"error.code": "5", "k8s/pod": "x", "@v": "1"}),
        ("a==b x!=y == 5 =6 7=8 not_closed=\"a b", {"a": "=b"}),
        ("first=1 first=2", {"first": "2"}),
        ("no fields here: a = b", {}),
    ],
)  # fmt: skip
def test_pairs(text: str, expected: dict[str, str]) -> None:
    assert fields(text) == expected


@pytest.mark.parametrize(
    ("text", "level", "writer"),
    [
        ('time="2026-11-21T05:10:06Z" level=err msg="step failed" step=12', "error", None),
        ("2026-11-21T05:10:06.500000+00:00 CRITICAL train: step failed step=12", "fatal", "train"),
        ("2026-11-21 05:10:06.5: W tensorflow/core/x.cc:12] step failed step=12", "warning", "tensorflow/core/x.cc:12"),
    ],
)
def test_the_prefix_states_level_and_writer(text: str, level: str, writer: str | None) -> None:
    read = fields(text)
    assert (read["level"], read.get("logger"), read["step"]) == (level, writer, "12")
