"""Convert output of grep, in which each line follows the path of its file, into the lines of these files.

    gx-7/train.log:812:step 12 loss 0.31         grep -rn
    /logs/gx-7.err:Killed                        grep -H
    gx-7/train.log-813-step 13 loss 0.30         lines of context (-A, -B, -C)
    --                                           between two places

Each line gets the prefix of `kubectl logs` for the machine or task that its path names.
"""

from __future__ import annotations

import re

from analyzer.formats.records.head_lines import head_lines
from analyzer.formats.records.line_by_line import LineByLine
from analyzer.formats.records.path_names import count_shared_parts, host_of_path
from analyzer.formats.records.sections import pod_prefix

MAX_PROBED_LINES = 400
MIN_LINES = 3
MIN_FILES = 2
MIN_SHARE = 0.9  # of the lines
_BETWEEN = b"--"
# A path has a folder or the extension of a log. The path of a source file begins a warning or a compiler message.
_match_line = re.compile(
    rb"(?P<path>(?:[\w.@+~-]{0,80}/){0,12}[\w.@+~-]{1,120}?"
    rb"(?:(?<=[./])(?:log|txt|out|err|stdout|stderr|messages|syslog|dmesg|journal)(?:[.-]\d{1,8})?))"
    rb"(?::(?:\d{1,9}:)?|-(?:\d{1,9}-))"
).match


def find_grep_output(head: bytes) -> int | None:
    """Return the number of parts at the ends of paths that name no machine.

    None unless nearly all of the first lines follow the paths of several files.
    """
    lines = [line for line in head_lines(head)[:MAX_PROBED_LINES] if line.strip(b"\r ")]
    lines = [line for line in lines if line.rstrip() != _BETWEEN]
    if len(lines) < MIN_LINES or not _match_line(lines[0]):
        return None
    paths = [match["path"].decode("utf-8", "replace") for line in lines if (match := _match_line(line))]
    if len(paths) < MIN_SHARE * len(lines) or len(set(paths)) < MIN_FILES:
        return None
    return count_shared_parts(paths)


class GrepOutputConverter(LineByLine):
    """A `LineConverter` that replaces the path before each line with the name in it."""

    name = "grep"

    def __init__(self, shared_parts: int) -> None:
        """Make a converter. `shared_parts` is the number of parts at the ends of paths that name no machine."""
        self._shared_parts = shared_parts

    def convert_line(self, line: bytes) -> bytes:
        match = _match_line(line)
        if match is None:
            return line
        return (
            pod_prefix(host_of_path(match["path"].decode("utf-8", "replace"), self._shared_parts)) + line[match.end() :]
        )
