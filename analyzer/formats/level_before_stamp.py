"""A level before a time: Hugging Face and others. The time is read as the next prefix.

    [INFO|trainer.py:540] 2026-11-21 05:10:09,123 >> ***** Running training *****
    ERROR 2026-11-21 05:10:06,497 worker failed
    [ERROR] [2026-11-21 05:10:06] worker failed

Layouts: transformers `utils/logging.py` (enable_explicit_format), `%(levelname)s %(asctime)s`.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import UPPER, Format, Tier
from analyzer.formats.severity import LEVEL_WORDS, SEVERITY_BY_WORD
from analyzer.model import Kind, Line

_PREFIX = re.compile(
    rf"(?:\[ ?({LEVEL_WORDS}) ?(?:\|([^\]|]{{1,120}}))?\]|({LEVEL_WORDS}))[:\s|-]{{1,4}}"
    r"(\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:.*)",
    re.DOTALL,
).match


def parse(text: str) -> Line | None:
    if not (match := _PREFIX(text)):
        return None
    level = match[1] or match[3]
    return Line(match[4], (), SEVERITY_BY_WORD[level.lower()], Kind.WORKER, logger=match[2])


FORMAT = Format(
    "level_before_stamp", None, parse, tier=Tier.LEVEL, wrapper=True, first_chars="[" + UPPER, date_marks=""
)
