"""Confirmed hits of signals: confirmation, the reservoir that bounds their number, and the events made of them."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import regex

from analyzer.model import Event, ExceptionLine, Kind, Line, Locus, Severity, Stamp
from analyzer.reading.event_objects import add_object
from analyzer.reading.hit_blocks import (
    BlockKind,
    collect_block,
    contains_all,
    fill_captures,
    kind_of_block,
    max_block_lines,
)
from analyzer.reading.line_fields import match_fields
from analyzer.reading.plan import CompiledSignal
from analyzer.reading.quoted_lists import may_hold_quoted_list, remove_quoted_lists

MAX_HEAD_HITS = 100  # the first hits that are kept of each signal and stream
MAX_TAIL_HITS = 50  # and the latest
MAX_REPEATED_HITS = 10  # of a series that marks no points in time, in a row, that capture nothing new: it is settled
MAX_STATEMENT_TAIL_HITS = 20  # the latest of a series that marks no points in time …
MAX_SETTLED_TAIL_HITS = 5  # … and that is settled
_POINTS_IN_TIME = {"progress", "sync", "started"}  # meanings of series of which each line tells something new
_TROUBLE_MEANINGS = {"error", "accuses", "exit", "fatal"}  # other signals may be about what a list holds
_is_line_of_code = re.compile(r".{0,200}[.:/]\w{1,80}:\d{1,6}", re.DOTALL).fullmatch
_PROBLEM = re.compile(r"(?i)error|fail|exception|fatal|abort|died|kill|lost|raise").search


class Hit(NamedTuple):
    """A confirmed hit, of which an event is made when the source has been read."""

    compiled: CompiledSignal
    line_number: int
    text: str
    line: Line
    groups: dict[str, str]
    block: tuple[str, ...]
    stamps: tuple[Stamp, ...]
    inferred: bool
    line_offsets: tuple[int, ...] = ()  # of a traceback's lines, counted from the line of the hit


@dataclass(slots=True)
class HitReservoir:
    """The hits that are kept of one signal and stream: the first, the latest, and between them those of a new shape."""

    head: list[Hit] = field(default_factory=list)
    novel: list[Hit] = field(default_factory=list)
    tail: deque[Hit] = field(default_factory=deque)
    captured: set[object] = field(default_factory=set)  # what the hits of a series stated
    repeats: int = 0  # hits in a row that stated nothing new

    @property
    def is_settled(self) -> bool:
        """Whether further hits of a series will hardly state anything new."""
        return self.repeats >= MAX_REPEATED_HITS

    def note_statement(self, hit: Hit, is_alone: bool) -> None:
        """Note what a hit of a series states; it is new as well if other hits of its line are no series."""
        statement = hit.line.host, hit.line.pid, frozenset(hit.groups.items())
        is_repeated = is_alone and statement in self.captured
        self.captured.add(statement)
        self.repeats = self.repeats + 1 if is_repeated else 0

    def __len__(self) -> int:
        return len(self.head) + len(self.novel) + len(self.tail)

    def shorten(self, first: int, last: int) -> None:
        """Keep at most the `first` hits of the head and the `last` of the rest; novel ones stay."""
        rest = [*self.head[first:], *self.tail]
        self.head, self.tail = self.head[:first], deque(rest[max(0, len(rest) - last) :])


def may_settle(compiled: CompiledSignal) -> bool:
    """Whether the signal is a series whose lines may say again and again what earlier ones said."""
    return compiled.is_series and not compiled.signal.also and compiled.signal.feeds.isdisjoint(_POINTS_IN_TIME)


def confirm_hit(
    compiled: CompiledSignal, text: str, line: Line, seen_patterns: Container[int] | None = None
) -> dict[str, str] | None:
    """Return the groups of the first pattern that matches the whole segment or its message alone, and the fields that
    the signal names; None if no pattern matches or a field fails its test.

    Only the patterns with an index in `seen_patterns` are tried, if that is given. The number of a line of code is no
    step, whatever its function is called (`train.loop:step:88`): there the message alone counts.
    """
    if "progress" in compiled.signal.feeds and line.logger and _is_line_of_code(line.logger):
        text = line.message
    message = line.message if line.message != text else None
    for position, pattern in enumerate(compiled.match):
        if seen_patterns is not None and position not in seen_patterns:
            continue
        match = compiled.search(pattern, text)
        if match is None and message is not None:
            match = compiled.search(pattern, message)
        if match is not None:
            groups = _named_groups(match)
            if not compiled.signal.fields:
                return groups
            fields = match_fields(compiled, text, line)
            return None if fields is None else {**fields, **groups}
    return None


def _named_groups(match: regex.Match[str]) -> dict[str, str]:
    groups = match.groupdict()
    return {name: value for name, value in groups.items() if value is not None} if None in groups.values() else groups


def is_listed_only(compiled: CompiledSignal, text: str, line: Line) -> bool:
    """Return whether a line that reports no problem holds the signal's text only in a list of quoted texts."""
    if not may_hold_quoted_list(text) or compiled.signal.feeds - _TROUBLE_MEANINGS:
        return False
    rest, bare = remove_quoted_lists(text), line._replace(message=remove_quoted_lists(line.message))
    reports_problem = _PROBLEM(bare.message) if line.severity is None else line.severity > Severity.INFO
    return not reports_problem and confirm_hit(compiled, rest, bare) is None


