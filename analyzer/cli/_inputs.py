"""The inputs of a command: names, URLs, and `-` for standard input. No command of its own."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from analyzer.errors import UsageError

if TYPE_CHECKING:
    from analyzer.bundle import Input

STANDARD_INPUT = "-"
SPOOLED_NAME = "stdin"  # the file's name in the report; its format is found by its content
PIPE_EXAMPLE = "pipe a log or an archive into it: kubectl logs POD | tf-postmortem analyze -"


@contextmanager
def open_inputs(words: Sequence[str]) -> Iterator[list[Input]]:
    """Yield the inputs that the words of a command line name. Standard input is copied to a private file meanwhile.

    Raises UsageError if they are nothing but reports of this program, and if standard input is a terminal.
    """
    from analyzer.bundle import parse_input
    from analyzer.scratch import scratch_folder

    if STANDARD_INPUT not in words:
        inputs = [parse_input(word) for word in words]
        _refuse_reports(inputs)
        yield inputs
        return
    if list(words).count(STANDARD_INPUT) > 1:
        raise UsageError("standard input (-) is given twice", "give it once")
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("standard input (-) is a terminal", PIPE_EXAMPLE)
    with scratch_folder() as folder:
        spooled = folder / SPOOLED_NAME
        with spooled.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy, 1 << 20)
        inputs = [spooled if word == STANDARD_INPUT else parse_input(word) for word in words]
        _refuse_reports(inputs)
        yield inputs


def _refuse_reports(inputs: Sequence[Input]) -> None:
    from analyzer.bundle.own_outputs import is_own_output

    reports = [path for path in inputs if is_own_output(path)]
    if reports and len(reports) == len(inputs):
        raise UsageError(
            f"{reports[0]} is a report of this program, not a log",
            f"use `tf-postmortem show {reports[0]}` to print it; give the files of the job's nodes to analyze",
        )
