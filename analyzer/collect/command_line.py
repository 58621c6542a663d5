"""The command line of `collect`, for the program and for the standalone collector."""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from analyzer.collect.request import MIB, CollectLimits, CollectRequest
from analyzer.collect.safe_open import open_new
from analyzer.redact.log_output import end_log, start_log

COLLECT_DESCRIPTION = """Collect the files of this node that an analysis needs: logs, kernel log, environment and limits
of the process, versions, memory, disks, network, clocks, GPUs, scheduler records, core files. Nothing on the node is
changed. Files that may not be read are listed in the archive's manifest, with the reason."""
_BYTES_BY_UNIT = {"": 1, "k": 1 << 10, "m": MIB, "g": 1 << 30, "t": 1 << 40}
_NUMBER = r"(\d{1,12}(?:\.\d{1,9})?)"  # a longer one is more than any disk or clock has
_SECONDS_BY_UNIT = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def parse_collect(words: Sequence[str], program: str) -> CollectRequest:
    """Return the request. Raises SystemExit as argparse does: status 2 for wrong usage, 0 for --help."""
    parser = argparse.ArgumentParser(prog=program, description=COLLECT_DESCRIPTION)
    add = parser.add_argument
    add(
        "--out",
        required=True,
        type=Path,
        metavar="FILE",
        help="archive to write: node.tar.zst or node.tar.gz; - is standard output",
    )
    add("--log", action="append", default=[], metavar="GLOB", help="log files, with their rotated ones; repeatable")
    add(
        "--core",
        action="append",
        default=[],
        metavar="GLOB",
        help="core files; default: the latest ones of the last 24 hours",
    )
    add("--pid", action="append", default=[], type=int, metavar="PID", help="a process of the job; repeatable")
    add(
        "--since",
        type=parse_since,
        metavar="T",
        help="collect from this time on: 2026-11-21T07:00:00Z, local time without Z, or 2h (ago)",
    )
    add(
        "--job",
        type=parse_job,
        metavar="slurm:ID|k8s:POD",
        help="collect the scheduler's records of this job; also k8s:NAMESPACE/POD",
    )
    add(
        "--python",
        metavar="PATH",
        help="Python interpreter whose packages are listed; default: the one of --pid, else this one",
    )
    add("--exit-code", type=int, metavar="N", help="exit code of the job's process, if you know it")
    add("--node", metavar="NAME", help="name of this node; default: its host name")
    add(
        "--redact",
        action="store_true",
        help="mask secrets in logs too and collect no cores; environments are always masked",
    )
    add(
        "--seconds",
        type=parse_duration,
        default=CollectLimits().max_seconds,
        metavar="T",
        help="time limit in seconds (default %(default)g)",
    )
    add(
        "--max-size",
        type=parse_size,
        default=CollectLimits().max_total_bytes,
        metavar="SIZE",
        help="size limit of all files before compression (2G)",
    )
    add(
        "--max-log",
        type=parse_size,
        default=CollectLimits().max_log_bytes,
        metavar="SIZE",
        help="size limit of one log; its head and tail are kept (64M)",
    )
    add(
        "--max-core",
        type=parse_size,
        default=CollectLimits().max_core_bytes,
        metavar="SIZE",
        help="size limit of one core; its stacks are kept first (256M)",
    )
    add_log_options(parser)
    options = parser.parse_args(words)
    limits = CollectLimits()._replace(
        max_seconds=options.seconds,
        max_total_bytes=options.max_size,
        max_log_bytes=options.max_log,
        max_core_bytes=options.max_core,
    )
    return CollectRequest(
        out=options.out,
        log_patterns=options.log,
        core_patterns=options.core,
        pids=options.pid,
        since=options.since,
        job=options.job,
        python=options.python,
        exit_code=options.exit_code,
        node=options.node,
        redact=options.redact,
        limits=limits,
        verbosity=options.verbose,
        log_file=options.log_file,
    )


def add_log_options(parser: argparse.ArgumentParser) -> None:
    """Add -v, -vv and --log-file, which all commands of the program have."""
    help_text = "log to standard error what is done; -vv gives more detail"
    parser.add_argument("-v", "--verbose", action="count", default=0, help=help_text)
    parser.add_argument(
        "--log-file", type=Path, metavar="FILE", help="write the log of -vv, with times, to this new file"
    )


