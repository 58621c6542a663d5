"""The inputs of a command: names, URLs, and `-` for standard input. No command of its own."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.errors import InputError, UsageError

if TYPE_CHECKING:
    from analyzer.bundle import Input
    from analyzer.report.document import WrittenIncident

STANDARD_INPUT = "-"
MAX_SPOOLED_BYTES = 64 << 30  # of standard input, and at most half of what is free on the disk
SPOOL_BLOCK_BYTES = 1 << 20
SPOOLED_NAME = "stdin"  # the file's name in the report; its format is found by its content
PIPE_EXAMPLE = "pipe a log or an archive into it: kubectl logs POD | tf-postmortem analyze -"


@contextmanager
def open_inputs(words: Sequence[str]) -> Iterator[list[Input]]:
    """Yield the inputs that the words of a command line name. Standard input is copied to a private file meanwhile.

    Raises UsageError if they are nothing but reports of this program, and if standard input is a terminal. Raises
    InputError if standard input is empty, or larger than what may be copied.
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
        _copy_standard_input(spooled)
        inputs = [spooled if word == STANDARD_INPUT else parse_input(word) for word in words]
        _refuse_reports(inputs)
        yield inputs


def _copy_standard_input(target: Path) -> None:
    """Copy standard input to a file. Raises InputError if it does not end in time: a program may write for ever."""
    limit = min(MAX_SPOOLED_BYTES, shutil.disk_usage(target.parent).free // 2)
    copied = 0
    with target.open("wb") as copy:
        while block := sys.stdin.buffer.read(SPOOL_BLOCK_BYTES):
            copied += len(block)
            if copied > limit:
                raise InputError(
                    f"standard input has more than {limit:,} bytes, the limit for a copy in {target.parent.parent}",
                    "write it to a file and give that file, or set TMPDIR to a folder with more space",
                )
            copy.write(block)
    if not copied:
        raise InputError("standard input is empty", PIPE_EXAMPLE)


def check_anything_read(incident: WrittenIncident) -> None:
    """Raise InputError if no file of the input was read as a log, a core or a record."""
    from analyzer.report.source_list import is_anything_read

    if not is_anything_read(incident):
        raise InputError(
            "the input has no log, core file or record that this program can read",
            "give logs of the job's nodes; `tf-postmortem inspect` shows how each file was read",
        )


def _refuse_reports(inputs: Sequence[Input]) -> None:
    from analyzer.bundle.own_outputs import is_own_output
    from analyzer.bundle.remote import local_path
    from analyzer.report.reader import is_report

    reports = [path for path in inputs if is_own_output(path)]
    if not reports or len(reports) < len(inputs):
        return
    readable = next((path for source in reports if (path := local_path(source)) and is_report(path)), None)
    hint = "give the files of the job's nodes to analyze; `tf-postmortem show` prints a report that -o or --json wrote"
    if readable:
        hint = f"use `tf-postmortem show {readable}` to print it; give the files of the job's nodes to analyze"
    raise UsageError(f"{readable or reports[0]} is a report of this program, not a log", hint)
