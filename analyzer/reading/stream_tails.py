"""The last lines of each stream of a source that several programs write, from the end of the source.

Only the bytes that the last window holds anyway are read, once a source: the cost does not grow with the source. A
stream that ended long before the others has no lines there.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable

from analyzer.formats import read_line
from analyzer.reading.segments import LAST_LINES, MAX_LAST_CHARS, decode
from analyzer.reading.window import LOOKAROUND_BYTES, TextWindow
from analyzer.redact.truncation import truncate_line

MAX_TAIL_STREAMS = 300  # of a source
TAIL_BYTES = 2 * LOOKAROUND_BYTES  # a window repeats so many, wherever blocks are cut
MAX_PREFIX_BYTES = 1024  # of a line, in which its writer is named
NumberedLine = tuple[int, str]  # the number of a line in its source, and its text


def read_stream_tails(
    window: TextWindow, last: int, streams: Collection[str], writers: Container[str]
) -> dict[str, tuple[NumberedLine, ...]]:
    """Return the last LAST_LINES lines of each of `streams`, as far as they are in sight.

    `window` is the last one, `last` the number of its last line.
    """
    data = window.data
    floor = max(0, len(data) - TAIL_BYTES)
    starts_line = floor == window.base_offset == 0
    lines = data[floor:].removesuffix(b"\n").split(b"\n")
    shown = lines if starts_line else lines[1:]  # the first may begin within a line
    tails: dict[str, list[NumberedLine]] = {}
    unfilled = set(sorted(streams)[:MAX_TAIL_STREAMS])
    for back, raw in enumerate(reversed(shown[-last:] if last else ())):
        stream = read_line(decode(raw.partition(b"\r")[0][:MAX_PREFIX_BYTES]), writers).stream
        if stream not in unfilled:
            continue
        tail = tails.setdefault(stream, [])
        tail.append((last - back, truncate_line(raw.rstrip(b"\r").rpartition(b"\r")[2], MAX_LAST_CHARS)))
        if len(tail) == LAST_LINES:
            unfilled.remove(stream)
            if not unfilled:
                break
    return {stream: tuple(reversed(tail)) for stream, tail in tails.items()}


def join_tails(*tails: Iterable[NumberedLine]) -> tuple[NumberedLine, ...]:
    """Return the last lines of several streams that are one program's."""
    return tuple(sorted(line for tail in tails for line in tail)[-LAST_LINES:])