@contextmanager
def log_of_run(verbosity: int, file: Path | None) -> Iterator[None]:
    """Write the log while the body runs. Raises OSError where `file` cannot be made.

    `file` must not exist yet, and its folder may be one that other users write to (see `safe_open`). Without either,
    the log stays as it is: `tf-postmortem -v collect` has begun one.
    """
    if not verbosity and file is None:
        yield
        return
    start_log(verbosity, descriptor=None if file is None else os.dup(open_new(file).fileno()))
    try:
        yield
    finally:
        end_log()


def run_collect(words: Sequence[str], program: str) -> int:
    """Run the command. Exit status: 0 an archive was written, 1 it could not be written, 2 wrong usage."""
    from analyzer.collect.collect import collect
    from analyzer.collect.node_archive import ArchiveError

    request = parse_collect(words, program)
    if request.out.suffix.lower() in (".zip", ".7z", ".xz", ".bz2", ".lz4"):
        print_lines(
            f"error: {request.out}: the archive must be a .tar.zst, .tar.gz or .tar file", "hint: --out node.tar.gz"
        )
        return 2
    os.nice(19)
    try:
        with log_of_run(request.verbosity, request.log_file):
            result = collect(request)
    except (ArchiveError, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        print_lines(
            f"error: {request.out}: {reason}",
            "hint: write the archive to another place, or to standard output with --out -",
        )
        return 1
    missing_note = f", {result.missing} items could not be collected (see manifest.json)" if result.missing else ""
    print_lines(
        *result.missing_requests,
        f"{result.path}: {result.files} files{missing_note}",
        *([result.note] if result.note else []),
    )
    return 0


def parse_size(text: str) -> int:
    """Return the bytes of `512M`, `2GiB`, or a number without a unit; units are powers of 1024."""
    match = re.fullmatch(rf"{_NUMBER}\s*([kmgt]?)(?:i?b)?", text, re.I)
    if not match:
        raise argparse.ArgumentTypeError(f"{text}: write a size as 512M or 2G")
    return int(float(match[1]) * _BYTES_BY_UNIT[match[2].lower()])


def parse_duration(text: str) -> float:
    """Return the seconds of `1s`, `2m`, `0.5`."""
    match = re.fullmatch(rf"{_NUMBER}\s*([smhd]?)", text, re.I)
    if not match:
        raise argparse.ArgumentTypeError(f"{text}: write a duration as 0.5, 1s or 2m")
    return float(match[1]) * _SECONDS_BY_UNIT.get(match[2].lower(), 1)


def parse_since(text: str) -> float:
    """Return the seconds since the epoch, UTC, of a point in time or of a duration before now."""
    if re.fullmatch(r"[\d.]+[smhd]", text):
        return time.time() - parse_duration(text)
    if re.fullmatch(r"@?\d{9,10}", text):
        return float(text.lstrip("@"))
    for pattern in ("%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d"):
        try:
            parts = time.strptime(text.rstrip("Zz"), pattern)
        except ValueError:
            continue
        return time.mktime(parts) if text[-1] not in "Zz" else float(_utc_seconds(parts))
    raise argparse.ArgumentTypeError(f"{text}: write a time as 2026-11-21T07:00:00Z, or 2h for two hours ago")


def _utc_seconds(parts: time.struct_time) -> int:
    import calendar

    return calendar.timegm(parts)


def parse_job(text: str) -> tuple[str, str]:
    """Return (scheduler, job id) of `slurm:ID` or `k8s:POD`."""
    kind, _, name = text.partition(":")
    if kind not in ("slurm", "k8s") or not name or name.startswith("-"):  # which tools would take for an option
        raise argparse.ArgumentTypeError(f"{text}: write a job as slurm:ID or k8s:POD")
    return kind, name


def print_lines(*lines: str) -> None:
    """Print lines to standard error. Characters that could control a terminal are escaped, as in a hostile file
    name.
    """
    sys.stderr.write("".join(f"{_escape_line(line)}\n" for line in lines))


def _escape_line(line: str) -> str:
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in line)
