"""TeamCity's build log: the time of day, a letter for the level, and the step of the build.

    [10:30:03] :\t [Step 1/2] Traceback (most recent call last):
    [10:30:03]W:\t [Step 1/2] WARNING: no cache
    [10:30:03]E: KeyError: 'x'

Source: https://www.jetbrains.com/help/teamcity/build-log.html
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import Format, Tier
from analyzer.formats.severity import SEVERITY_BY_LETTER
from analyzer.formats.stamps import as_stamps, read_daytime
from analyzer.model import Line

_PREFIX = re.compile(r"\[(\d\d:\d\d:\d\d)\]([A-Za-z ]):(?:\t ?| )?(?:\[Step \d{1,3}/\d{1,3}\] )?(.*)", re.DOTALL).match


def parse(text: str) -> Line | None:
    if not (match := _PREFIX(text)):
        return None
    return Line(match[3], as_stamps(read_daytime(match[1])), SEVERITY_BY_LETTER.get(match[2].upper()))


FORMAT = Format(
    "teamcity", None, parse, tier=Tier.LAUNCHER, wrapper=True, prefixes_every_line=True, first_chars="[", date_marks="["
)
