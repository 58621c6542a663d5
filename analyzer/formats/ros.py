"""ROS: level and epoch in brackets; behind a comma simulated time.

    [ERROR] [1600000000.123456]: Could not load the model
    [ INFO] [1600000000.123456789, 12.340000000]: started
    [INFO] [1600000000.123456789] [trainer]: started

Source: roscpp `console.cpp`, ROS 2 `rcutils/logging.c`.
"""

from __future__ import annotations

import re

from analyzer.formats.grammar import Format
from analyzer.formats.severity import UPPERCASE, WORDS
from analyzer.formats.stamps import as_stamps, read_epoch
from analyzer.model import Kind, Line

_PREFIX = re.compile(
    rf"\[ ?({UPPERCASE})\] \[(\d{{9,10}}\.\d{{1,9}})(?:, [\d.]+)?\](?: \[([^\]]{{1,120}})\])?: ?(.*)", re.DOTALL
).match


def parse(text: str) -> Line | None:
    if not (found := _PREFIX(text)):
        return None
    level, epoch, name, message = found.groups()
    return Line(message, as_stamps(read_epoch(epoch)), WORDS[level.lower()], Kind.WORKER, logger=name)


FORMAT = Format("ros", Kind.WORKER, parse, starts="[", dated="", priority=38)
