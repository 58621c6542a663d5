"""What belongs to a hit behind its own line, and the captures that it adds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice, takewhile

from analyzer.formats import has_repeated_prefix, is_continuation_line
from analyzer.formats.traceback import read_traceback
from analyzer.model import Line
from analyzer.reading.plan import CompiledSignal
from analyzer.signals.types import Signal, TableLookup, Tables

MAX_TRACEBACK_LINES = 400  # lines
NO_LINE = Line("")
MAX_CAPTURE_CHARS = 16 * 1024  # characters of a capture that is made from others
_FIELD = re.compile(r"\{(\w+)\}")


def max_block_lines(signal: Signal) -> int:
    if "traceback" in signal.feeds:
        return MAX_TRACEBACK_LINES
    return signal.block.lines if signal.block else 0


def collect_block(
    lines: Iterable[Line], compiled: CompiledSignal, limit: int, first: Line = NO_LINE
) -> tuple[str, ...]:
    """Messages of the lines that continue the hit, whose own line is `first`, in order."""
    block: list[str] = []
    prefixed = bool(compiled.signal.block and compiled.signal.block.prefixed)
    traceback = "traceback" in compiled.signal.feeds
    for line in islice(lines, limit):
        if not prefixed and not is_continuation_line(line) and not (traceback and _is_same_syslog_writer(first, line)):
            break
        block.append(line.message.rstrip("\r\n"))
        if compiled.until is not None and compiled.search(compiled.until, line.message):
            break
    if traceback:
        return _cut_traceback(block)
    while block and not block[-1].strip():
        block.pop()
    return tuple(block)


def _is_same_syslog_writer(first: Line, line: Line) -> bool:
    """The same process under the same name in syslog, which puts that before each line of what it says at once."""
    same = (first.host, first.logger, first.pid) == (line.host, line.logger, line.pid)
    return same and has_repeated_prefix(line) and line.formats == first.formats


def _cut_traceback(block: list[str]) -> tuple[str, ...]:
    trace = read_traceback(["Traceback (most recent call last):", *block])
    return tuple(block if trace is None else block[: max(trace.lines - 1, 0)])


def contains_all(texts: tuple[str, ...], text: str, block: tuple[str, ...]) -> bool:
    """Whether each of `texts` stands in the line or in one of its block."""
    return all(needed in text or any(needed in part for part in block) for needed in texts)


def fill_captures(
    compiled: CompiledSignal,
    groups: dict[str, str],
    message: str,
    text: str,
    block: tuple[str, ...],
    tables: Tables,
) -> dict[str, str]:
    """Groups of the match, of `also` over text and block, the traceback's facts, `bits`, the tables' rows, `set`."""
    captures = dict(groups)
    if compiled.captures_groups_only:
        return captures
    for prefiltered in compiled.also:
        for part in ("\n".join((text, *block)),) if prefiltered.spans_lines else (text, *block):
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
    for name, bits in compiled.signal.bits.items():
        if (number := bits.extract(captures.get(bits.capture, ""))) is not None:
            captures.setdefault(name, number)
    lookups = compiled.signal.lookup
    early = tuple(takewhile(lambda lookup: lookup.key in captures, lookups))
    _apply_lookups(early, captures, tables)
    for name, value in compiled.signal.set.items():
        captures.setdefault(name, _fill_template(value, captures))
    _apply_lookups(lookups[len(early) :], captures, tables)  # by what `set` made
    return captures


def _apply_lookups(lookups: Iterable[TableLookup], captures: dict[str, str], tables: Tables) -> None:
    for lookup in lookups:
        for name, value in tables.get(lookup.table, {}).get(captures.get(lookup.key, ""), {}).items():
            captures.setdefault(name, value)


def _fill_template(template: str, captures: Mapping[str, str]) -> str:
    """Unknown names stay as they are. What a capture holds is not read again, and nothing grows beyond WIDE."""
    return _FIELD.sub(lambda match: captures.get(match[1], match[0]), template)[:MAX_CAPTURE_CHARS]
