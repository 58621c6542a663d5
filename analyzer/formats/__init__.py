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

from analyzer.formats.grammar import DATES, Format
from analyzer.model import Kind, Line, Stamp

__all__ = ["FORMATS", "Format", "continues", "read_line"]

_DATE = re.compile(r"(\[?)\d{4}-\d\d-\d\d([T ])\d\d:\d").match
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|[()][A-Z0-9]|[=>78cDEHMNO])").sub
RECENT, SHORT = 256, 1024  # lines that are remembered, of so many characters: several look at a file's first and last
DEEPEST = 7  # six wrappers and one inner format; also the bound against lines made to nest


def read_line(text: str, writers: Container[str] = ()) -> Line:
    """Read the prefixes of one line, wrappers first. Text without any is a Line with the text as its message.

    Stamps are in order, outermost first. Of all else the innermost that says it counts; streams are joined by `/`.
    `writers` are streams that other lines of the file made certain: their name alone is a prefix, whatever follows.
    A host among them is the stream of its lines.
    """
    if len(text) <= SHORT and not writers:
        return _read_again(text)
    line = _read_line(text, writers)
    return line._replace(stream=line.host) if line.host and not line.stream and line.host in writers else line


def _read_line(text: str, writers: Container[str] = ()) -> Line:
    if "\x1b" in text:  # colours that begin only later in a file, where it was not asked to be unwrapped
        text = _ESCAPES("", text)
    found: list[tuple[Format, Line]] = []
    certain = 0  # how many are certain: tentative ones at the end are dropped
    rest, table = text, _BY_FIRST
    while len(found) < DEEPEST:
        date = table is _BY_FIRST and _DATE(rest)
        for each in _DATED[date[1] or date[2]] if date else table.get(rest[:1], _OTHERS):
            line = each.parse(rest)
            if line is not None and not (each.counts and any(outer.counts for outer, _ in found)):
                break
        else:
            break
        found.append((each, line))
        # A tentative one is confirmed by what a program itself writes, not by another guess about who carries the line.
        if (not each.tentative and not (each.carrier and certain < len(found) - 1)) or (
            each.tentative and certain == len(found) - 1 and line.stream and line.stream in writers
        ):
            certain = len(found)
        if not each.wrapper or len(line.message) >= len(rest):
            break
        rest = line.message
        if line.kind is Kind.KERNEL:  # its "INFO: task blocked" and "BUG: " are no levels of a logger
            table = _KERNEL
    if certain == 1:
        each, line = found[0]
        return Line(*line[:-1], (each.name,))
    return _merge(found[:certain]) if certain else Line(text)


_read_again = functools.lru_cache(RECENT)(_read_line)


def continues(line: Line) -> bool:
    """May the line continue the one before it? Not if a program put a prefix of its own there. What a container runtime
    or a launcher puts before every line does not count, nor does syslog where a worker speaks through it."""
    return not any(name in _SPEAKING and not (name == "syslog" and line.kind is Kind.WORKER) for name in line.formats)


def _merge(found: list[tuple[Format, Line]]) -> Line:
    """Lay the inner prefixes over the outer ones."""
    stamps: list[Stamp] = []
    streams: list[str] = []
    names: list[str] = []
    severity = kind = pid = tid = host = logger = None
    for each, line in found:
        stamps.extend(line.stamps)
        names.append(each.name)
        if line.stream:
            streams.append(line.stream)
        severity = severity if line.severity is None else line.severity
        kind = kind if line.kind is None else line.kind
        pid = pid if line.pid is None else line.pid
        tid = tid if line.tid is None else line.tid
        host = host if line.host is None else line.host
        logger = logger if line.logger is None else line.logger
    message = found[-1][1].message
    return Line(message, tuple(stamps), severity, kind, "/".join(streams), pid, tid, host, logger, tuple(names))


def _discover() -> Iterator[Format]:
    for module in pkgutil.iter_modules(__path__):
        loaded = importlib.import_module(f"{__name__}.{module.name}")
        if single := getattr(loaded, "FORMAT", None):
            yield single
        if not module.ispkg:
            yield from getattr(loaded, "FORMATS", ())


# At the end: a module of this folder may import `read_line` while it is being discovered.
FORMATS: tuple[Format, ...] = tuple(sorted(_discover(), key=lambda each: (each.priority, each.name)))
_BY_FIRST = {
    chr(code): tuple(each for each in FORMATS if not each.starts or chr(code) in each.starts) for code in range(128)
}
_DATED = {
    mark: tuple(each for each in _BY_FIRST["[" if mark == "[" else "2"] if mark in each.dated) for mark in DATES + "["
}
_KERNEL = {first: tuple(each for each in some if each.kind is Kind.KERNEL) for first, some in _BY_FIRST.items()}
_OTHERS = tuple(each for each in FORMATS if not each.starts)
_SPEAKING = frozenset(each.name for each in FORMATS if not each.carrier)
