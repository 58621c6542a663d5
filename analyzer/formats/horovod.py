"""Horovod's C++ log, in brackets, with or without its time; local time.

    [2026-11-21 05:10:07.123456: W horovod/common/stall_inspector.cc:107] One or more tensors were submitted
    [E horovod/common/operations.cc:650] Horovod background loop uncaught exception

Source: horovod `common/logging.cc` (HOROVOD_LOG_HIDE_TIME leaves the time away).
"""

from __future__ import annotations

import re

from analyzer.formats.grammar import Format
from analyzer.formats.severity import LETTERS
from analyzer.formats.stamps import as_stamps, read_iso
from analyzer.model import Kind, Line

_PREFIX = re.compile(
    r"\[(?:(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{1,9}): )?([TDIWEF]) (\S+\.(?:cc|h|cu):\d+)\] ?(.*)", re.DOTALL
).match


def parse(text: str) -> Line | None:
    if not (found := _PREFIX(text)):
        return None
    clock, letter, place, message = found.groups()
    return Line(message, as_stamps(read_iso(clock)) if clock else (), LETTERS[letter], Kind.WORKER, logger=place)


FORMAT = Format("horovod", Kind.WORKER, parse, dated="[", starts="[", priority=20)
