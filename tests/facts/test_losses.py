"""What is lost is told."""

from __future__ import annotations

from analyzer.facts.coverage_gaps import describe_unread_files
from analyzer.model import Kind, Source


def test_bytes_that_nobody_can_count_are_not_said_to_be_none() -> None:
    """A file that vanished, or a server that does not answer."""
    lost = [
        Source("a.log", None, Kind.UNKNOWN, 7, "failed", problem="cut", unread=7),
        Source("b.log", None, Kind.UNKNOWN, 0, "failed", problem="gone", unread=None),
    ]
    [said] = describe_unread_files(lost)
    assert "2 file(s)" in said and "(7 bytes as stored, plus 1 file(s) of unknown size)" in said
