"""Join lines that were cut at the width of a screen: copies from a terminal, tmux, `fold`.

    2026-11-21 02:06:16.1234: W save_restore_v2_ops.cc:163 : RESOURCE_EXHAUSTED: /ckpt/model-15_te
    mp/part-00000-of-00001; No space left on device

The joined line takes the place of its first piece; the other pieces become empty lines.
"""

from __future__ import annotations

from itertools import islice

from analyzer.formats import read_line
from analyzer.formats.records.head_lines import head_lines

MIN_WIDTH, MAX_WIDTH = 60, 400  # characters of a screen
MIN_LINES = 5  # lines of full width with a prefix: fewer prove nothing
MIN_CONTINUATION_SHARE = 0.9  # share of lines without a prefix, of those after full lines
MAX_JOINED_BYTES = 64 << 10  # a longer line was not one line


def find_fold_width(head: bytes) -> int | None:
    """Return the width at which the lines of a file were cut, or None if they were not.

    Lines of a table and truncated lines of `ps` have equal width too, but no prefixes with times.
    """
    lines = head_lines(head)[:-1]
    lengths = list(map(len, lines))
    width = max(lengths, default=0)
    if not MIN_WIDTH <= width <= MAX_WIDTH or lengths.count(width) < MIN_LINES or not lines[0].strip():
        return None
    followers = [after for length, after in zip(lengths, lines[1:], strict=False) if length == width]
    max_fresh = (1 - MIN_CONTINUATION_SHARE) * len(followers)
    fresh = sum(1 for _ in islice(filter(_has_prefix, followers), int(max_fresh) + 1))
    if fresh > max_fresh:
        return None  # before all the other lines are read
    timed = sum(_has_prefix(line) for line in lines)
    return width if timed - fresh >= MIN_LINES else None


def _has_prefix(line: bytes) -> bool:
    return bool(read_line(line.decode("utf-8", "replace")).formats)


class FoldedLineJoiner:
    """A `LineConverter` that joins lines of full width with the lines after them that have no prefix."""

    name = "folded"

    def __init__(self, width: int) -> None:
        self._width = width
        self._pieces: list[bytes] = []  # pieces of one line, without their line feeds
        self._joined = 0

    def convert(self, lines: bytes) -> bytes:
        parts = lines.split(b"\n")
        partial_line = parts.pop()
        result = b"".join(map(self._add_line, parts))
        return (
            result + (self._add_line(partial_line) + self._release())[:-1] if partial_line else result
        )  # without the line feed of the last line

    def finish(self) -> bytes:
        return self._release()

    def note(self) -> str:
        sentence = f"Lines were cut at {self._width} characters; {self._joined} pieces were joined."
        return sentence if self._joined else ""

    def _add_line(self, line: bytes) -> bytes:
        before = self._release() if self._pieces and _has_prefix(line) else b""
        self._pieces.append(line)
        is_cut = len(line) == self._width and len(self._pieces) * self._width < MAX_JOINED_BYTES
        return before if is_cut else before + self._release()

    def _release(self) -> bytes:
        pieces, self._pieces = self._pieces, []
        self._joined += max(len(pieces) - 1, 0)
        return b"".join(pieces) + b"\n" * len(pieces)
