"""The block of a hit, that is the following lines that belong to it, and the captures that signal and block add."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice, takewhile
from typing import NamedTuple

from analyzer.formats import has_repeated_prefix, is_continuation_line
from analyzer.formats.traceback import read_traceback
from analyzer.formats.traceback_frames import find_failed_import
from analyzer.model import Kind, Line
from analyzer.reading.plan import CompiledSignal
from analyzer.signals.compiled_patterns import CompiledPattern
from analyzer.signals.types import Signal, TableLookup, Tables

MAX_TRACEBACK_LINES = 400
NO_LINE = Line("")
MAX_WRITE_S = 0.05  # between the first and the last line of a message that a program writes at once
MAX_CAPTURE_CHARS = 16 * 1024  # of a capture that is made from others
_FIELD = re.compile(r"\{(\w+)\}")


def max_block_lines(signal: Signal) -> int:
    """Return how many lines behind its own a hit may have in its block."""
    if "traceback" in signal.feeds:
        return MAX_TRACEBACK_LINES
    return signal.block.lines if signal.block else 0


class BlockKind(NamedTuple):
    """What decides which of the lines behind a hit its block takes. Equal kinds take the same."""

    max_lines: int
    is_prefixed: bool
    is_traceback: bool
    until: CompiledPattern | None


def kind_of_block(compiled: CompiledSignal) -> BlockKind:
    """Return the kind of a signal's blocks."""
    signal = compiled.signal
    return BlockKind(
        max_block_lines(signal),
        bool(signal.block and signal.block.prefixed),
        "traceback" in signal.feeds,
        compiled.until,
    )


def collect_block(
    lines: Iterable[Line], compiled: CompiledSignal, max_lines: int, first: Line = NO_LINE
) -> tuple[str, ...]:
    """Return the messages of the lines that continue a hit, `max_lines` at most.

    `lines` follow the hit in its stream; `first` is its own line.
    """
    block: list[str] = []
    prefixed = bool(compiled.signal.block and compiled.signal.block.prefixed)
    traceback = "traceback" in compiled.signal.feeds
    for line in islice(lines, max_lines):
        continues = prefixed or is_continuation_line(line) or _is_line_of_message(first, line)
        if (
            not continues
            and not (traceback and _is_same_syslog_writer(first, line))
            and not _is_same_write(first, line)
        ):
            break
        block.append(line.message.rstrip("\r\n"))
        if compiled.until is not None and compiled.search(compiled.until, line.message):
            break
    if traceback:
        return _cut_traceback(block)
    while block and not block[-1].strip():
        block.pop()
    return tuple(block)


def _is_line_of_message(first: Line, line: Line) -> bool:
    """Whether `line` has only the prefix that a collector repeats, and the first line one of its own program behind it.

    The two are lines of one message then: `2026-11-21T05:10:09Z <TensorFlow's prefix> ...`, `2026-11-21T05:10:09Z ...`.
    """
    outer = len(line.formats)
    is_bare = has_repeated_prefix(line) and line.host == first.host and line.logger is None
    return is_bare and outer < len(first.formats) and first.formats[:outer] == line.formats


def _is_same_syslog_writer(first: Line, line: Line) -> bool:
    """Whether two lines are of one process and name in syslog, which repeats its prefix on each line of a message."""
    same = (first.host, first.logger, first.pid) == (line.host, line.logger, line.pid)
    return same and has_repeated_prefix(line) and line.formats == first.formats


def _is_same_write(first: Line, line: Line) -> bool:
    """Whether a program wrote both lines at once, as far as their stamps tell: syslog and collectors that state nothing
    but the time stamp each line of a message.
    """
    is_of_syslog = len(line.formats) == 1 and line.kind is not Kind.KERNEL and _is_same_syslog_writer(first, line)
    is_stamped_alone = line.formats[-1:] == ("bare_stamp",) and line.formats == first.formats
    if not (is_of_syslog or is_stamped_alone) or not line.stamps or not first.stamps:
        return False
    before, after = first.stamps[0], line.stamps[0]
    if is_stamped_alone and before.value.is_integer() and after.value.is_integer():
        return False  # whole seconds, in which a program writes much
    return before.basis is after.basis and abs(after.value - before.value) <= MAX_WRITE_S


