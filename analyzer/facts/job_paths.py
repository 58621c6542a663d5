"""The job that a path is named for, where a scheduler numbers jobs.

container_1794300000000_0417_01_000002/stdout     YARN: the application in the names of its containers
job-4711/worker-0.log, slurm-4711.out             the number of a scheduler
OAR.bert.4711.stderr, bert.e4711, bert.po4711.2   OAR; PBS and Grid Engine
"""

from __future__ import annotations

import re

_find_job = re.compile(
    r"(?:application|container(?:_e\d{1,4})?|appattempt)_(?P<yarn>\d{10,16}_\d{4,8})(?!\d)"
    r"|(?:^|[/_.-])(?:slurm|job|jobid|job_id|bhist|bjobs|bpeek|bacct|sacct|seff|qstat|qacct|tracejob|condor_history)(?:_-\w)?[-_.=]?(?P<number>\d{4,12})(?=[/_.-]|$)"
    r"|(?:^|/)OAR\.[^/]{1,80}?\.(?P<oar>\d{3,12})\.std(?:out|err)$"
    r"|[^/]\.p?[oe](?P<batch>\d{3,12})(?:\.\d{1,6})?$",
    re.I,
).search


def job_of_path(path: str) -> str | None:
    """Return the job in words, `job 4711`; None if the path names none."""
    match = _find_job(path)
    if match is None:
        return None
    if match["yarn"]:
        return f"application {match['yarn']}"
    return f"job {match['number'] or match['oar'] or match['batch']}"
