"""What kind of source a file is, and which lines a signal may be found in."""

from __future__ import annotations

import re
from collections import Counter

from analyzer.bundle.names import strip_extensions
from analyzer.formats import read_line
from analyzer.model import Kind

# What collectors call their files; the words stand for themselves between separators.
_FILE_NAMES: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        Kind.KERNEL,
        re.compile(r"(?:^|[/._-])(?:dmesg|kern|kernel|kmsg|pstore|netconsole|vmcore-dmesg)(?:[/._-]|\d|$)", re.I),
    ),
    (
        Kind.SCHEDULER,
        re.compile(
            r"(?:^|[/._-])(?:slurm\w*|scontrol\w*|sacct|squeue|kubectl\w*|pods?|events?|describe\w*|supervisord|lsf\w*|pbs\w*|torque|yarn"
            r"|qstat\w*|tracejob|bjobs\w*|bhist\w*|bacct|qacct)"
            r"(?:[/._-]|$)",
            re.I,
        ),
    ),
    (Kind.SYSTEM, re.compile(r"(?:^|[/._-])(?:syslog|messages|journal\w*|systemd|daemon)(?:[/._-]|$)", re.I)),
    (
        Kind.ENVIRONMENT,
        re.compile(
            r"(?:^|[/._-])(?:(?:pip|conda|nvidia-smi)\w*(?:[.-]\w+)?|(?:env(?:iron(?:ment)?)?|tf_?config|requirements|ulimits?"
            r"|limits|sysctl|versions?|exit_?codes?|exit_?status|rc|uname|lscpu|meminfo|df|mounts?|ip|ifconfig|net|hosts|resolv)"
            r"(?:[._-]\w+)?)$",
            re.I,
        ),
    ),
)
_EXTENSION = re.compile(r"gz|zst|xz|bz2|lz4|txt|log|out|err|json|yaml|yml|\d+", re.I).fullmatch
# A signal's kind on the left is searched for in lines of the kinds on the right: a launcher's messages and a
# worker's share one file, and daemons log through syslog.
_SEARCHED_KINDS = {
    Kind.WORKER: {Kind.WORKER, Kind.SYSTEM, Kind.SCHEDULER, Kind.ENVIRONMENT},
    Kind.SCHEDULER: {Kind.WORKER, Kind.SYSTEM, Kind.SCHEDULER, Kind.ENVIRONMENT},
    Kind.SYSTEM: {Kind.SYSTEM, Kind.SCHEDULER, Kind.WORKER, Kind.KERNEL, Kind.ENVIRONMENT},
    Kind.ENVIRONMENT: {Kind.ENVIRONMENT, Kind.WORKER, Kind.SCHEDULER, Kind.SYSTEM},
    Kind.KERNEL: {Kind.KERNEL},
}


def guess_kind(file: str, head: bytes) -> Kind:
    """By the formats of the first lines, else by the file's name."""
    kind_of_name = next((kind for kind, pattern in _FILE_NAMES if pattern.search(_bare_name(file))), None)
    votes: Counter[Kind] = Counter()
    lines = head[:16384].splitlines()[:80]
    for raw in lines:
        if (kind := read_line(raw[:2048].decode("utf-8", "replace")).kind) is None:
            continue
        if kind is kind_of_name:
            return kind
        votes[kind] += 1
        if kind_of_name is None and votes[kind] * 2 > len(lines):
            break  # the others cannot change it
    return votes.most_common(1)[0][0] if votes else kind_of_name or Kind.UNKNOWN


def _bare_name(file: str) -> str:
    """The last name without its extensions for compression, text and rotation."""
    return strip_extensions(file.rpartition("/")[2], _EXTENSION)


def accepts_line(signal_kinds: frozenset[Kind], line_kind: Kind | None, source_kind: Kind) -> bool:
    """Whether a signal of the kinds `wanted` may be found in a line whose prefix says `line`, in a file of kind
    `source`.
    """
    if not signal_kinds:
        return True
    if line_kind is not None and line_kind is not Kind.UNKNOWN:
        return any(line_kind in _SEARCHED_KINDS.get(kind, {kind}) for kind in signal_kinds)
    # A bare line can be anything (pasted text), except in a kernel's own log.
    return source_kind is not Kind.KERNEL or Kind.KERNEL in signal_kinds or Kind.SYSTEM in signal_kinds
