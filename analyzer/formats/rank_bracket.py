"""A rank in brackets before its program's line: torchrun and PyTorch's own loggers.

    [rank3]:[E1121 05:10:09.123456789 ProcessGroupNCCL.cpp:600] [Rank 3] Watchdog caught collective operation timeout
    [default0]:step 12

Ranks have at most five digits. Source: torch.distributed.elastic `tail_log.py`.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import Format, Tier, stream_of_rank
from analyzer.model import Line

_RANK = re.compile(r"\[(?:[A-Za-z_]\w{0,30}?)(\d{1,5})\]: ?(.*)", re.DOTALL).match


def parse(text: str) -> Line | None:
    match = _RANK(text)
    return Line(match[2] or "", stream=stream_of_rank(match[1])) if match else None


FORMAT = Format(
    "rank_bracket", None, parse, tier=Tier.RANK, wrapper=True, prefixes_every_line=True, first_chars="[", date_marks=""
)
