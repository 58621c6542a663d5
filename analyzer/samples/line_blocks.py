"""Reads a sample file as lists of lines: the beginning and the end whole, the middle in part."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from analyzer.bundle.peek import SupportsRead

BLOCK_BYTES = 1 << 20
HEAD_BYTES = 8 << 20  # at the beginning, all lines are read: hours of a recorder at 1 Hz …
TAIL_BYTES = 8 << 20  # … and at the end, where the failure is
MAX_LINE_BYTES = 1 << 20  # no sample is longer; the rest of the line is dropped
MIDDLE_STRIDE = 64  # of the lines between, every 64th is read, if a line can be understood without its neighbours


def read_line_blocks(
    stream: SupportsRead, stride: int = 0, head: int = HEAD_BYTES, tail: int = TAIL_BYTES
) -> Iterator[tuple[int, list[bytes]]]:
    """Yield (number of the first line, lines without line ends), in order, up to the last line of the file.

    stride: of the lines between the first `head` bytes and the last `tail` bytes, every stride-th is read; 0: none.
    """
    number, partial_line, bytes_read = 1, b"", 0
    tail_blocks: deque[bytes] = deque()
    while block := stream.read(BLOCK_BYTES):
        bytes_read += len(block)
        lines, end, partial_line = (partial_line + block).rpartition(b"\n")
        if not end:
            partial_line = partial_line[:MAX_LINE_BYTES]
            continue
        tail_blocks.append(lines)
        while tail_blocks and (bytes_read <= head or sum(map(len, tail_blocks)) > tail + BLOCK_BYTES):
            block_lines = tail_blocks.popleft().split(b"\n")
            if bytes_read <= head:
                yield number, block_lines
            elif stride:
                yield from ((number + at, [block_lines[at]]) for at in range(0, len(block_lines), stride))
            number += len(block_lines)
    for lines in tail_blocks:
        block_lines = lines.split(b"\n")
        yield number, block_lines
        number += len(block_lines)
    if partial_line:
        yield number, [partial_line]
