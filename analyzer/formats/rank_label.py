"""A bare rank or task number before the line: srun -l.

    3: 2026-11-21 05:10:09.123456: I tensorflow/core/util/port.cc:113] oneDNN custom operations are on

Ranks have at most five digits. `12: ` may also be ordinary text; `2: eth0: <UP>` is the output of ip(8), and
`2: FLOCK  ADVISORY  WRITE 77` is of /proc/locks. `2: [grad_0, grad_1 ...]` is of Horovod's list of missing ranks
(`horovod/common/stall_inspector.cc`).
Source: Slurm `src/common/eio.c` (labels are padded with zeros).
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import DIGITS, Format, Tier, stream_of_rank
from analyzer.model import Line

_TENSORS = r"\[[A-Za-z][\w./:-]{0,200}(?:, [A-Za-z][\w./:-]{0,200}){0,50}(?: \.\.\.)?\]\s{0,2}$"
_SRUN = re.compile(
    rf" {{0,4}}(\d{{1,5}}):(?: (?!\S{{1,20}}: <|(?:-> )?[A-Z]{{5,6}} {{2,8}}[A-Z]|{_TENSORS})(.*)|$)", re.DOTALL
).match


def parse(text: str) -> Line | None:
    match = _SRUN(text)
    return Line(match[2] or "", stream=stream_of_rank(match[1])) if match else None


FORMAT = Format(
    "rank_label",
    None,
    parse,
    tier=Tier.RANK,
    wrapper=True,
    prefixes_every_line=True,
    first_chars=" " + DIGITS,
    date_marks="",
    excludes_inner_rank=True,
)
