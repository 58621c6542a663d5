"""Level and logger, which stand between a log line's time and its message, in the orders that people configure.

`%(levelname)s %(name)s: %(message)s`, ` - name - LEVEL - `, `[LEVEL][file:line:func]`, `| LEVEL | mod:func:12 - `
and the like. The formats that begin with a time share this module.
"""

from __future__ import annotations

import re

from analyzer.formats.severity import LEVEL_WORDS, LEVEL_WORDS_ANY_CASE, SEVERITY_BY_WORD
from analyzer.model import Severity

LevelAndLogger = tuple[Severity | None, str | None, str]

_NAME = r"[A-Za-z_][\w.<>$/@-]*"

# A level first: bare capitals, or any case if brackets, a colon, a bar or a tab show that it is a level.
_LEVEL_FIRST = re.compile(
    r"\s*+(?:[-|:]\s*+)?"
    rf"(?:[\[(<]\s*+({LEVEL_WORDS_ANY_CASE})\s*+[\])>]|({LEVEL_WORDS})(?![\w'])|({LEVEL_WORDS_ANY_CASE})(?=\s*+[|:]|[^\S\t]*+\t|\s-\s))\s?(.*)",
    re.DOTALL,
).match
# A name, a process, a thread or a place in the source first, then the level.
_NAME_FIRST = re.compile(
    r"\s*+(?:[-|:]\s*+)?"
    rf"(?:\[\s*+([^\]\[]{{1,60}}?)\s*+\]|\(\s*+([^()]{{1,60}}?)\s*+\)|({_NAME}(?::\d+)?|\d{{1,7}}))\s*+(?:[-|:,]\s*+)?"
    rf"(?:[\[(<]\s*+({LEVEL_WORDS_ANY_CASE})\s*+[\])>]|(?<=[\s|:\])])({LEVEL_WORDS})(?![\w']))\s?(.*)",
    re.DOTALL,
).match
_LOGGER = re.compile(
    r"\s*+(?:"
    r"\|?\s*\[([^\]\[]{1,80})\]:?(?=\s|\[|$)"  # [file:line:func] msg
    rf"|\|\s*([^|\s][^|]{{0,80}}?)\s+[-|]\s"  # | mod:func:12 - msg
    rf"|:({_NAME}):(?=\S)"  # :name:msg
    rf"|(?:-\s+|:\s*)?({_NAME}(?::\d+)?)\s*(?:\s-|:|\s\||\s>>)\s"  # name - msg, name: msg, name:12: msg
    rf"|\(([\w.:/-]{{1,80}})\):?(?=\s)"  # (file.py:12) msg
    rf"|({_NAME}\.\w+:\d+)\]?(?=\s)"  # file.py:12 msg, file.py:12] msg
    r")\s*(.*)",
    re.DOTALL,
).match


def read_level_and_logger(text: str) -> LevelAndLogger | None:
    """Return severity, logger and message of the text behind a time; None if it has no level."""
    if match := _LEVEL_FIRST(text):
        level = match[1] or match[2] or match[3]
        logger, message = read_logger(match[4])
        return SEVERITY_BY_WORD[level.lower()], logger, message
    if match := _NAME_FIRST(text):
        name = match[1] or match[2] or match[3]
        level = match[4] or match[5]
        logger, message = read_logger(match[6])
        return SEVERITY_BY_WORD[level.lower()], name if logger is None or not name.isdecimal() else logger, message
    return None


def read_logger(text: str) -> tuple[str | None, str]:
    """Return the logger (a name, or `file:line:function`) and the message of the text behind a level."""
    if match := _LOGGER(text):
        name = match[1] or match[2] or match[3] or match[4] or match[5] or match[6]
        return name.strip(), match[7]
    return None, text.lstrip(" \t:-|>")
