"""The options of `collect`, for the program and for the collector that runs without it."""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from analyzer.collect.wish import MIB, Bounds, Wish

COLLECT = """Gather on this node what an analysis needs: logs, kernel log, the process's environment and limits,
versions, memory, disks, network, clocks, GPUs, scheduler records, core files. It changes nothing on the node,
takes what it may read, and lists the rest with the reason in the archive's manifest."""
_UNITS = {"": 1, "k": 1 << 10, "m": MIB, "g": 1 << 30, "t": 1 << 40}
_NUMBER = r"(\d{1,12}(?:\.\d{1,9})?)"  # a longer one is more than any disk or clock has
_SPANS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def read_collect(words: Sequence[str], program: str) -> Wish:
    """SystemExit with status 2 for wrong usage, 0 for --help, as argparse does."""
    parser = argparse.ArgumentParser(prog=program, description=COLLECT)
    add = parser.add_argument
    add("--out", required=True, type=Path, metavar="FILE", help="node.tar.zst or node.tar.gz; - is standard output")
    add("--log", action="append", default=[], metavar="GLOB", help="logs; rotated ones come along; may be given again")
    add("--core", action="append", default=[], metavar="GLOB", help="core files; default: the latest of a day")
    add("--pid", action="append", default=[], type=int, metavar="PID", help="a process of the job")
    add("--since", type=read_since, metavar="T", help="2026-11-21T07:00:00Z, local time without Z, or 2h (ago)")
    add("--job", type=read_job, metavar="slurm:ID|k8s:POD", help="ask the scheduler; k8s:NAMESPACE/POD")
    add("--python", metavar="PATH", help="whose packages to list; default: that of --pid, else this one")
    add("--exit-code", type=int, metavar="N", help="what the job's process ended with, where you know it")
    add("--node", metavar="NAME", help="this node's name; default: its host name")
    add("--redact", action="store_true", help="mask secrets in logs too, take no cores; environments always are masked")
    add("--seconds", type=read_span, default=Bounds().seconds, metavar="T", help="bound on time (default %(default)g)")
    add("--max-size", type=read_size, default=Bounds().size, metavar="SIZE", help="of all before compression (2G)")
    add("--max-log", type=read_size, default=Bounds().log, metavar="SIZE", help="of one log: head and tail (64M)")
    add(
        "--max-core", type=read_size, default=Bounds().core, metavar="SIZE", help="of one core; its stacks first (256M)"
    )
    given = parser.parse_args(words)
    bounds = Bounds()._replace(seconds=given.seconds, size=given.max_size, log=given.max_log, core=given.max_core)
    return Wish(
        given.out,
        given.log,
        given.core,
        given.pid,
        given.since,
        given.job,
        given.python,
        given.exit_code,
        given.node,
        given.redact,
        bounds,
    )


def run_collect(words: Sequence[str], program: str) -> int:
    """The command. Exit status: 0 an archive was written, 1 it could not be, 2 wrong usage."""
    from analyzer.collect.collect import collect
    from analyzer.collect.parcel import ArchiveError

    wish = read_collect(words, program)
    if wish.out.suffix.lower() in (".zip", ".7z", ".xz", ".bz2", ".lz4"):
        say(f"error: {wish.out}: the archive is a .tar.zst, a .tar.gz or a .tar", "hint: --out node.tar.gz")
        return 2
    os.nice(19)
    try:
        done = collect(wish)
    except (ArchiveError, OSError) as error:
        said = error.strerror if isinstance(error, OSError) and error.strerror else error
        say(f"error: {wish.out}: {said}", "hint: write it elsewhere, or to standard output with --out -")
        return 1
    lacks = f", {done.lacking} things could not be had (see manifest.json)" if done.lacking else ""
    say(*done.unmet, f"{done.path}: {done.files} files{lacks}", *([done.note] if done.note else []))
    return 0


def read_size(text: str) -> int:
    """`512M`, `2GiB`, bytes without a unit; powers of 1024."""
    found = re.fullmatch(rf"{_NUMBER}\s*([kmgt]?)(?:i?b)?", text, re.I)
    if not found:
        raise argparse.ArgumentTypeError(f"{text}: a size is 512M or 2G")
    return int(float(found[1]) * _UNITS[found[2].lower()])


def read_span(text: str) -> float:
    """Seconds of `1s`, `2m`, `0.5`."""
    found = re.fullmatch(rf"{_NUMBER}\s*([smhd]?)", text, re.I)
    if not found:
        raise argparse.ArgumentTypeError(f"{text}: a span is 0.5, 1s or 2m")
    return float(found[1]) * _SPANS.get(found[2].lower(), 1)


def read_since(text: str) -> float:
    """Seconds since the epoch of a moment or of a span before now."""
    if re.fullmatch(r"[\d.]+[smhd]", text):
        return time.time() - read_span(text)
    if re.fullmatch(r"@?\d{9,10}", text):
        return float(text.lstrip("@"))
    for pattern in ("%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d"):
        try:
            parts = time.strptime(text.rstrip("Zz"), pattern)
        except ValueError:
            continue
        return time.mktime(parts) if text[-1] not in "Zz" else float(_utc(parts))
    raise argparse.ArgumentTypeError(f"{text}: a moment is 2026-11-21T07:00:00Z, or 2h for two hours ago")


def _utc(parts: time.struct_time) -> int:
    import calendar

    return calendar.timegm(parts)


def read_job(text: str) -> tuple[str, str]:
    kind, _, name = text.partition(":")
    if kind not in ("slurm", "k8s") or not name or name.startswith("-"):  # which tools would take for an option
        raise argparse.ArgumentTypeError(f"{text}: a job is slurm:ID or k8s:POD")
    return kind, name


def say(*lines: str) -> None:
    """Names of files may steer a terminal: what cannot be shown is written out, as `\\x1b`."""
    sys.stderr.write("".join(f"{_show(line)}\n" for line in lines))


def _show(line: str) -> str:
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in line)
