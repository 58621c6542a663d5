"""Remove the marks `> ` of quoted lines in mails, which people copy together with the logs."""

from __future__ import annotations

import re

from analyzer.formats.records.head_lines import head_lines
from analyzer.formats.records.line_by_line import LineByLine

MAX_PROBED_LINES = 400
MIN_LINES = 5
MIN_QUOTED_SHARE = 0.5  # of the lines with text
_remove_marks = re.compile(rb"^(?:> ?){1,8}").sub


def is_quotation(head: bytes) -> bool:
    """Return whether most of the lines are quoted."""
    if b"\n>" not in head:
        return False
    lines = [line for line in head_lines(head)[:MAX_PROBED_LINES] if line.strip(b"\r ")]
    quoted = sum(line.startswith(b">") for line in lines)
    return quoted >= max(MIN_LINES, MIN_QUOTED_SHARE * len(lines))


class QuoteMarkRemover(LineByLine):
    """A `LineConverter` that removes the marks, of up to eight levels, from each line."""

    name = "quote-marks"

    def convert_line(self, line: bytes) -> bytes:
        return _remove_marks(b"", line)
