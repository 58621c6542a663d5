"""Convert outputs of several machines in one file, each indented under its name, as Salt prints them.

    dsb-a:
        2026-11-24 10:33:12,345 INFO step 1 loss 0.5
    dsb-c:
        Minion did not return. [No response]

Each indented line becomes a line of the machine's stream. YAML looks similar, so there must be log lines below the
names.
"""

from __future__ import annotations

import re

from analyzer.formats import read_line
from analyzer.formats.records.head_lines import head_lines
from analyzer.formats.records.line_by_line import LineByLine
from analyzer.formats.records.sections import pod_prefix

INDENT = b"    "
MAX_PROBED_LINES = 400
MIN_LOG_LINES = 3  # below the names
MIN_INDENTED_SHARE = 0.9  # of the lines that are neither names nor commands
_match_name = re.compile(rb"([A-Za-z0-9][\w.-]{0,120}):\s*$").match
_find_name = re.compile(rb"^[A-Za-z0-9][\w.-]{0,120}:[ \t\r]{0,8}$", re.M).search
_is_command = re.compile(rb"[#$>%]|\S{1,80}[$#>] ").match


def has_indented_sections(head: bytes) -> bool:
    """Return whether nearly all lines are indented below names of machines, and some of them are log lines."""
    if b"\n" + INDENT not in head or not _find_name(head):  # fast, and few files have such lines
        return False
    lines = [line for line in head_lines(head)[:MAX_PROBED_LINES] if line.strip()]
    others = [line for line in lines if not (_match_name(line) or _is_command(line))]
    indented = [line for line in others if line.startswith(INDENT)]
    if len(indented) < MIN_INDENTED_SHARE * len(others):
        return False
    texts = (line[len(INDENT) :].decode("utf-8", "replace") for line in indented)
    return sum(bool(read_line(text).stamps) for text in texts) >= MIN_LOG_LINES


class IndentedSectionsConverter(LineByLine):
    """A `LineConverter` that puts the machine's name before each of its lines, instead of the indentation."""

    name = "indented-sections"

    def __init__(self) -> None:
        self._prefix = b""

    def convert_line(self, line: bytes) -> bytes:
        if match := _match_name(line):
            self._prefix = pod_prefix(match[1].decode())
        elif line.startswith(INDENT):
            return self._prefix + line[len(INDENT) :]
        elif line.strip():
            self._prefix = b""
        return line
