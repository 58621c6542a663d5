"""The formats of log lines. `read_line` splits a line into what its prefixes state and its message.

A format is a module of this folder with `FORMAT` or `FORMATS`: every such module is found and used. `line_format`
says how to write one. Nothing here interprets messages.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
from collections import Counter
from collections.abc import Container, Iterator

from analyzer.formats.line_format import DATE_SEPARATORS, Format, Tier, sort_formats
from analyzer.model import Kind, Line, Stamp

__all__ = [
    "FORMATS",
    "Format",
    "begins_with_writer_name",
    "ends_with_message",
    "find_digit_blind_message",
    "has_repeated_prefix",
    "has_service_layout",
    "is_continuation_line",
    "read_line",
    "summarize_formats",
]

_ISO_DATE = re.compile(r"(\[?)\d{4}-\d\d-\d\d([T ])\d\d:\d").match
_remove_escapes = re.compile(r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|[()][A-Z0-9]|[=>78cDEHMNO])").sub
CACHED_LINES = 1024  # several modules read the first 64 KiB and the last lines of a file, one after the other
MAX_CACHED_LINE_CHARS = 1024
MAX_PREFIXES = 7  # six wrappers and one inner format; also the bound for lines that were made to nest deeply


def read_line(text: str, known_writers: Container[str] = ()) -> Line:
    """Read the prefixes of one line, the outermost first.

    Returns a Line with the rest of the text as its message. Its stamps are in the order of the prefixes, outermost
    first. The streams of several prefixes are joined by `/`. For each other field, the innermost prefix that states it
    counts. A text without prefixes is a Line with the whole text as its message. Any text can be read.

    known_writers: streams that other lines of the file confirm. A tentative prefix that names one of them counts,
        whatever follows it; and if one of them is the host of a line without a stream, it becomes the line's stream.
    """
    if len(text) <= MAX_CACHED_LINE_CHARS and not known_writers:
        return _read_prefixes_cached(text)
    line = _read_prefixes(text, known_writers)
    return line._replace(stream=line.host) if line.host and not line.stream and line.host in known_writers else line


def _read_prefixes(text: str, known_writers: Container[str] = ()) -> Line:
    if "\x1b" in text:  # the unwrapper removes colours only if they begin in the head of the file
        text = _remove_escapes("", text)
    parsed: list[tuple[Format, Line]] = []
    certain_count = 0  # of `parsed`: the tentative ones behind them are dropped
    unread, formats_by_char = text, _BY_FIRST_CHAR
    while len(parsed) < MAX_PREFIXES:
        date_match = formats_by_char is _BY_FIRST_CHAR and _ISO_DATE(unread)
        for line_format in (
            _BY_DATE_MARK[date_match[1] or date_match[2]]
            if date_match
            else formats_by_char.get(unread[:1], _WITH_ANY_FIRST_CHAR)
        ):
            line = line_format.parse(unread)
            if line is None or (
                line_format.excludes_inner_rank and any(outer.excludes_inner_rank for outer, _ in parsed)
            ):
                continue
            # A program that repeats its own name behind a daemon's prefix (`consul: ` of consul's unit) is no writer.
            if not (line_format.names_writer and any(line.stream == outer.logger for _, outer in parsed)):
                break
        else:
            break
        parsed.append((line_format, line))
        # Only a program's own prefix confirms a tentative one; another guess at who carries the line does not.
        outer_are_certain = certain_count == len(parsed) - 1
        if line_format.tentative:
            is_certain = outer_are_certain and bool(line.stream) and line.stream in known_writers
        else:
            is_certain = outer_are_certain or not line_format.prefixes_every_line
        if is_certain:
            certain_count = len(parsed)
        if not line_format.wrapper or len(line.message) >= len(unread):
            break
        unread = line.message
        if line.kind is Kind.KERNEL:  # "INFO: task blocked" and "BUG: " of the kernel are no levels of a logger
            formats_by_char = _KERNEL_BY_FIRST_CHAR
    if certain_count == 1:
        line_format, line = parsed[0]
        return tuple.__new__(Line, (*line[:-1], (line_format.name,)))  # several times as fast as `_replace`
    return _merge_prefixes(parsed[:certain_count]) if certain_count else Line(text)


_read_prefixes_cached = functools.lru_cache(CACHED_LINES)(_read_prefixes)


def summarize_formats(head: bytes, lines: int = 50) -> str:
    """Return which formats the first lines of a file have, the most frequent first, for a log message."""
    texts = [line.decode("utf-8", "replace") for line in head.split(b"\n")[:lines] if line.strip()]
    counts = Counter(" ".join(read_line(text).formats) or "no format" for text in texts)
    return ", ".join(f"{names} ({count})" for names, count in counts.most_common(4)) or "empty"


def is_continuation_line(line: Line) -> bool:
    """Whether the line may continue the one before it: no program put a prefix of its own before it.

    Prefixes of container runtimes and launchers do not count, because they stand before every line. Nor does a prefix
    that is repeated within a message (syslog), if a training process writes through it.
    """
    own = _PREFIXES_OF_NEW_MESSAGES if line.kind is Kind.WORKER else _PROGRAM_FORMATS
    return own.isdisjoint(line.formats)


def has_repeated_prefix(line: Line) -> bool:
    """Whether the innermost prefix is one that its program repeats before each line of a message."""
    return bool(line.formats) and line.formats[-1] in _REPEATED_FORMATS


def ends_with_message(text: str) -> bool:
    """Return whether the text of a line ends with its message, whatever its prefixes are.

    That of logfmt loses its quotation marks, and each line loses its colours.
    """
    return "msg=" not in text and "\x1b" not in text


def find_digit_blind_message(text: str) -> int | None:
    """Return where the message begins behind a program's own prefix, if that is the same whatever its digits are.

    The line then states neither stream nor host, and continues no other. None if digits may decide, or if unknown.
    """
    if "\x1b" not in text:
        for find_message in _DIGIT_BLIND:
            if (begin := find_message(text)) is not None:
                return begin
    return None


def begins_with_writer_name(line: Line) -> bool:
    """Whether the outermost prefix is nothing but the name or the rank of the line's writer."""
    return bool(line.formats) and line.formats[0] in _WRITER_NAME_FORMATS


