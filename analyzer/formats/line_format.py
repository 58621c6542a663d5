"""What a line format is: the `Format` record, the tiers that order formats, and how a rank is written as a stream.

Each format is a module of this folder. A new one needs its file, its name in `ORDER` of
tests/formats/test_format_order.py, and rows in tests/formats/test_line_table.py. For the prefix of a launcher, start
from `mpi_tag.py`: kind None, `wrapper` and `prefixes_every_line`. If the prefix names the machine, set `host`: it
decides a line's node.

    \"\"\"Which program writes these lines, and what is special about its times.

        one sample line of each layout, indented: the tests read them all

    Source: the file of the program that writes them.
    \"\"\"

    _PREFIX = re.compile(r"...", re.DOTALL).match

    def parse(text: str) -> Line | None:
        match = _PREFIX(text)
        return Line(match[2], as_stamps(read_iso(match[1]))) if match else None

    FORMAT = Format("name_of_the_module", Kind.WORKER, parse, tier=Tier.SERVICE, first_chars=DIGITS)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from enum import IntEnum, auto

from analyzer.model import Kind, Line

DIGITS = "0123456789"
UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LOWER = "abcdefghijklmnopqrstuvwxyz"
LETTERS_AND_DIGITS = UPPER + LOWER + DIGITS
DATE_SEPARATORS = " T"
_match_rank = re.compile(r"(?:^|[,/])(\d{1,5})$").search


class Tier(IntEnum):
    """How specific a format is. Formats of an earlier tier are tried first; the specific come before the general."""

    EXACT = auto()  # C++ logs of TensorFlow, absl and glog: the most frequent lines, and nothing else looks like them
    TRANSPORT = auto()  # what carries the lines of many programs: container runtimes, log services, syslog
    KERNEL = auto()  # the kernel's own log
    RANK = auto()  # nothing but the number of a rank before another program's line
    FRAMEWORK = auto()  # a framework's prefix in brackets of its own
    CLUSTER = auto()  # schedulers, communication libraries, vendors' daemons
    LAUNCHER = auto()  # a launcher's or an orchestrator's prefix before another program's line
    SERVICE = auto()  # any other program with a layout of its own
    STAMPED = auto()  # layouts that many programs share: a time, then a level
    LEVEL = auto()  # a level or a progress bar without a time
    GUESS = auto()  # a time or a name alone, which ordinary text may begin with, too


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of prefix before a log line.

    name: the name of the module. It appears in `Line.formats`.
    kind: what kind of program writes such lines; None if the prefix does not tell.
    parse: reads the prefix at the beginning of a text. Returns what the prefix states, with the rest of the text as
        `message`, or None if the text does not begin with this prefix. It must not raise.

    tier: how specific the format is. Formats are tried tier by tier.
    before: names of formats of the same tier that must be tried after this one. Without it, the formats of a tier are
        tried in the order of their names.
    wrapper: another format may follow behind the prefix, for example behind that of a container runtime.
    prefixes_every_line: the prefix stands before every line of another program's output. A line that has no other
        prefix may therefore continue the line before it.
    tentative: the prefix looks so much like ordinary text that it counts only if a certain format follows it.
    names_writer: the prefix is nothing but the name (or the rank) of the line's writer. A file in which other lines
        confirm such a name has several writers.
    repeats_prefix: the program repeats the prefix before each line of a message of several lines. Such a line may
        continue the one before it if both come from the same process.
    host_is_process: the host is the name of a process, which counts only if no prefix before it says where that ran.
    excludes_inner_rank: the prefix states a rank, and a number behind it belongs to the rank's own output: no second
        format with this field is tried there.

    find_message: for a prefix that states neither stream nor host and is the same whatever its digits are: returns
        where the message begins, or None if the text does not begin with it. Formats that are tried before must not
        read such texts either. It lets what is known of one line hold for all that differ only in digits.
    first_chars: characters that the prefix may begin with; empty: any. It only saves calls of `parse`.
    date_marks: for lines that begin with an ISO 8601 date and time: the characters between the two that the prefix
        allows (DATE_SEPARATORS), and `[` if a bracket may stand before them. It only saves calls of `parse`.

    A format that reads the rank of a line's writer sets the line's `stream` with `stream_of_rank`.
    """

    name: str
    kind: Kind | None
    parse: Callable[[str], Line | None]
    _: KW_ONLY
    tier: Tier
    before: tuple[str, ...] = ()
    wrapper: bool = False
    prefixes_every_line: bool = False
    tentative: bool = False
    names_writer: bool = False
    repeats_prefix: bool = False
    host_is_process: bool = False
    excludes_inner_rank: bool = False
    find_message: Callable[[str], int | None] | None = None
    first_chars: str = ""
    date_marks: str = DATE_SEPARATORS + "["


def sort_formats(formats: Iterable[Format]) -> tuple[Format, ...]:
    """Return the formats in the order in which they are tried: by tier, then as `before` demands, then by name.

    Raises ValueError if `before` names no other format of the same tier, or if the demands contradict each other.
    """
    by_tier: dict[Tier, dict[str, Format]] = {tier: {} for tier in Tier}
    for line_format in sorted(formats, key=lambda item: item.name):
        by_tier[line_format.tier][line_format.name] = line_format
    ordered: list[Format] = []
    for tier, waiting in by_tier.items():
        for line_format in waiting.values():
            if unknown := set(line_format.before) - waiting.keys():
                names = ", ".join(sorted(unknown))
                raise ValueError(f"{line_format.name}: {names} is not a format of tier {tier.name}")
        while waiting:
            blocked = {name for line_format in waiting.values() for name in line_format.before}
            first = next((name for name in waiting if name not in blocked), None)
            if first is None:
                raise ValueError(f"tier {tier.name}: `before` of {', '.join(waiting)} is circular")
            ordered.append(waiting.pop(first))
    return tuple(ordered)


def stream_of_rank(rank: str) -> str:
    """Return the stream of the rank's lines: its number without leading zeros."""
    return str(int(rank))


def rank_of_stream(stream: str) -> str | None:
    """Return the rank that `stream_of_rank` put into a stream, or None.

    The stream may have several parts, joined by `/`, if several prefixes name the writer; the rank is the last part.
    """
    match = _match_rank(stream)
    return match[1] if match else None
