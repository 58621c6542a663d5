"""The kind of a source, and the kinds of lines in which a signal is searched for."""

from __future__ import annotations

import logging
import re
from collections import Counter

from analyzer.bundle.names import strip_extensions
from analyzer.formats import read_line
from analyzer.model import Kind

# Names that collectors give to files; the words must stand between separators.
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
# Kind of a signal → kinds of lines in which it is searched for: messages of launchers and workers share files, and
# daemons log through syslog.
_SEARCHED_KINDS = {
    Kind.WORKER: {Kind.WORKER, Kind.SYSTEM, Kind.SCHEDULER, Kind.ENVIRONMENT},
    Kind.SCHEDULER: {Kind.WORKER, Kind.SYSTEM, Kind.SCHEDULER, Kind.ENVIRONMENT},
    Kind.SYSTEM: {Kind.SYSTEM, Kind.SCHEDULER, Kind.WORKER, Kind.KERNEL, Kind.ENVIRONMENT},
    Kind.ENVIRONMENT: {Kind.ENVIRONMENT, Kind.WORKER, Kind.SCHEDULER, Kind.SYSTEM},
    Kind.KERNEL: {Kind.KERNEL},
}
_log = logging.getLogger("analyzer.reading")


def guess_kind(file: str, head: bytes) -> Kind:
    """Return the kind of a source by the formats of its first lines, else by its name.

    `head` holds the first bytes as the scanner sees them, that is after unwrapping.
    """
    kind_of_name = next((kind for kind, pattern in _FILE_NAMES if pattern.search(_bare_name(file))), None)
    votes: Counter[Kind] = Counter()
    lines = head[:16384].splitlines()[:80]
    for raw in lines:
        if (kind := read_line(raw[:2048].decode("utf-8", "replace")).kind) is None:
            continue
        if kind is kind_of_name:
            _log.debug("%s: kind %s, by its name and a line", file, kind)
            return kind
        votes[kind] += 1
        if kind_of_name is None and votes[kind] * 2 > len(lines):
            break  # the majority is certain
    if votes[Kind.KERNEL] * 2 < sum(1 for raw in lines if raw.strip()):
        del votes[Kind.KERNEL]  # pasted beside other text, whose lines are not the kernel's
    kind = votes.most_common(1)[0][0] if votes else kind_of_name or Kind.UNKNOWN
    _log.debug(
        "%s: kind %s, by %s", file, kind, "its first lines" if votes else "its name" if kind_of_name else "nothing"
    )
    return kind


def _bare_name(file: str) -> str:
    """Return the file name without extensions for compression, text and rotation."""
    return strip_extensions(file.rpartition("/")[2], _EXTENSION)


def accepts_line(signal_kinds: frozenset[Kind], line_kind: Kind | None, source_kind: Kind) -> bool:
    """Whether a signal of `signal_kinds` is searched for in a line.

    `line_kind` is the kind that its prefix states, `source_kind` that of the file.
    """
    if not signal_kinds:
        return True
    if line_kind is not None and line_kind is not Kind.UNKNOWN:
        return any(line_kind in _SEARCHED_KINDS.get(kind, {kind}) for kind in signal_kinds)
    # A line without a prefix can be anything, such as pasted text, except in a kernel's log.
    return source_kind is not Kind.KERNEL or Kind.KERNEL in signal_kinds or Kind.SYSTEM in signal_kinds
