"""Airflow's own lines in a task's log.

    [2026-11-21, 05:10:09 UTC] {taskinstance.py:1824} ERROR - Task failed with exception
    [2026-11-21T05:10:09.123+0000] {standard_task_runner.py:107} ERROR - Failed to execute job 71 for task train

Local time if there is no zone. Source: airflow `log_format` of `config_templates`.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import Format, Tier
from analyzer.formats.severity import SEVERITY_BY_WORD
from analyzer.formats.stamps import as_stamps, read_iso
from analyzer.model import Kind, Line

STAMP = r"\[(\d{4}-\d\d-\d\d),?([T ]\d\d:\d\d:\d\d(?:[.,]\d{1,6})?(?: ?UTC|Z|[+-]\d\d:?\d\d)?)\] "
_PREFIX = re.compile(STAMP + r"\{([\w-]{1,60}\.py:\d{1,5})\} ([A-Z]{4,8}) - (.*)", re.DOTALL).match


def parse(text: str) -> Line | None:
    if not (match := _PREFIX(text)) or (severity := SEVERITY_BY_WORD.get(match[4].lower())) is None:
        return None
    return Line(match[5], as_stamps(read_iso(match[1] + match[2])), severity, Kind.SCHEDULER, logger=match[3])


FORMAT = Format("airflow", Kind.SCHEDULER, parse, tier=Tier.FRAMEWORK, first_chars="[")
