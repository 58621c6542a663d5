"""The launcher of Kubeflow's TensorFlow images, which puts its own prefix before the output of its child.

    INFO|2026-11-21T05:10:09|/opt/launcher.py|27| 2026-11-21 05:10:09.123456: I tensorflow/core/platform/x.cc:1] Hello

Source: `launcher.py` of the tf-operator examples.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import Format, Tier
from analyzer.formats.severity import LEVEL_WORDS, SEVERITY_BY_WORD
from analyzer.formats.stamps import ISO, as_stamps, read_iso
from analyzer.model import Line

_PREFIX = re.compile(rf"({LEVEL_WORDS})\|({ISO})\|([^|]{{0,200}})\|(\d{{1,18}})\| ?(.*)", re.DOTALL).match


def parse(text: str) -> Line | None:
    if not (match := _PREFIX(text)):
        return None
    level, clock, file, number, message = match.groups()
    return Line(message, as_stamps(read_iso(clock)), SEVERITY_BY_WORD[level.lower()], None, logger=f"{file}:{number}")


FORMAT = Format(
    "kubeflow_launcher",
    None,
    parse,
    tier=Tier.LAUNCHER,
    before=("kubectl_logs",),
    wrapper=True,
    prefixes_every_line=True,
    first_chars="IWECDFTN",
)
