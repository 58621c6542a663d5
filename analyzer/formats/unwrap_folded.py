"""Lines that were cut at the width of a screen, joined again: copies out of a terminal, tmux, `fold`.

    2026-11-21 02:06:16.1234: W save_restore_v2_ops.cc:163 : RESOURCE_EXHAUSTED: /ckpt/model-15_te
    mp/part-00000-of-00001; No space left on device

The joined line stands where its first piece stood; the other pieces leave empty lines.
"""

from __future__ import annotations

from itertools import islice

from analyzer.formats import read_line

NARROWEST, WIDEST = 60, 400  # characters of a screen
FEWEST = 5  # full lines, and lines with a time, without which nothing is known
ALONE = 0.9  # share of the lines behind full ones that have no prefix of their own
MOST = 64 << 10  # bytes of a joined line; more was no line


def fold_of(head: bytes) -> int | None:
    """The width at which the lines of a file were cut; None if they were not. Lines of a table are all full, too, and
    `ps` cuts its lines without going on in the next; neither has times."""
    lines = head.split(b"\n")[:-1]
    lengths = list(map(len, lines))
    width = max(lengths, default=0)
    if not NARROWEST <= width <= WIDEST or lengths.count(width) < FEWEST or not lines[0].strip():
        return None
    followers = [after for length, after in zip(lengths, lines[1:], strict=False) if length == width]
    few = (1 - ALONE) * len(followers)
    fresh = sum(1 for _ in islice(filter(_begins, followers), int(few) + 1))
    if fresh > few:
        return None  # without a look at all the others
    timed = sum(_begins(line) for line in lines)
    return width if timed - fresh >= FEWEST else None


def _begins(line: bytes) -> bool:
    return bool(read_line(line.decode("utf-8", "replace")).formats)


class FoldedReader:
    """A converter; see `unwrap.Converter`."""

    name = "folded"

    def __init__(self, width: int) -> None:
        self._width = width
        self._held: list[bytes] = []  # pieces of one line, without their line feeds
        self._joined = 0

    def convert(self, lines: bytes) -> bytes:
        parts = lines.split(b"\n")
        rest = parts.pop()
        result = b"".join(map(self._take, parts))
        return result + (self._take(rest) + self._release())[:-1] if rest else result  # the last has no line feed

    def finish(self) -> bytes:
        return self._release()

    def note(self) -> str:
        said = f"Lines were cut at {self._width} characters; {self._joined} pieces were joined."
        return said if self._joined else ""

    def _take(self, line: bytes) -> bytes:
        before = self._release() if self._held and _begins(line) else b""
        self._held.append(line)
        goes_on = len(line) == self._width and len(self._held) * self._width < MOST
        return before if goes_on else before + self._release()

    def _release(self) -> bytes:
        pieces, self._held = self._held, []
        self._joined += max(len(pieces) - 1, 0)
        return b"".join(pieces) + b"\n" * len(pieces)
