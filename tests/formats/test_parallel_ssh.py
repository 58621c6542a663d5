"""The output of parallel-ssh: each machine's part stands under a header, which says how the command ended."""

from __future__ import annotations

import pytest

from analyzer.formats import read_line
from analyzer.formats.unwrap import unwrap_head

ENDS = [
    "[SUCCESS] tyr",
    "[FAILURE] tyr Exited with error code 1",
    "[FAILURE] lena@tyr:22 Timed out, Killed by signal 9",
]


@pytest.mark.parametrize("end", ENDS)
def test_each_part_belongs_to_its_machine(end: str) -> None:
    text = f"$ parallel-ssh -i -h hosts ./fit\n[1] 09:12:31 {end}\nstep 1\n[2] 09:12:33 [SUCCESS] freya\nstep 2\n"
    unwrapper, _ = unwrap_head(text.encode())
    assert unwrapper
    plain = (unwrapper.feed(text.encode()) + unwrapper.finish()).decode()
    lines = [read_line(line) for line in plain.splitlines() if "step" in line]
    assert [(line.host, line.message) for line in lines] == [("tyr", "step 1"), ("freya", "step 2")]
