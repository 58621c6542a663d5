"""A bare rank or task number before the line: srun -l.

    3: 2026-11-21 05:10:09.123456: I tensorflow/core/util/port.cc:113] oneDNN custom operations are on

Ranks have at most five digits. `12: ` may be ordinary text, too; `2: eth0: <UP>` is the output of ip(8).
Source: Slurm `src/common/eio.c` (labels are padded with zeros).
"""

from __future__ import annotations

import re

from analyzer.formats.grammar import DIGITS, Format
from analyzer.model import Line

_SRUN = re.compile(r" {0,4}(\d{1,5}):(?: (?!\S{1,20}: <)(.*)|$)", re.DOTALL).match


def parse(text: str) -> Line | None:
    found = _SRUN(text)
    return Line(found[2] or "", stream=str(int(found[1]))) if found else None


FORMAT = Format(
    "rank_label", None, parse, wrapper=True, carrier=True, starts=" " + DIGITS, dated="", priority=17, counts=True
)
