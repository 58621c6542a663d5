"""A program that writes after an error what it wrote before went on."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer import analyze

ERROR = (
    "W0000 00:00:1795000002.000000   71 op_kernel.cc:1858] OP_REQUIRES failed at constant_op.cc:176 : "
    "RESOURCE_EXHAUSTED: OOM when allocating tensor with shape[281474976710656] and type float on "
    "/job:localhost/replica:0/task:0/device:CPU:0 by allocator cpu\n"
)


@pytest.mark.parametrize(
    ("behind", "goes_on"),
    [
        ("validated snapshot {}\n", True),
        ("", False),
        ("closing writer {}\n", False),
    ],
)
def test_lines_of_the_same_kind_behind_an_error_speak_against_it(behind: str, goes_on: bool, tmp_path: Path) -> None:
    before = "".join(f"validated snapshot {number}\n" for number in range(3))
    after = "".join(behind.format(number) for number in range(3, 6))
    (tmp_path / "n1.log").write_text("I0000 00:00:1795000000.000000   71 port.cc:153] up\n" + before + ERROR + after)
    [hypothesis, *_] = analyze(tmp_path).incident.hypotheses
    assert any(factor.name == "went-on" for factor in hypothesis.factors) is goes_on
