"""Code that a log quotes is no word of the program."""

from __future__ import annotations

import io

import pytest

from analyzer.model import Severity
from analyzer.reading import ReadPlan, read_source

CODE = 'raise OSError(errno.ENOSPC, "No space left on device")'
FRAME = '  File "/srv/guard.py", line 31, in check'


def grave(plan: ReadPlan, text: str) -> set[str]:
    """The signals above the level of information, but for those of a traceback as a whole."""
    result = read_source("n1/worker.log", io.BytesIO(text.encode()), plan)
    return {e.signal for e in result.events if e.severity > Severity.INFO and not e.text.endswith("last):")}


@pytest.mark.parametrize("prefix", ["", "[1,3]<stderr>:", "3: ", "2026-03-01T12:00:00.123456789Z stderr F "])
@pytest.mark.parametrize("code", [f"    {CODE}", f"    if full:\n        {CODE}"])
def test_code_below_its_frame_is_quoted(plan: ReadPlan, prefix: str, code: str) -> None:
    lines = ["Traceback (most recent call last):", FRAME, *code.split("\n"), "KeyError: 'a'"]
    text = "".join(f"{prefix}{line}\n" for line in lines)
    assert grave(plan, text) <= {"exception_line", "uncaught_exception"}


@pytest.mark.parametrize("line", [f"---> 31     {CODE}", f"│ ❱ 31 │   {CODE}   │", f"│   30 │   {CODE}   │"])
def test_code_that_a_shell_or_rich_shows_is_quoted(plan: ReadPlan, line: str) -> None:
    assert not grave(plan, f"before\n{line}\n")


@pytest.mark.parametrize(
    "text",
    [
        f"{FRAME}\nOSError: [Errno 28] No space left on device: '/scratch/a'\n",  # a frame without its code
        "OSError: [Errno 28] No space left on device: '/scratch/a'\n",
        f"{FRAME}\n    x = f()\n  OSError: [Errno 28] No space left on device: '/scratch/a'\n",
    ],
)
def test_what_was_raised_is_no_code(plan: ReadPlan, text: str) -> None:
    assert "disk-full" in grave(plan, text)


def test_it_is_no_code_however_often_it_is_said(plan: ReadPlan) -> None:
    error = "OSError: [Errno 28] No space left on device: '/scratch/a'\n"
    quoted = f"{FRAME}\n    {CODE}\n"
    result = read_source("n1/worker.log", io.BytesIO((error * 300 + quoted * 50).encode()), plan)
    assert sum(count for (signal, _), count in result.counts.items() if signal == "disk-full") == 300
