"""A level before a time: Hugging Face and others; the time is read as the next prefix.

    [INFO|trainer.py:540] 2026-11-21 05:10:09,123 >> ***** Running training *****
    ERROR 2026-11-21 05:10:06,497 worker failed
    [ERROR] [2026-11-21 05:10:06] worker failed

Layouts: transformers `utils/logging.py` (enable_explicit_format), `%(levelname)s %(asctime)s`.
"""

from __future__ import annotations

import re

from analyzer.formats.grammar import UPPER, Format
from analyzer.formats.severity import UPPERCASE, WORDS
from analyzer.model import Kind, Line

_PREFIX = re.compile(
    rf"(?:\[ ?({UPPERCASE}) ?(?:\|([^\]|]{{1,120}}))?\]|({UPPERCASE}))[:\s|-]{{1,4}}"
    r"(\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:.*)",
    re.DOTALL,
).match


def parse(text: str) -> Line | None:
    if not (found := _PREFIX(text)):
        return None
    level = found[1] or found[3]
    return Line(found[4], (), WORDS[level.lower()], Kind.WORKER, logger=found[2])


FORMAT = Format("level_before_stamp", None, parse, wrapper=True, starts="[" + UPPER, dated="", priority=59)
