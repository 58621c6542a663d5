"""The head of a file as lines and as text: many readers ask one after the other, so each is made once."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice

NAMED_PREFIX = b"[pod/"  # of a line in a section, whose header names the machine
MAX_HEADS = 2  # the file's own and the one after the last stage


@lru_cache(MAX_HEADS)
def head_lines(head: bytes) -> tuple[bytes, ...]:
    """Return what is between the line feeds; the last line may be cut, or is empty."""
    return tuple(head.split(b"\n"))


def head_segments(head: bytes) -> tuple[bytes, ...]:
    """Return what is between line feeds and carriage returns."""
    return head_lines(head.replace(b"\r", b"\n"))  # the same object if there is none


@lru_cache(MAX_HEADS)
def whole_lines(head: bytes) -> tuple[bytes, ...]:
    """Return the lines that hold more than blanks, but for the last one, which may be cut."""
    return tuple(filter(bytes.strip, head_lines(head)[:-1]))


def unnamed_lines(head: bytes, count: int, length: int) -> list[str]:
    """Return the first whole lines that no section has named, of at most `length` bytes each."""
    unnamed = (line for line in whole_lines(head) if not line.startswith(NAMED_PREFIX))
    cut = [line[:length] for line in islice(unnamed, count)]
    return b"\n".join(cut).decode("utf-8", "replace").split("\n") if cut else []


@lru_cache(MAX_HEADS)
def head_text(head: bytes) -> str:
    """Return the head decoded; what is no UTF-8 is U+FFFD."""
    return head.decode("utf-8", "replace")