def read_block(
    compiled: CompiledSignal, text: str, line: Line, following: Iterable[Line], blocks: dict[BlockKind, tuple[str, ...]]
) -> tuple[str, ...] | None:
    """Return the block of a hit; None if line and block lack a text of `contains` or match a pattern of `not_match`.

    `blocks`: those of the line that were collected, for signals that take the same lines.
    """
    block: tuple[str, ...] = ()
    if limit := max_block_lines(compiled.signal):
        kind = kind_of_block(compiled)
        if kind not in blocks:
            blocks[kind] = collect_block(following, compiled, limit, line)
        block = blocks[kind]
    if compiled.signal.contains and not contains_all(compiled.signal.contains, text, block):
        return None
    return None if is_excluded(compiled, (text, *block)) else block


def is_excluded(compiled: CompiledSignal, parts: Sequence[str]) -> bool:
    """Whether one of the texts matches a pattern of the signal's `not_match`."""
    for prefiltered in compiled.not_match:
        for part in parts:
            if compiled.search_prefiltered(prefiltered, part):
                return True
    return False


def make_event(hit: Hit, file: str, kind: Kind, tables: Mapping[str, Mapping[str, Mapping[str, str]]]) -> Event:
    """Return the event of a hit, without node and time. `kind` is that of the file, for lines that state none."""
    signal, line = hit.compiled.signal, hit.line
    captures = fill_captures(hit.compiled, hit.groups, line.message, hit.text, hit.block, tables)
    captures = add_object(captures, line.message)
    return Event(
        signal=signal.name,
        locus=Locus(file, hit.line_number),
        text=hit.text.strip("\r\n"),
        inferred=hit.inferred,
        severity=signal.severity if signal.severity is not None else line.severity or Severity.INFO,
        kind=line.kind or kind,
        stream=line.stream,
        host=line.host,
        pid=line.pid,
        tid=line.tid,
        captures=captures,
        block=hit.block,
        exception=_find_raised(hit, captures.get("exception")) if hit.line_offsets else None,
    )


def _find_raised(hit: Hit, exception: str | None) -> ExceptionLine | None:
    """Return the line of a traceback's last exception, which ended the program."""
    for line_offset, text in zip(reversed(hit.line_offsets), reversed(hit.block), strict=True):
        if exception and (text == exception or text.startswith(f"{exception}:")):
            return ExceptionLine(hit.line_number + line_offset, text)
    return None
