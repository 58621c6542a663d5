"""ROS: level and seconds since the epoch in brackets; simulated time may follow behind a comma.

    [ERROR] [1600000000.123456]: Could not load the model
    [ INFO] [1600000000.123456789, 12.340000000]: started
    [INFO] [1600000000.123456789] [trainer]: started

Source: roscpp `console.cpp`, ROS 2 `rcutils/logging.c`.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import Format, Tier
from analyzer.formats.severity import LEVEL_WORDS, SEVERITY_BY_WORD
from analyzer.formats.stamps import as_stamps, read_epoch
from analyzer.model import Kind, Line

_PREFIX = re.compile(
    rf"\[ ?({LEVEL_WORDS})\] \[(\d{{9,10}}\.\d{{1,9}})(?:, [\d.]+)?\](?: \[([^\]]{{1,120}})\])?: ?(.*)", re.DOTALL
).match


def parse(text: str) -> Line | None:
    if not (match := _PREFIX(text)):
        return None
    level, epoch, name, message = match.groups()
    return Line(message, as_stamps(read_epoch(epoch)), SEVERITY_BY_WORD[level.lower()], Kind.WORKER, logger=name)


FORMAT = Format(
    "ros", Kind.WORKER, parse, tier=Tier.STAMPED, before=("jupyter", "python_logging"), first_chars="[", date_marks=""
)
