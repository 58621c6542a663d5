"""Join the lines that a container runtime cut into pieces (`P` … `P` `F`).

    2026-11-21T05:10:09.123456789Z stdout P The first part,
    2016-10-06T00:17:09.669794203Z stdout F and the last.

containerd and CRI-O cut at 16 KiB. The joined line takes the place and the time of the first piece; the other pieces
become empty lines.
"""

from __future__ import annotations

import re

MAX_HELD_BYTES = 4 << 20  # at most this many bytes are held back while a line is incomplete …
MAX_HELD_LINES = 4096  # … and this many lines

CRI_PREFIX = re.compile(
    rb"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)) (stdout|stderr) ([FP])(:[^\s]*)?"
    rb"(?: |(?=[\r\n])|\Z)"
)
_PARTIAL_MARK = re.compile(rb" std(?:out|err) P")


def begins_with_cri(head: bytes) -> bool:
    """Return whether the first line has the prefix of a container runtime."""
    return CRI_PREFIX.match(head) is not None


class CriPartialJoiner:
    """A `LineConverter` that joins the pieces of long lines, separately for stdout and stderr."""

    name = "cri"

    def __init__(self) -> None:
        self._held: list[bytearray] = []  # an incomplete line and the lines after it, in order
        self._incomplete: dict[bytes, bytearray] = {}  # stream (stdout, stderr) → its incomplete line
        self._size = 0
        self._joined = 0
        self._broken = 0

    def convert(self, lines: bytes) -> bytes:
        if not self._incomplete and not _PARTIAL_MARK.search(lines):
            return lines
        result = bytearray()
        for line in lines.splitlines(keepends=True) if b"\r" not in lines else _split_at_line_feeds(lines):
            self._add_line(line)
            if not self._incomplete or self._size > MAX_HELD_BYTES or len(self._held) > MAX_HELD_LINES:
                result += self._release()
        return bytes(result)

    def finish(self) -> bytes:
        return self._release()

    def note(self) -> str:
        sentences = [f"{self._joined} pieces of long lines were joined."] if self._joined else []
        if self._broken:
            sentences.append(f"{self._broken} long lines are incomplete.")
        return " ".join(sentences)

    def _add_line(self, line: bytes) -> None:
        self._size += len(line)
        end = b"\n" if line.endswith(b"\n") else b""
        prefix = CRI_PREFIX.match(line)
        first_piece = self._incomplete.get(prefix[2]) if prefix else None
        if prefix and first_piece is not None:
            self._joined += 1
            had_end = first_piece.endswith(b"\n")
            first_piece[len(first_piece) - had_end :] = line[prefix.end() : len(line) - len(end)] + b"\n" * had_end
            self._held.append(bytearray(end))
            if prefix[3] == b"F":
                del self._incomplete[prefix[2]]
            return
        slot = bytearray(line)
        if prefix and prefix[3] == b"P":
            slot[prefix.start(3)] = ord("F")
            if slot[prefix.end() - 1] != ord(" "):  # a piece without text
                slot[prefix.end() : prefix.end()] = b" "
            self._incomplete[prefix[2]] = slot
        self._held.append(slot)

    def _release(self) -> bytes:
        self._broken += len(self._incomplete)
        result = b"".join(self._held)
        self._held.clear()
        self._incomplete.clear()
        self._size = 0
        return result


def _split_at_line_feeds(lines: bytes) -> list[bytes]:
    """Split at line feeds only; `splitlines` also splits at carriage returns."""
    parts = lines.split(b"\n")
    last = parts.pop()
    return [part + b"\n" for part in parts] + ([last] if last else [])
