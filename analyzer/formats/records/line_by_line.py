"""What line converters share: to split into lines, and to make one line of each line and hold nothing back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator


def split_at_line_feeds(lines: bytes) -> Iterator[bytes]:
    """Yield the lines with their line feeds; a carriage return separates the segments of a line."""
    *full_lines, last = lines.split(b"\n")
    yield from (line + b"\n" for line in full_lines)
    if last:
        yield last


class LineByLine(ABC):
    """A `LineConverter` but for its name and what it makes of a line."""

    def convert(self, lines: bytes) -> bytes:
        return b"\n".join(map(self.convert_line, lines.split(b"\n")))

    def finish(self) -> bytes:
        return b""

    def note(self) -> str:
        return ""

    @abstractmethod
    def convert_line(self, line: bytes) -> bytes:
        """Return what is to be read instead of a line, which comes without its line feed."""
