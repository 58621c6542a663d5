"""A date and time, then a level: Python's `logging` in its common layouts, loguru, zap, gunicorn, log4j, spdlog.

    2026-11-21 05:10:06,497 INFO train: starting worker, pid 4100
    2026-11-21 05:10:06,497 - distributed.worker - ERROR - Worker failed
    2026-11-21T05:10:09.123Z [INFO] train - epoch finished
    2024-01-01 10:00:00.123 | ERROR    | train:fit:12 - loss is NaN
    2026-11-21T05:10:06.123Z	ERROR	controller	Reconciler error
    [2026-11-21 05:10:06,497] [INFO][session.py:120:run] Session is closed.
    [2026-11-21 05:10:06 +0000] [123] [INFO] Booting worker
    [2026-11-21 05:10:06,497][train][ERROR] - failed

Local time unless there is a zone.
"""

from __future__ import annotations

import re

from analyzer.formats.level_and_logger import read_level_and_logger
from analyzer.formats.line_format import DIGITS, Format, Tier
from analyzer.formats.severity import SEVERITY_BY_WORD
from analyzer.formats.stamps import ISO, as_stamps, read_iso
from analyzer.model import Kind, Line

_BARE = re.compile(rf"({ISO})(?=[\s:|\[]|$)[:,]?(.*)", re.DOTALL).match
_BRACKETED = re.compile(rf"\[({ISO})\]:?(.*)", re.DOTALL).match
# The two layouts of most programs, in one expression.
_COMMON = re.compile(
    r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)"
    r"(?: ([A-Z]{3,9}) ([A-Za-z_][\w.]*):| - ([A-Za-z_][\w.]*) - ([A-Z]{3,9}) -) (.*)",
    re.DOTALL,
).match


def parse(text: str) -> Line | None:
    if (match := _COMMON(text)) and (severity := SEVERITY_BY_WORD.get((match[2] or match[5]).lower())) is not None:
        stamps = as_stamps(read_iso(match[1]))
        return Line(match[6], stamps, severity, Kind.WORKER, logger=match[3] or match[4])
    match = _BRACKETED(text) if text.startswith("[") else _BARE(text)
    if not match or not (fields := read_level_and_logger(match[2])):
        return None
    severity, logger, message = fields
    pid = int(logger) if logger and logger.isdecimal() and len(logger) < 8 else None
    return Line(
        message,
        as_stamps(read_iso(match[1])),
        severity,
        Kind.WORKER,
        pid=pid,
        logger=None if pid is not None else logger,
    )


FORMAT = Format("python_logging", Kind.WORKER, parse, tier=Tier.STAMPED, first_chars=DIGITS + "[")
