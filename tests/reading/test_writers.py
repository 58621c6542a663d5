"""Names before the lines of one file are those of its writers, wherever they begin."""

from __future__ import annotations

import pytest

from analyzer.reading.writers import find_writers

MAIL = "Sender: LSF System\nSubject: Job 7: <fit> Exited\n\nStarted at Tue May 14 08:01:22 2024\n" + "\n" * 30
LINES = "".join(
    f"[{host}] I0514 08:53:{second:02}.604168 140234 fit.py:118] step {second} loss 0.4\n"
    for second in range(30)
    for host in ("tyr", "freya", "odin")
)


@pytest.mark.parametrize("preamble", ["", MAIL])
def test_writers_are_found_behind_a_preamble(preamble: str) -> None:
    assert find_writers((preamble + LINES).encode()) == {"tyr", "freya", "odin"}


def test_levels_are_no_writers() -> None:
    text = "".join(f"[{level}] step {number} is done\n" for number in range(99) for level in ("INFO", "DEBUG"))
    assert find_writers(text.encode()) == set()
