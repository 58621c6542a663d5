"""The options of `record`, for the program and for the collector that runs without it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from analyzer.collect.command import read_span, say

RECORD = """Run a program under watch: samples of its resources, its output with times of arrival, how it ended and who
sent the signal. The program sees no difference; its exit status is returned (128 + n for signal n)."""
MOST_OFTEN = 0.05  # seconds


def run_record(words: Sequence[str], program: str) -> int:
    """The command. Exit status: the program's; 2 wrong usage, 1 where the record cannot be written."""
    parser = argparse.ArgumentParser(prog=program, description=RECORD)
    add = parser.add_argument
    add("--interval", type=read_span, default=1.0, metavar="T", help="between samples: 1s, 0.5, 2m (default 1s)")
    add("--out", type=Path, default=Path("flight.jsonl"), metavar="FILE.jsonl", help="default %(default)s")
    add("--no-output", action="store_true", help="leave the program's standard output and error alone")
    add("--core", action="store_true", help="raise the limit on core files as far as allowed")
    add("command", nargs=argparse.REMAINDER, metavar="-- PROGRAM ...", help="what to run")
    given = parser.parse_args(words)
    command = given.command[1:] if given.command[:1] == ["--"] else given.command
    if not command:
        parser.error("name the program to run behind --")
    if given.interval < MOST_OFTEN:
        parser.error(f"--interval: at least {MOST_OFTEN} s")
    try:
        from analyzer.record.run import Request, record
    except ImportError:
        say("error: this Python has no psutil", "hint: pip install psutil")
        return 1
    try:
        done = record(Request(command, given.out, given.interval, not given.no_output, given.core))
    except OSError as error:
        say(f"error: {given.out}: {error.strerror}", "hint: name another file with --out")
        return 1
    say(*done.notes)
    return done.status
