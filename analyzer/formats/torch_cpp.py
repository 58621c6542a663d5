"""PyTorch's C++ log in brackets: local time without a year, the month not padded; no time before 2.2.

    [E905 05:10:09.123456789 ProcessGroupNCCL.cpp:600] [Rank 1] Watchdog caught collective operation timeout
    [W socket.cpp:426] [c10d] The server socket cannot be initialized

Source: `c10/util/Logging.cpp`.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import Format, Tier
from analyzer.formats.severity import SEVERITY_BY_LETTER
from analyzer.formats.stamps import as_stamps, read_yearless
from analyzer.model import Kind, Line

_PREFIX = re.compile(
    r"\[([VIWEFC])(?:(\d{1,2})(\d\d) (\d\d:\d\d:\d\d\.\d{1,9}))? ([^\s\]]+\.\w+:\d+)\] ?(.*)", re.DOTALL
).match


def parse(text: str) -> Line | None:
    if not (match := _PREFIX(text)):
        return None
    letter, month, day, clock, location, message = match.groups()
    stamps = as_stamps(read_yearless(int(month), int(day), clock)) if clock else ()
    return Line(message, stamps, SEVERITY_BY_LETTER[letter], Kind.WORKER, logger=location)


FORMAT = Format(
    "torch_cpp", Kind.WORKER, parse, tier=Tier.FRAMEWORK, before=("ray_cpp",), first_chars="[", date_marks=""
)