def has_service_layout(line: Line) -> bool:
    """Whether the line begins with a time in the layout of one service: no launcher wrote a prefix before it."""
    return bool(line.formats) and line.formats[0] in _SERVICE_FORMATS and bool(line.stamps)


def _merge_prefixes(parsed: list[tuple[Format, Line]]) -> Line:
    """Return one Line of several prefixes: what an inner prefix states replaces what an outer one does.

    The name of a process (`host_is_process`) replaces no host.
    """
    stamps: list[Stamp] = []
    streams: list[str] = []
    format_names: list[str] = []
    severity = kind = pid = tid = host = logger = None
    for line_format, line in parsed:
        stamps.extend(line.stamps)
        format_names.append(line_format.name)
        if line.stream:
            streams.append(line.stream)
        severity = severity if line.severity is None else line.severity
        kind = kind if line.kind is None else line.kind
        pid = pid if line.pid is None else line.pid
        tid = tid if line.tid is None else line.tid
        host = host if line.host is None or (host and line_format.host_is_process) else line.host
        logger = logger if line.logger is None else line.logger
    message = parsed[-1][1].message
    return Line(
        message,
        stamps=tuple(stamps),
        severity=severity,
        kind=kind,
        stream="/".join(streams),
        pid=pid,
        tid=tid,
        host=host,
        logger=logger,
        formats=tuple(format_names),
    )


def _discover() -> Iterator[Format]:
    for module in pkgutil.iter_modules(__path__):
        loaded = importlib.import_module(f"{__name__}.{module.name}")
        if line_format := getattr(loaded, "FORMAT", None):
            yield line_format
        if not module.ispkg:
            yield from getattr(loaded, "FORMATS", ())


# These stand at the end because a module of this folder may import `read_line` while it is being discovered.
FORMATS: tuple[Format, ...] = sort_formats(_discover())
_BY_FIRST_CHAR = {
    chr(code): tuple(
        line_format for line_format in FORMATS if not line_format.first_chars or chr(code) in line_format.first_chars
    )
    for code in range(128)
}
_BY_DATE_MARK = {
    mark: tuple(
        line_format for line_format in _BY_FIRST_CHAR["[" if mark == "[" else "2"] if mark in line_format.date_marks
    )
    for mark in DATE_SEPARATORS + "["
}
_KERNEL_BY_FIRST_CHAR = {
    first: tuple(line_format for line_format in formats if line_format.kind is Kind.KERNEL)
    for first, formats in _BY_FIRST_CHAR.items()
}
_WITH_ANY_FIRST_CHAR = tuple(line_format for line_format in FORMATS if not line_format.first_chars)
_PROGRAM_FORMATS = frozenset(line_format.name for line_format in FORMATS if not line_format.prefixes_every_line)
_REPEATED_FORMATS = frozenset(line_format.name for line_format in FORMATS if line_format.repeats_prefix)
_PREFIXES_OF_NEW_MESSAGES = _PROGRAM_FORMATS - _REPEATED_FORMATS
_DIGIT_BLIND = tuple(line_format.find_message for line_format in FORMATS if line_format.find_message)
_WRITER_NAME_FORMATS = frozenset(line_format.name for line_format in FORMATS if line_format.names_writer)
_SERVICE_FORMATS = frozenset(line_format.name for line_format in FORMATS if line_format.tier is Tier.SERVICE)
