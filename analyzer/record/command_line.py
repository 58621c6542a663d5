"""The command line of `record`, for the program and for the standalone collector."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from analyzer.collect.command_line import add_log_options, log_of_run, parse_duration, print_lines

RECORD_DESCRIPTION = """Run a program and record resource samples, its output with times of arrival, how it ended and
who sent the signal. The program runs as usual; its exit status is returned (128 + n for signal n)."""
MIN_INTERVAL_S = 0.05  # seconds


def run_record(words: Sequence[str], program: str) -> int:
    """Run the command. Exit status: the program's; 2 for wrong usage, 1 if the record cannot be written."""
    parser = argparse.ArgumentParser(prog=program, description=RECORD_DESCRIPTION)
    add = parser.add_argument
    add(
        "--interval",
        type=parse_duration,
        default=1.0,
        metavar="T",
        help="time between samples: 1s, 0.5, 2m (default 1s)",
    )
    add(
        "--out",
        type=Path,
        default=Path("flight.jsonl"),
        metavar="FILE.jsonl",
        help="file to write; default: %(default)s",
    )
    add("--no-output", action="store_true", help="do not record the program's standard output and error")
    add("--core", action="store_true", help="raise the size limit of core files as far as allowed")
    add_log_options(parser)
    add("command", nargs=argparse.REMAINDER, metavar="-- PROGRAM ...", help="the program to run, with its arguments")
    options = parser.parse_args(words)
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not command:
        parser.error("give the program to run after --")
    if options.interval < MIN_INTERVAL_S:
        parser.error(f"--interval: at least {MIN_INTERVAL_S} s")
    try:
        from analyzer.record.run import RecordRequest, record
    except ImportError:
        print_lines("error: this Python has no psutil", "hint: pip install psutil")
        return 1
    try:
        with log_of_run(options.verbose, options.log_file):
            outcome = record(
                RecordRequest(
                    command=command,
                    out=options.out,
                    interval_s=options.interval,
                    output=not options.no_output,
                    core=options.core,
                )
            )
    except OSError as error:
        print_lines(f"error: {error.filename or options.out}: {error.strerror}", "hint: choose another file with --out")
        return 1
    print_lines(*outcome.notes)
    return outcome.status
