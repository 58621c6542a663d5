"""A level without a time: Python's default layout and similar ones.

    INFO:tensorflow:Restoring parameters from /tmp/model.ckpt-1000
    WARNING:absl:Found untraced functions
    ERROR:root:worker failed
    WARNING: All log messages before absl::InitializeLog() is called are written to STDERR
    [ERROR] cannot open the file
    INFO 11-21 05:10:06 [engine.py:33] ready

Layouts: `logging.BASIC_FORMAT`, absl-py, vLLM (month and day alone).
"""

from __future__ import annotations

import re

from analyzer.formats.level_and_logger import read_logger
from analyzer.formats.line_format import UPPER, Format, Tier
from analyzer.formats.severity import LEVEL_WORDS, SEVERITY_BY_WORD
from analyzer.formats.stamps import as_stamps, read_yearless
from analyzer.model import Kind, Line

_PYTHON = re.compile(rf"({LEVEL_WORDS}):([A-Za-z_][\w.]*):(.*)", re.DOTALL).match
_WORD = re.compile(rf"({LEVEL_WORDS})(?::| -)(?:\s+(.*)|$)", re.DOTALL).match
_BRACKET = re.compile(rf"\[\s*({LEVEL_WORDS})\s*(?:\|([^\]|]+))?\]:?\s*(.*)", re.DOTALL).match
_DAY = re.compile(rf"({LEVEL_WORDS}) (\d\d)-(\d\d) (\d\d:\d\d:\d\d)\s+(.*)", re.DOTALL).match


def parse(text: str) -> Line | None:
    if match := _BRACKET(text):
        return Line(match[3], (), SEVERITY_BY_WORD[match[1].lower()], None, logger=match[2])
    if match := _PYTHON(text):
        return Line(match[3], (), SEVERITY_BY_WORD[match[1].lower()], Kind.WORKER, logger=match[2])
    if match := _WORD(text):
        return Line(match[2] or "", (), SEVERITY_BY_WORD[match[1].lower()])
    if match := _DAY(text):
        stamp = read_yearless(int(match[2]), int(match[3]), match[4])
        logger, message = read_logger(match[5])
        return Line(message, as_stamps(stamp), SEVERITY_BY_WORD[match[1].lower()], Kind.WORKER, logger=logger)
    return None


FORMAT = Format("plain_level", None, parse, tier=Tier.LEVEL, first_chars="[" + UPPER, date_marks="")
