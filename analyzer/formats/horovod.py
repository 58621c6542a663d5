"""Horovod's C++ log, in brackets, with or without a local time.

    [2026-11-21 05:10:07.123456: W horovod/common/stall_inspector.cc:107] One or more tensors were submitted
    [E horovod/common/operations.cc:650] Horovod background loop uncaught exception

Source: horovod `common/logging.cc` (HOROVOD_LOG_HIDE_TIME omits the time).
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import Format, Tier
from analyzer.formats.severity import SEVERITY_BY_LETTER
from analyzer.formats.stamps import as_stamps, read_iso
from analyzer.model import Kind, Line

_PREFIX = re.compile(
    r"\[(?:(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{1,9}): )?([TDIWEF]) (\S+\.(?:cc|h|cu):\d+)\] ?(.*)", re.DOTALL
).match


def parse(text: str) -> Line | None:
    if not (match := _PREFIX(text)):
        return None
    clock, letter, location, message = match.groups()
    return Line(
        message, as_stamps(read_iso(clock)) if clock else (), SEVERITY_BY_LETTER[letter], Kind.WORKER, logger=location
    )


FORMAT = Format("horovod", Kind.WORKER, parse, tier=Tier.FRAMEWORK, date_marks="[", first_chars="[")
