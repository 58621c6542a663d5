"""Sentences about files that were not read."""

from __future__ import annotations

from analyzer.facts.coverage_gaps import describe_unread_files
from analyzer.model import Kind, Source


def test_an_unknown_size_is_not_counted_as_zero() -> None:
    """A file that vanished, or a server that does not answer."""
    lost = [
        Source("a.log", None, Kind.UNKNOWN, bytes=7, status="failed", problem="cut", unread=7),
        Source("b.log", None, Kind.UNKNOWN, bytes=0, status="failed", problem="gone", unread=None),
    ]
    [sentence] = describe_unread_files(lost)
    assert ": 2 (7 bytes as stored, plus 1 of unknown size): " in sentence
