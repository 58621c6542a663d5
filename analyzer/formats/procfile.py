"""Runners of a Procfile: the time and the name of the process, padded, before each line of its output.

    05:10:09 worker.1 | step 12
    05:10:09 ps.1     | 2026-11-21 05:10:09.123456: I tensorflow/core/util/port.cc:113] oneDNN
    05:10:07 system   | worker.1 started (pid=4242)

The number counts the copies of one program from 1: it is no index of a task. Sources: honcho `printer.py`, foreman
`engine/cli.rb`, goreman `log.go`.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import DIGITS, Format, Tier
from analyzer.formats.stamps import as_stamps, read_daytime
from analyzer.model import Line

_RUNNER = "system"  # before the lines of the runner itself
_PREFIX = re.compile(r"(\d\d:\d\d:\d\d) ([A-Za-z][\w.-]{0,120}) *\| ?(.*)", re.DOTALL).match


def parse(text: str) -> Line | None:
    if (match := _PREFIX(text)) is None:
        return None
    process = None if match[2] == _RUNNER else match[2]
    return Line(match[3], as_stamps(read_daytime(match[1])), stream=match[2], host=process)


FORMAT = Format(
    "procfile",
    None,
    parse,
    tier=Tier.LAUNCHER,
    wrapper=True,
    prefixes_every_line=True,
    host_is_process=True,
    first_chars=DIGITS,
    date_marks="",
)
