"""A level without any time: Python's default layout and its relatives.

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

from analyzer.formats.fields import read_logger
from analyzer.formats.grammar import UPPER, Format
from analyzer.formats.severity import UPPERCASE, WORDS
from analyzer.formats.stamps import as_stamps, read_yearless
from analyzer.model import Kind, Line

_PYTHON = re.compile(rf"({UPPERCASE}):([A-Za-z_][\w.]*):(.*)", re.DOTALL).match
_WORD = re.compile(rf"({UPPERCASE})(?::| -)(?:\s+(.*)|$)", re.DOTALL).match
_BRACKET = re.compile(rf"\[\s*({UPPERCASE})\s*(?:\|([^\]|]+))?\]:?\s*(.*)", re.DOTALL).match
_DAY = re.compile(rf"({UPPERCASE}) (\d\d)-(\d\d) (\d\d:\d\d:\d\d)\s+(.*)", re.DOTALL).match


def parse(text: str) -> Line | None:
    if found := _BRACKET(text):
        return Line(found[3], (), WORDS[found[1].lower()], None, logger=found[2])
    if found := _PYTHON(text):
        return Line(found[3], (), WORDS[found[1].lower()], Kind.WORKER, logger=found[2])
    if found := _WORD(text):
        return Line(found[2] or "", (), WORDS[found[1].lower()])
    if found := _DAY(text):
        stamp = read_yearless(int(found[2]), int(found[3]), found[4])
        logger, message = read_logger(found[5])
        return Line(message, as_stamps(stamp), WORDS[found[1].lower()], Kind.WORKER, logger=logger)
    return None


FORMAT = Format("plain_level", None, parse, starts="[" + UPPER, dated="", priority=60)
