"""The time since a launcher started, before lines that state their real time themselves.

    [  12.301] 2026-11-21 05:10:09,000 INFO step 1
    [12.301s] 2026-11-21 05:10:09.123456: I tensorflow/core/util/port.cc:153] oneDNN custom operations are on
    +12.301s I1121 05:10:09.000000 4242 server.cc:88] started
    12.301 2026-11-21T05:10:09Z step 1
    00:00:12.301 2026-11-21 05:10:09,000 INFO step 1
    (3m12s) 2026/11/21 05:10:09 step 1
    [13.301s]   File "/srv/train.py", line 31, in step

Wrappers of one's own, `ts -s` and recorders of terminals write such prefixes. The time behind says when: the elapsed
time is dropped. A whole number without a unit is none: it is a rank, a pid or the number of a line.
In brackets and with its unit it is known without a time behind it.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import DIGITS, Format, Tier
from analyzer.model import Line

_ELAPSED = (
    r"\d{1,9}\.\d{1,9}(?: ?(?:ms|s|sec|seconds)\b)?"
    r"|\d{1,9} ?(?:ms|s|sec)\b"
    r"|(?:\d{1,4}h)?\d{1,4}m\d{1,2}(?:\.\d{1,9})?s"
    r"|\d{1,4}(?::\d\d){1,2}(?:[.,]\d{1,9})?"
)
_STAMP = r"\[?(?:\d{4}([-/])\d\d\1\d\d[T ]\d\d:\d\d:\d\d|[IWEF]\d{4} \d\d:\d\d:\d\d\.\d)"
_match = re.compile(
    rf"(?: {{1,16}}|\[ {{0,16}}|\( {{0,16}})?(?:T?\+)?(?:{_ELAPSED})[\])]?[:|]? {{1,4}}(?:\| )?(?={_STAMP})(.*)",
    re.DOTALL,
).match
_match_bracketed = re.compile(r"\[ {0,16}\+?\d{1,9}\.\d{1,9} ?s\] ?(.*)", re.DOTALL).match


def parse(text: str) -> Line | None:
    if match := _match(text):
        return Line(match[2])
    bracketed = _match_bracketed(text)
    return Line(bracketed[1]) if bracketed else None


FORMAT = Format(
    "elapsed_before_stamp",
    None,
    parse,
    tier=Tier.TRANSPORT,
    wrapper=True,
    prefixes_every_line=True,
    first_chars=" [(T+" + DIGITS,
    date_marks="",
)
