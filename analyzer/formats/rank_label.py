"""A bare rank or task number before the line: srun -l and torchrun.

    3: 2026-11-21 05:10:09.123456: I tensorflow/core/util/port.cc:113] oneDNN custom operations are on
    [rank3]:[E1121 05:10:09.123456789 ProcessGroupNCCL.cpp:600] [Rank 3] Watchdog caught collective operation timeout
    [default0]:step 12

Ranks have at most five digits. `12: ` may be ordinary text, too; `2: eth0: <UP>` is the output of ip(8).
Source: Slurm `src/common/eio.c` (labels are padded with zeros), torch.distributed.elastic `tail_log.py`.
"""

from __future__ import annotations

import re

from analyzer.formats.grammar import DIGITS, Format
from analyzer.model import Line

_SRUN = re.compile(r" {0,4}(\d{1,5}):(?: (?!\S{1,20}: <)(.*)|$)", re.DOTALL).match
_TORCH = re.compile(r"\[(?:[A-Za-z_]\w{0,30}?)(\d{1,5})\]: ?(.*)", re.DOTALL).match


def parse(text: str) -> Line | None:
    found = _TORCH(text) if text.startswith("[") else _SRUN(text)
    return Line(found[2] or "", stream=str(int(found[1]))) if found else None


FORMAT = Format("rank_label", None, parse, wrapper=True, carrier=True, starts="[ " + DIGITS, priority=17)
