"""The prefix of `dask ssh`: the role and the machine before each line that a process prints over ssh.

    [ worker gx-7 ] : 2026-11-21 05:10:09.123456: I tensorflow/core/util/port.cc:113] oneDNN
    [ scheduler 10.0.0.3:8786 ] : distributed.scheduler - INFO - Clear task state

Source: dask distributed `deploy/old_ssh.py`.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import Format, Tier
from analyzer.model import Line

_PREFIX = re.compile(r"\[ (?:scheduler|worker|nanny) ([\w.-]{1,200})(?::\d{1,5})? \]\s{0,2}: ?(.*)", re.DOTALL).match


def parse(text: str) -> Line | None:
    match = _PREFIX(text)
    return Line(match[2], stream=match[1], host=match[1]) if match else None


FORMAT = Format(
    "dask_ssh",
    None,
    parse,
    tier=Tier.LAUNCHER,
    wrapper=True,
    prefixes_every_line=True,
    first_chars="[",
    date_marks="",
)