def _cut_traceback(block: list[str]) -> tuple[str, ...]:
    trace = read_traceback(["Traceback (most recent call last):", *block])
    return tuple(block if trace is None else block[: max(trace.lines - 1, 0)])


def contains_all(texts: tuple[str, ...], text: str, block: tuple[str, ...]) -> bool:
    """Whether each of `texts` occurs in the line or in a line of its block."""
    return all(needed in text or any(needed in part for part in block) for needed in texts)


def fill_captures(
    compiled: CompiledSignal,
    groups: dict[str, str],
    message: str,
    text: str,
    block: tuple[str, ...],
    tables: Tables,
) -> dict[str, str]:
    """Return the captures of a hit; those that come first win.

    They are the groups of the match, those of `also` in text and block, the facts of a traceback, `bits`, the rows of
    lookup tables, and `set`. Lookups by what `set` makes come last.
    """
    captures = dict(groups)
    if compiled.captures_groups_only:
        return captures
    joined = "\n".join((text, *block))
    for prefiltered in compiled.also:
        if block and not prefiltered.may_match(joined):
            continue
        for part in (joined,) if prefiltered.spans_lines else (text, *block):
            if match := compiled.search_prefiltered(prefiltered, part):
                for name, value in match.groupdict().items():
                    if value is not None:
                        captures.setdefault(name, value)
                break
    if "traceback" in compiled.signal.feeds and (trace := read_traceback([message, *block])) is not None:
        if trace.type:  # none where the log ends in the middle of the traceback
            captures.setdefault("exception", trace.type)
            captures.setdefault("message", trace.last.reason or trace.message)
        if len(trace.exceptions) > 1:  # in the order in which they were raised
            captures.setdefault("chain", " → ".join(raised.type for raised in trace.exceptions))
        if trace.last.roots:
            captures.setdefault(
                "roots", " | ".join(f"{root.code} {root.message}".strip() for root in trace.last.roots)[:1000]
            )
        if (frame := trace.user_frame) is not None:
            captures.setdefault("frame", frame.function)
            captures.setdefault("path", frame.file)
            captures.setdefault("lineno", str(frame.line))
        if package := find_failed_import(trace.last.frames):
            captures.setdefault("importing", package)
    for name, bits in compiled.signal.bits.items():
        if (number := bits.extract(captures.get(bits.capture, ""))) is not None:
            captures.setdefault(name, number)
    lookups = compiled.signal.lookup
    early = tuple(takewhile(lambda lookup: lookup.key in captures, lookups))
    _apply_lookups(early, captures, tables)
    for name, value in compiled.signal.set.items():
        if (filled := _fill_template(value, captures)) is not None:
            captures.setdefault(name, filled)
    _apply_lookups(lookups[len(early) :], captures, tables)  # by what `set` made
    return captures


def _apply_lookups(lookups: Iterable[TableLookup], captures: dict[str, str], tables: Tables) -> None:
    for lookup in lookups:
        for name, value in tables.get(lookup.table, {}).get(captures.get(lookup.key, ""), {}).items():
            captures.setdefault(name, value)


def _fill_template(template: str, captures: Mapping[str, str]) -> str | None:
    """Fill `{name}` with captures, once: their values are not filled again. Return None if one is missing.

    The result is cut at MAX_CAPTURE_CHARS.
    """
    if any(name not in captures for name in _FIELD.findall(template)):
        return None
    return _FIELD.sub(lambda match: captures[match[1]], template)[:MAX_CAPTURE_CHARS]
