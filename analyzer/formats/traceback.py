"""Reads Python tracebacks in logs: chained exceptions, groups, and what TensorFlow writes into messages.

    Traceback (most recent call last):
      File "/srv/train.py", line 31, in <module>
        model.fit(data)
    tensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph execution error:

Formats: CPython `Lib/traceback.py`; TensorFlow `python/framework/errors_impl.py` and `core/util/…/status_util`
("2 root error(s) found."); `Detected at node` since 2.5.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from analyzer.formats import read_line
from analyzer.formats.traceback_frames import TracebackFrame, find_user_frame

MAX_TRACEBACK_LINES = 2000  # of a whole traceback
MAX_EXCEPTIONS = 32
MAX_MESSAGE_LINES = 40  # of an ordinary exception's message
MAX_GRAPH_MESSAGE_LINES = 400  # of TensorFlow's message that names where the nodes of a graph were defined

_HEAD = re.compile(r"(.*?)(\+ Exception Group )?Traceback \(most recent call last\):\s*$").match
_FRAME = re.compile(r'\s*File "([^"]*)", line (\d{1,18})(?:, in ([^\n]*+))?\s*+$').match
_TYPE = re.compile(r"([A-Za-z_]\w*(?:\.(?:[A-Za-z_]\w*|<locals>))*)(?:: ?(.*)|$)", re.DOTALL).match
_LINK = {
    "The above exception was the direct cause of the following exception:": "cause",
    "During handling of the above exception, another exception occurred:": "context",
}
_MEMBER = re.compile(r"\s*[+|]?[+-]*+(?<=-{5}) (?:\d+|\.\.\.) -{5,}+\s*+$").match
_GROUP_END = re.compile(r"\s*\+-{10,}\s*$").match
_GROUP_BAR = re.compile(r"(?<! ) *+[|+] ?")
_GRAPH = re.compile(
    r"Graph execution error|\d root error\(s\) found|Detected at node|defined at \(most recent call last\)"
)
_ROOTS = re.compile(r"\d root error\(s\) found").search
_ROOT = re.compile(r"\s*\((\d{1,3})\)\s+(?:([A-Z][A-Za-z_ ]{2,40}): )?\s*(.*)").match
_GRAPH_NOISE = re.compile(
    r"Detected at node|Node: '|Node: |<stack traces unavailable>|Stack trace for op definition|\s*$"
).match
_OP_END = re.compile(r"\[Op:[^\]\[]*+\]").search


@dataclass(frozen=True, slots=True)
class RootError:
    """One of TensorFlow's "N root error(s) found": its status code as written (empty: none) and its first line."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class RaisedException:
    """One exception of a traceback.

    type: the qualified name as written; empty if the log ends before it.
    message: the first line of the message.
    reason: the line that says what happened: the message, or behind "Graph execution error:" the first line that is not
        a place in the graph.
    frames: from the outermost to the innermost.
    relation: how it follows from the exception before it: `cause`, `context`, `member` (of a group); empty: the first.
    """

    type: str
    message: str
    reason: str
    frames: tuple[TracebackFrame, ...] = ()
    relation: str = ""
    detail: tuple[str, ...] = ()  # all lines of the message
    roots: tuple[RootError, ...] = ()
    graph_frames: tuple[TracebackFrame, ...] = ()  # where the failed node of the graph was defined

    @property
    def user_frame(self) -> TracebackFrame | None:
        return find_user_frame(self.frames) or find_user_frame(self.graph_frames)


@dataclass(frozen=True, slots=True)
class Traceback:
    """A traceback of `lines` lines. Of its exceptions, in the order of the log, the last ended the program."""

    exceptions: tuple[RaisedException, ...]
    lines: int

    @property
    def last(self) -> RaisedException:
        return self.exceptions[-1]

    @property
    def type(self) -> str:
        return self.last.type

    @property
    def message(self) -> str:
        return self.last.message

    @property
    def user_frame(self) -> TracebackFrame | None:
        """The innermost frame of the user's code, of the last exception that has one."""
        return next((exception.user_frame for exception in reversed(self.exceptions) if exception.user_frame), None)


def read_traceback(lines: Sequence[str]) -> Traceback | None:
    """Return the traceback that begins at lines[0], or None. The lines have neither prefixes nor line ends."""
    head = _HEAD(lines[0]) if lines else None
    if not head:
        return None
    quote = head[1]
    text = [
        line.removeprefix(quote) if quote.strip() else _dedent(line, len(quote)) for line in lines[:MAX_TRACEBACK_LINES]
    ]
    if head[2]:
        return _read_group(text)
    exceptions: list[RaisedException] = []
    at, relation = 0, ""
    while len(exceptions) < MAX_EXCEPTIONS:
        if (group_head := _HEAD(text[at])) and group_head[2]:
            inner = _read_group(text[at:], relation)
            return Traceback((*exceptions, *inner.exceptions), at + inner.lines)
        exception, at = _read_exception(text, at, relation)
        exceptions.append(exception)
        link = _find_link(text, at)
        if link is None:
            break
        relation, at = link
    return Traceback(tuple(exceptions), at)


def _dedent(line: str, width: int) -> str:
    return line[width:] if line[:width].isspace() else line


