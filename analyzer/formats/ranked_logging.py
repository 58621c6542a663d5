"""A time, a rank, possibly its host, and a level: layouts that people configure for `logging` in several tasks.

    2026-11-21 05:10:06 | gpu07 | rank=3 | ERROR | step failed
    [2026-11-21 05:10:06,497] [gpu07] [rank 3] [ERROR] step failed
    2026-11-21 05:10:06,497 rank 3 gpu07 INFO step 12
    2026-11-21T05:10:06Z [Rank 3/8] WARNING: slow

A host's name must hold a digit; otherwise it may be a logger's name. Local time unless there is a zone.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import DIGITS, Format, Tier, stream_of_rank
from analyzer.formats.severity import LEVEL_WORDS, SEVERITY_BY_WORD
from analyzer.formats.stamps import ISO, as_stamps, read_iso
from analyzer.model import Kind, Line

_BETWEEN = r"[\s|,:()\[\]-]{1,6}"
_RANK = r"(?:global[ _-]?)?rank[ _:=#-]{{0,2}}(?P<rank{0}>\d{{1,5}})(?:/\d{{1,5}})?"
_HOST = r"(?:host(?:name)?=)?(?P<host{0}>[A-Za-z][\w.-]{{0,80}}?\d[\w.-]{{0,80}}?)"
_PLACED = re.compile(
    rf"\[?(?P<time>{ISO})\]?{_BETWEEN}"
    rf"(?i:(?:{_HOST.format(1)}{_BETWEEN})?{_RANK.format(1)}|{_RANK.format(2)}{_BETWEEN}{_HOST.format(2)})"
    rf"{_BETWEEN}(?P<level>{LEVEL_WORDS})(?=[\s|\]:)-])[\s|\]:)-]{{1,6}}(?P<message>.*)",
    re.DOTALL,
).match


def parse(text: str) -> Line | None:
    if "ank" not in text[:200].lower() or not (match := _PLACED(text)):
        return None
    rank, host = match["rank1"] or match["rank2"], match["host1"] or match["host2"]
    stamps, severity = as_stamps(read_iso(match["time"])), SEVERITY_BY_WORD[match["level"].lower()]
    return Line(match["message"], stamps, severity, Kind.WORKER, stream=stream_of_rank(rank), host=host)


FORMAT = Format("ranked_logging", Kind.WORKER, parse, tier=Tier.STAMPED, first_chars=DIGITS + "[")
