"""Rank labels of Intel MPI and MPICH (`mpiexec -l`, `-prepend-rank`). They count only before another format.

    [3] 2026-11-21 05:10:09.123456: I tensorflow/core/util/port.cc:113] oneDNN custom operations are on

The rank is the stream.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import Format, Tier, stream_of_rank
from analyzer.model import Line

_LABEL = re.compile(r"\[(\d{1,5})\] (.*)", re.DOTALL).match


def parse(text: str) -> Line | None:
    match = _LABEL(text)
    return Line(match[2], stream=stream_of_rank(match[1])) if match else None


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
