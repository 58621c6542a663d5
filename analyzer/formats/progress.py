"""Progress bars of Keras and tqdm: they have no time, and often another line follows without a line feed.

     90/96 [============================>.] - ETA: 0s - loss: 0.3104 - accuracy: 0.8750
    96/96 ━━━━━━━━━━━━━━━━━━━━ 1s 16ms/step - loss: 0.3104
     40%|████      | 20/50 [01:40<02:30,  5.00s/it]
    Epoch 3/10

TensorFlow's C++ log goes to stderr while the bar on stdout has no line feed yet. Its line behind the bar is read.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import DIGITS, Format, Tier
from analyzer.model import Kind, Line

_BAR = re.compile(
    r"\s{0,20}(?:\d{1,9}/(?:\d{1,9}|Unknown) (?:\[[=>.]{3,}|[━╸╺─\s]{3,}|- )"
    r"|\d{1,3}%\|[^|]{0,200}\||Epoch \d+/\d+|[^:|\n\s][^:|\n]{0,40}: {1,3}\d{1,3}%\|)"
).match
_GLUED = re.compile(
    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}: [IWEF] |[IWEF]0000 00:00:\d{10}\.\d{6} "
    r"|(?<!\w)(?:ERROR|WARNING|INFO):\w+:|Traceback \(most recent"
).search


def parse(text: str) -> Line | None:
    if not (match := _BAR(text)):
        return None
    if glued := _GLUED(text, match.end()):
        return Line(text[glued.start() :], (), None, Kind.WORKER)
    return Line(text, (), None, Kind.WORKER)


FORMAT = Format("progress", Kind.WORKER, parse, tier=Tier.LEVEL, wrapper=True, first_chars=" E" + DIGITS, date_marks="")
