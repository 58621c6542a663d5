"""Lines that were cut at the width of a screen, joined again: copies out of a terminal, tmux, `fold`.

    2026-11-21 02:06:16.1234: W save_restore_v2_ops.cc:163 : RESOURCE_EXHAUSTED: /ckpt/model-15_te
    mp/part-00000-of-00001; No space left on device

The joined line stands where its first piece stood; the other pieces leave empty lines.
"""

from __future__ import annotations

from itertools import islice

from analyzer.formats import read_line

MIN_WIDTH, MAX_WIDTH = 60, 400  # characters of a screen
MIN_LINES = 5  # full lines, and lines with a time, without which nothing is known
MIN_CONTINUATION_SHARE = 0.9  # share of the lines behind full ones that have no prefix of their own
MAX_JOINED_BYTES = 64 << 10  # bytes of a joined line; more was no line


def find_fold_width(head: bytes) -> int | None:
    """The width at which the lines of a file were cut; None if they were not. Lines of a table are all full, too, and
    `ps` cuts its lines without going on in the next; neither has times."""
    lines = head.split(b"\n")[:-1]
    lengths = list(map(len, lines))
    width = max(lengths, default=0)
    if not MIN_WIDTH <= width <= MAX_WIDTH or lengths.count(width) < MIN_LINES or not lines[0].strip():
        return None
    followers = [after for length, after in zip(lengths, lines[1:], strict=False) if length == width]
    max_fresh = (1 - MIN_CONTINUATION_SHARE) * len(followers)
    fresh = sum(1 for _ in islice(filter(_has_prefix, followers), int(max_fresh) + 1))
    if fresh > max_fresh:
        return None  # without a look at all the others
    timed = sum(_has_prefix(line) for line in lines)
    return width if timed - fresh >= MIN_LINES else None


def _has_prefix(line: bytes) -> bool:
    return bool(read_line(line.decode("utf-8", "replace")).formats)


class FoldedLineJoiner:
    """A converter; see `unwrap.Converter`."""

    name = "folded"

    def __init__(self, width: int) -> None:
        self._width = width
        self._pieces: list[bytes] = []  # pieces of one line, without their line feeds
        self._joined = 0

    def convert(self, lines: bytes) -> bytes:
        parts = lines.split(b"\n")
        rest = parts.pop()
        result = b"".join(map(self._add_line, parts))
        return result + (self._add_line(rest) + self._release())[:-1] if rest else result  # the last has no line feed

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
