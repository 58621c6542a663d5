"""A sample file as lists of lines, with a bound on how many are looked at one by one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from analyzer.bundle.peek import Readable

BLOCK = 1 << 20
HEAD = 8 << 20  # bytes from the start whose lines are all read: hours of a recorder at 1 Hz …
TAIL = 8 << 20  # … and from the end, where the failure is
LONGEST = 1 << 20  # bytes of a line that are kept: no sample is longer
STRIDE = 64  # of the lines between, every so many-th, where a line can be understood without its neighbours


def lines_of(
    stream: Readable, stride: int = 0, head: int = HEAD, tail: int = TAIL
) -> Iterator[tuple[int, list[bytes]]]:
    """(number of the first line, lines without ends) in order; the last yield ends with the file's last line.

    `stride` 0: nothing of what lies between head and tail.
    """
    number, rest, seen = 1, b"", 0
    late: deque[bytes] = deque()
    while block := stream.read(BLOCK):
        seen += len(block)
        lines, end, rest = (rest + block).rpartition(b"\n")
        if not end:
            rest = rest[:LONGEST]
            continue
        late.append(lines)
        while late and (seen <= head or sum(map(len, late)) > tail + BLOCK):
            cut = late.popleft().split(b"\n")
            if seen <= head:
                yield number, cut
            elif stride:
                yield from ((number + at, [cut[at]]) for at in range(0, len(cut), stride))
            number += len(cut)
    for lines in late:
        cut = lines.split(b"\n")
        yield number, cut
        number += len(cut)
    if rest:
        yield number, [rest]
