"""Rank labels of Intel MPI and MPICH (`mpiexec -l`, `-prepend-rank`). They count only before another format.

    [3] 2026-11-21 05:10:09.123456: I tensorflow/core/util/port.cc:113] oneDNN custom operations are on

The rank is the stream. A number of more digits than MAX_RANK_DIGITS is the process id that a supervisor writes there
(circus: `2026-11-21 05:10:09 [54297] | step 12`).
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import Format, Tier, stream_of_rank
from analyzer.model import Line

_LABEL = re.compile(r"\[(\d{1,7})\] (.*)", re.DOTALL).match
MAX_RANK_DIGITS = 3


def parse(text: str) -> Line | None:
    match = _LABEL(text)
    if match is None:
        return None
    number, message = match.groups()
    if len(number) > MAX_RANK_DIGITS:
        return Line(message, pid=int(number))
    return Line(message, stream=stream_of_rank(number))


FORMAT = Format(
    "intel_mpi",
    None,
    parse,
    tier=Tier.GUESS,
    wrapper=True,
    prefixes_every_line=True,
    first_chars="[",
    date_marks="",
    tentative=True,
    names_writer=True,
)