def _read_exception(text: Sequence[str], at: int, relation: str) -> tuple[RaisedException, int]:
    """Return the exception whose `Traceback` line has the index `at`, and the index of the line behind it."""
    frames, at = _read_frames(text, at + 1)
    match = _TYPE(text[at]) if at < len(text) else None
    if not match:
        return RaisedException(type="", message="", reason="", frames=frames, relation=relation), at
    if _HEAD(match[2] or ""):  # a message that is itself a traceback: Python 2 re-raised with format_exc()
        inner, end = _read_exception(text, at, "")
        return RaisedException(
            type=match[1],
            message=match[2],
            reason=inner.reason,
            frames=(*frames, *inner.frames),
            relation=relation,
            detail=inner.detail,
        ), end
    end = _find_message_end(text, at)
    detail = (match[2] or "", *text[at + 1 : end])
    return _add_graph_details(
        RaisedException(
            type=match[1], message=detail[0], reason=detail[0], frames=frames, relation=relation, detail=detail
        )
    ), end


def _read_frames(text: Sequence[str], at: int) -> tuple[tuple[TracebackFrame, ...], int]:
    """Return the frames from index `at`, and the index behind them with their source lines and carets.

    Old versions of Keras and notebooks put empty lines between frames.
    """
    frames: list[TracebackFrame] = []
    while at < len(text):
        line = text[at]
        if match := _FRAME(line):
            frames.append(TracebackFrame(match[1], _number(match[2]), (match[3] or "").strip()))
        elif not line.strip():
            if not any(_FRAME(line) for line in text[at + 1 : at + 3]):
                break
        elif not line[0].isspace():
            break
        at += 1
    return tuple(frames), at


def _number(text: str) -> int:
    return int(text) if len(text) < 10 and text.isdecimal() else 0


def _find_message_end(text: Sequence[str], at: int) -> int:
    """Return the index behind the message that begins at `at`.

    An ordinary message ends at an empty line or at a line with a prefix. The message of a graph error of TensorFlow
    continues over empty lines up to `[Op:…]`.
    """
    graph = _GRAPH.search(text[at]) is not None
    first, end = at, at + 1
    while end < len(text) and end - first < (MAX_GRAPH_MESSAGE_LINES if graph else MAX_MESSAGE_LINES):
        line = text[end]
        if not graph and end - first < 4 and _GRAPH.search(line):
            graph = True
        if graph and _OP_END(text[end - 1]):
            break
        if (
            (not line.strip() and not graph)
            or line in _LINK
            or _HEAD(line)
            or (not line[:1].isspace() and read_line(line).has_prefix)
        ):
            break
        end += 1
    while end > first + 1 and not text[end - 1].strip():
        end -= 1
    return end


def _find_link(text: Sequence[str], at: int) -> tuple[str, int] | None:
    """Return the relation and the index of the next traceback of the same chain, or None."""
    next_lines = [number for number in range(at, min(at + 6, len(text))) if text[number].strip()][:2]
    if len(next_lines) == 2 and text[next_lines[0]].strip() in _LINK and _HEAD(text[next_lines[1]]):
        return _LINK[text[next_lines[0]].strip()], next_lines[1]
    return None


def _add_graph_details(exception: RaisedException) -> RaisedException:
    """Return the exception with the root errors, frames and reason that TensorFlow puts into its message."""
    if not any(_GRAPH.search(line) for line in exception.detail[:4]):
        return exception
    graph_frames: list[TracebackFrame] = []
    roots: list[RootError] = []
    reason = ""
    has_root_count = False
    for line in exception.detail:
        has_root_count = has_root_count or _ROOTS(line) is not None
        if match := _FRAME(line):
            graph_frames.append(TracebackFrame(match[1], _number(match[2]), (match[3] or "").strip()))
        elif has_root_count and (match := _ROOT(line)):
            roots.append(RootError(match[2] or "", match[3]))
        elif not reason and not line[:1].isspace() and not _GRAPH.search(line) and not _GRAPH_NOISE(line):
            reason = line
    reason = roots[0].message if roots else reason or exception.message
    return replace(exception, reason=reason, roots=tuple(roots), graph_frames=tuple(graph_frames))


def _read_group(text: Sequence[str], relation: str = "") -> Traceback:
    """Return an exception group: its members, also nested ones, in the order of the log, and the group as the last."""
    end = 1
    while end < len(text) and text[end].lstrip()[:1] in ("|", "+"):
        end += 1
    parts: list[list[str]] = [["Traceback (most recent call last):"]]
    for line in text[1:end]:
        if _GROUP_END(line):
            continue
        if _MEMBER(line):
            parts.append([])
        else:
            parts[-1].append(_GROUP_BAR.sub("", line, count=1))
    exceptions: list[RaisedException] = []
    for part in parts[:MAX_EXCEPTIONS]:
        begin = next((at for at, line in enumerate(part) if _HEAD(line)), None)
        if begin is not None:
            exceptions.append(_read_exception(part, begin, "member" if exceptions else relation)[0])
        elif part and (match := _TYPE(part[0])):  # a member that was never raised has no traceback
            exceptions.append(RaisedException(match[1], match[2] or "", match[2] or "", relation="member"))
    return Traceback((*exceptions[1:], exceptions[0]), end)
