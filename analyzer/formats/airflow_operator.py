"""Lines of a pod, a container or a command that an operator of Airflow passes on.

    [2026-11-21, 05:10:09 UTC] {pod_manager.py:447} INFO - [base] step 12 loss 0.31
    [2026-11-21T05:10:09.123+0000] {subprocess.py:93} INFO - step 12 loss 0.31
    [2026-11-21 05:10:09,123] {pod_launcher.py:156} INFO - step 12 loss 0.31

The level is that of the operator, not of the line. pod_manager writes the container's name since provider 7.
"""

from __future__ import annotations

import re

from analyzer.formats.airflow import STAMP
from analyzer.formats.line_format import Format, Tier
from analyzer.formats.stamps import as_stamps, read_iso
from analyzer.model import Line

_PASSED_ON = re.compile(
    STAMP
    + r"\{(?:pod_manager|pod_launcher|subprocess|bash_operator|bash|docker|docker_operator|ssh|ssh_operator|ecs|batch)"
    r"\.py:\d{1,5}\} [A-Z]{4,8} - (?:\[[\w.-]{1,63}\] (?=\S))?(.*)",
    re.DOTALL,
).match


def parse(text: str) -> Line | None:
    match = _PASSED_ON(text)
    return Line(match[3], as_stamps(read_iso(match[1] + match[2]))) if match else None


FORMAT = Format(
    "airflow_operator",
    None,
    parse,
    tier=Tier.FRAMEWORK,
    before=("airflow",),
    wrapper=True,
    prefixes_every_line=True,
    first_chars="[",
)
