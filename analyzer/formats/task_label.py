"""The task of a cluster in brackets before each line of its output, as launch scripts tag it.

    [worker:1] step 12
    [ps-0] 2026-11-21 05:10:09.123456: I tensorflow/core/util/port.cc:113] oneDNN
    [/job:chief/task:0] Traceback (most recent call last):

The jobs are those of TF_CONFIG and `tf.train.ClusterSpec`.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import Format, Tier
from analyzer.model import Line

_PREFIX = re.compile(
    r"[\[(](?:/job:)?(chief|master|worker|ps|evaluator)(?:/task)?[-:_. ]?(\d{1,5})[\])]:? (.*)", re.DOTALL | re.I
).match


def parse(text: str) -> Line | None:
    match = _PREFIX(text)
    return Line(match[3], stream=f"{match[1].lower()}:{int(match[2])}") if match else None


FORMAT = Format(
    "task_label", None, parse, tier=Tier.RANK, wrapper=True, prefixes_every_line=True, first_chars="[(", date_marks=""
)
