"""The head of a file as lines and as text. Many readers use it in turn, so the results are cached."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice

NAMED_PREFIX = b"[pod/"  # of a line in a section, whose header names the machine
MAX_HEADS = 2  # that of the file and that after the last stage


@lru_cache(MAX_HEADS)
def head_lines(head: bytes) -> tuple[bytes, ...]:
    """Return the lines without their line feeds. The last one may be truncated or empty."""
    return tuple(head.split(b"\n"))


def head_segments(head: bytes) -> tuple[bytes, ...]:
    """Return the segments between line feeds and carriage returns."""
    return head_lines(head.replace(b"\r", b"\n"))  # the same object if there is no carriage return


@lru_cache(MAX_HEADS)
def whole_lines(head: bytes) -> tuple[bytes, ...]:
    """Return the lines that are not blank, except the last one, which may be truncated."""
    return tuple(filter(bytes.strip, head_lines(head)[:-1]))


def unnamed_lines(head: bytes, count: int, length: int) -> list[str]:
    """Return the first whole lines that no section has named, of at most `length` bytes each."""
    unnamed = (line for line in whole_lines(head) if not line.startswith(NAMED_PREFIX))
    cut = [line[:length] for line in islice(unnamed, count)]
    return b"\n".join(cut).decode("utf-8", "replace").split("\n") if cut else []


@lru_cache(MAX_HEADS)
def head_text(head: bytes) -> str:
    """Return the decoded head. Invalid UTF-8 becomes U+FFFD."""
    return head.decode("utf-8", "replace")
