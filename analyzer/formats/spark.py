"""log4j's default pattern in Spark and Hadoop: two-digit year, local time.

    26/11/21 05:10:06 ERROR TaskSetManager: Task 3 in stage 1.0 failed 4 times; aborting job

Source: Spark `log4j2.properties.template`.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import DIGITS, Format, Tier
from analyzer.formats.severity import LEVEL_WORDS, SEVERITY_BY_WORD
from analyzer.formats.stamps import as_stamps, read_parts
from analyzer.model import Kind, Line

_PREFIX = re.compile(
    rf"(\d\d)/(\d\d)/(\d\d) (\d\d:\d\d:\d\d(?:[.,]\d{{3}})?) ({LEVEL_WORDS}) ([\w.$@-]{{1,120}}): ?(.*)", re.DOTALL
).match


def parse(text: str) -> Line | None:
    if not (match := _PREFIX(text)):
        return None
    year, month, day, clock, level, name, message = match.groups()
    stamp = read_parts(int(year), int(month), int(day), clock)
    return Line(message, as_stamps(stamp), SEVERITY_BY_WORD[level.lower()], Kind.WORKER, logger=name)


FORMAT = Format("spark", Kind.WORKER, parse, tier=Tier.SERVICE, first_chars=DIGITS, date_marks="")
