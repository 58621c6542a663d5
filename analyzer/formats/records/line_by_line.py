"""Common parts of line converters: splitting into lines, and converting each line at once into one line."""

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
    """The base of a `LineConverter`, without its name and the conversion of a line."""

    def convert(self, lines: bytes) -> bytes:
        return b"\n".join(map(self.convert_line, lines.split(b"\n")))

    def finish(self) -> bytes:
        return b""

    def note(self) -> str:
        return ""

    @abstractmethod
    def convert_line(self, line: bytes) -> bytes:
        """Return the replacement of a line; both are without the line feed."""
