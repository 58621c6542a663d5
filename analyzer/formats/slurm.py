"""Slurm: lines of its commands and step daemons in a job's output, and the logs of its daemons.

    slurmstepd: error: *** JOB 7001 ON node-13 CANCELLED AT 2026-11-21T05:10:09 DUE TO TIME LIMIT ***
    slurmstepd-node13: error: Detected 2 oom_kill events in StepId=7001.0.
    srun: error: node13: task 3: Killed
    [2026-11-21T05:10:09.123] [7001.batch] error: Detected 2 oom_kill events in StepId=7001.batch
    [2026-11-21T05:10:09.123] launch task StepId=7001.0 request from UID:1000 GID:1000 HOST:192.0.2.4 PORT:40000

The daemons' times are local (LogTimeFormat=iso8601_ms, the default). The step `7001.batch` is the logger.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import Format, Tier
from analyzer.formats.severity import SEVERITY_BY_WORD
from analyzer.formats.stamps import as_stamps, read_iso
from analyzer.model import Kind, Line, Severity

_LEVEL = r"(?:(error|fatal|warning|info|verbose|debug\d?): ?)?"
_COMMAND = re.compile(
    rf"(slurm(?:stepd|ctld|dbd|restd|d)|srun|sbatch|salloc|scancel|sattach|sbcast)(?:-([\w.-]{{1,120}}))?: "
    rf"{_LEVEL}(.*)",
    re.DOTALL,
).match
_DAEMON = re.compile(
    rf"\[(\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{{3,6}})?)\] (?:\[([\w+-]+\.[\w+-]+)\] )?{_LEVEL}(.*)", re.DOTALL
).match


def parse(text: str) -> Line | None:
    if match := _DAEMON(text):
        clock, step, level, message = match.groups()
        severity = SEVERITY_BY_WORD[level] if level else Severity.INFO
        return Line(message, as_stamps(read_iso(clock)), severity, Kind.SCHEDULER, logger=step)
    if match := _COMMAND(text):
        program, host, level, message = match.groups()
        return Line(message, (), SEVERITY_BY_WORD[level] if level else None, Kind.SCHEDULER, host=host, logger=program)
    return None


FORMAT = Format(
    "slurm", Kind.SCHEDULER, parse, tier=Tier.CLUSTER, before=("open_mpi",), date_marks="[", first_chars="[s"
)
