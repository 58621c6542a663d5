"""Airflow's own lines in a task's log.

    [2026-11-21, 05:10:09 UTC] {taskinstance.py:1824} ERROR - Task failed with exception
    [2026-11-21T05:10:09.123+0000] {standard_task_runner.py:107} ERROR - Failed to execute job 71 for task train

Local time where no zone stands there. Source: airflow `log_format` of `config_templates`.
"""

from __future__ import annotations

import re

from analyzer.formats.grammar import Format
from analyzer.formats.severity import WORDS
from analyzer.formats.stamps import as_stamps, read_iso
from analyzer.model import Kind, Line

STAMP = r"\[(\d{4}-\d\d-\d\d),?([T ]\d\d:\d\d:\d\d(?:[.,]\d{1,6})?(?: ?UTC|Z|[+-]\d\d:?\d\d)?)\] "
_OWN = re.compile(STAMP + r"\{([\w-]{1,60}\.py:\d{1,5})\} ([A-Z]{4,8}) - (.*)", re.DOTALL).match


def parse(text: str) -> Line | None:
    if not (found := _OWN(text)) or (severity := WORDS.get(found[4].lower())) is None:
        return None
    return Line(found[5], as_stamps(read_iso(found[1] + found[2])), severity, Kind.SCHEDULER, logger=found[3])


FORMAT = Format("airflow", Kind.SCHEDULER, parse, starts="[", priority=19)
