"""The grammar of log lines: `read_line` takes a line apart into what its prefixes say and its message.

A format is a module of this folder with `FORMAT` or `FORMATS`; it is found by being here. Nothing here knows
what a message means.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
from collections.abc import Container, Iterator

from analyzer.formats.line_format import DATE_SEPARATORS, Format
from analyzer.model import Kind, Line, Stamp

__all__ = ["FORMATS", "Format", "is_continuation_line", "read_line"]

_ISO_DATE = re.compile(r"(\[?)\d{4}-\d\d-\d\d([T ])\d\d:\d").match
_remove_escapes = re.compile(r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|[()][A-Z0-9]|[=>78cDEHMNO])").sub
CACHED_LINES, MAX_CACHED_LINE_CHARS = (
    256,
    1024,
)  # lines that are remembered, of so many characters: several look at a file's first and last
MAX_PREFIXES = 7  # six wrappers and one inner format; also the bound against lines made to nest


def read_line(text: str, known_writers: Container[str] = ()) -> Line:
    """Read the prefixes of one line, wrappers first. Text without any is a Line with the text as its message.

    Stamps are in order, outermost first. Of all else the innermost that says it counts; streams are joined by `/`.
    `writers` are streams that other lines of the file made certain: their name alone is a prefix, whatever follows.
    A host among them is the stream of its lines.
    """
    if len(text) <= MAX_CACHED_LINE_CHARS and not known_writers:
        return _read_prefixes_cached(text)
    line = _read_prefixes(text, known_writers)
    return line._replace(stream=line.host) if line.host and not line.stream and line.host in known_writers else line


def _read_prefixes(text: str, known_writers: Container[str] = ()) -> Line:
    if "\x1b" in text:  # colours that begin only later in a file, where it was not asked to be unwrapped
        text = _remove_escapes("", text)
    parsed: list[tuple[Format, Line]] = []
    certain_count = 0  # how many are certain: tentative ones at the end are dropped
    rest, table = text, _BY_FIRST_CHAR
    while len(parsed) < MAX_PREFIXES:
        date_match = table is _BY_FIRST_CHAR and _ISO_DATE(rest)
        for line_format in (
            _BY_DATE_MARK[date_match[1] or date_match[2]] if date_match else table.get(rest[:1], _WITH_ANY_FIRST_CHAR)
        ):
            line = line_format.parse(rest)
            if line is not None and not (
                line_format.excludes_inner_rank and any(outer.excludes_inner_rank for outer, _ in parsed)
            ):
                break
        else:
            break
        parsed.append((line_format, line))
        # A tentative one is confirmed by what a program itself writes, not by another guess about who carries the line.
        if (
            not line_format.tentative and not (line_format.prefixes_every_line and certain_count < len(parsed) - 1)
        ) or (
            line_format.tentative and certain_count == len(parsed) - 1 and line.stream and line.stream in known_writers
        ):
            certain_count = len(parsed)
        if not line_format.wrapper or len(line.message) >= len(rest):
            break
        rest = line.message
        if line.kind is Kind.KERNEL:  # its "INFO: task blocked" and "BUG: " are no levels of a logger
            table = _KERNEL_BY_FIRST_CHAR
    if certain_count == 1:
        line_format, line = parsed[0]
        return Line(*line[:-1], (line_format.name,))
    return _merge_prefixes(parsed[:certain_count]) if certain_count else Line(text)


_read_prefixes_cached = functools.lru_cache(CACHED_LINES)(_read_prefixes)


def is_continuation_line(line: Line) -> bool:
    """May the line continue the one before it? Not if a program put a prefix of its own there. What a container runtime
    or a launcher puts before every line does not count, nor does syslog where a worker speaks through it."""
    return not any(
        name in _PROGRAM_FORMATS and not (name == "syslog" and line.kind is Kind.WORKER) for name in line.formats
    )


def _merge_prefixes(parsed: list[tuple[Format, Line]]) -> Line:
    """Lay the inner prefixes over the outer ones."""
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
        host = host if line.host is None else line.host
        logger = logger if line.logger is None else line.logger
    message = parsed[-1][1].message
    return Line(message, tuple(stamps), severity, kind, "/".join(streams), pid, tid, host, logger, tuple(format_names))


def _discover() -> Iterator[Format]:
    for module in pkgutil.iter_modules(__path__):
        loaded = importlib.import_module(f"{__name__}.{module.name}")
        if line_format := getattr(loaded, "FORMAT", None):
            yield line_format
        if not module.ispkg:
            yield from getattr(loaded, "FORMATS", ())


# At the end: a module of this folder may import `read_line` while it is being discovered.
FORMATS: tuple[Format, ...] = tuple(sorted(_discover(), key=lambda each: (each.priority, each.name)))
_BY_FIRST_CHAR = {
    chr(code): tuple(each for each in FORMATS if not each.first_chars or chr(code) in each.first_chars)
    for code in range(128)
}
_BY_DATE_MARK = {
    mark: tuple(each for each in _BY_FIRST_CHAR["[" if mark == "[" else "2"] if mark in each.date_marks)
    for mark in DATE_SEPARATORS + "["
}
_KERNEL_BY_FIRST_CHAR = {
    first: tuple(each for each in some if each.kind is Kind.KERNEL) for first, some in _BY_FIRST_CHAR.items()
}
_WITH_ANY_FIRST_CHAR = tuple(each for each in FORMATS if not each.first_chars)
_PROGRAM_FORMATS = frozenset(each.name for each in FORMATS if not each.prefixes_every_line)
