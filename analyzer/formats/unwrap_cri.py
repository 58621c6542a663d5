"""Lines of a container runtime that were cut into pieces (`P` … `P` `F`), joined again.

    2026-11-21T05:10:09.123456789Z stdout P The first part,
    2016-10-06T00:17:09.669794203Z stdout F and the last.

containerd and CRI-O cut at 16 KiB. The joined line stands where the first piece stood, with its time; the other
pieces leave empty lines.
"""

from __future__ import annotations

import re

MOST = 4 << 20  # bytes and
PIECES = 4096  # lines that are held back while a line is incomplete

CRI = re.compile(
    rb"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)) (stdout|stderr) ([FP])(:[^\s]*)?"
    rb"(?: |(?=[\r\n])|\Z)"
)
_PARTIAL = re.compile(rb" std(?:out|err) P")


def looks_like_cri(head: bytes) -> bool:
    return CRI.match(head) is not None


class PartialJoiner:
    """A converter; see `unwrap.Converter`."""

    name = "cri"

    def __init__(self) -> None:
        self._held: list[bytearray] = []  # lines that wait for an incomplete one, in order
        self._open: dict[bytes, bytearray] = {}  # stdout, stderr: the incomplete line
        self._size = 0
        self._joined = 0
        self._broken = 0

    def convert(self, lines: bytes) -> bytes:
        if not self._open and not _PARTIAL.search(lines):
            return lines
        result = bytearray()
        for line in lines.splitlines(keepends=True) if b"\r" not in lines else _split(lines):
            self._take(line)
            if not self._open or self._size > MOST or len(self._held) > PIECES:
                result += self._release()
        return bytes(result)

    def finish(self) -> bytes:
        return self._release()

    def note(self) -> str:
        said = [f"{self._joined} pieces of long lines were joined."] if self._joined else []
        if self._broken:
            said.append(f"{self._broken} long lines lack their end.")
        return " ".join(said)

    def _take(self, line: bytes) -> None:
        self._size += len(line)
        end = b"\n" if line.endswith(b"\n") else b""
        found = CRI.match(line)
        begun = self._open.get(found[2]) if found else None
        if found and begun is not None:
            self._joined += 1
            had_end = begun.endswith(b"\n")
            begun[len(begun) - had_end :] = line[found.end() : len(line) - len(end)] + b"\n" * had_end
            self._held.append(bytearray(end))
            if found[3] == b"F":
                del self._open[found[2]]
            return
        slot = bytearray(line)
        if found and found[3] == b"P":
            slot[found.start(3)] = ord("F")
            if slot[found.end() - 1] != ord(" "):  # a piece without text
                slot[found.end() : found.end()] = b" "
            self._open[found[2]] = slot
        self._held.append(slot)

    def _release(self) -> bytes:
        self._broken += len(self._open)
        result = b"".join(self._held)
        self._held.clear()
        self._open.clear()
        self._size = 0
        return result


def _split(lines: bytes) -> list[bytes]:
    """By line feeds alone; `splitlines` also cuts at CR."""
    parts = lines.split(b"\n")
    last = parts.pop()
    return [part + b"\n" for part in parts] + ([last] if last else [])
