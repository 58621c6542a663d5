"""A sample file as lists of lines, with a bound on how many are looked at one by one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from analyzer.reading.peek import Readable

BLOCK = 1 << 20
HEAD = 64 << 20  # bytes from the start whose lines are all read: more than a day of 1 Hz …
TAIL = 32 << 20  # … and from the end; what lies between is counted and not read


def lines_of(stream: Readable, head: int = HEAD, tail: int = TAIL) -> Iterator[tuple[int, list[bytes]]]:
    """(number of the first line, lines without ends) in order; the last yield ends with the file's last line."""
    number, rest, seen = 1, b"", 0
    late: deque[bytes] = deque()
    while block := stream.read(BLOCK):
        seen += len(block)
        lines, end, rest = (rest + block).rpartition(b"\n")
        if not end:
            continue
        if seen <= head:
            cut = lines.split(b"\n")
            yield number, cut
            number += len(cut)
            continue
        late.append(lines)
        while sum(map(len, late)) > tail + BLOCK:
            number += late.popleft().count(b"\n") + 1
    for lines in late:
        cut = lines.split(b"\n")
        yield number, cut
        number += len(cut)
    if rest:
        yield number, [rest]
