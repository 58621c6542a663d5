"""The owner of a process that the kernel names: the job, or another program on the same machine."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal

from analyzer.incident import Finding
from analyzer.untrusted.numbers import read_whole

FAMILIES_OF_PROCESSES = ("process.", "resource.")  # causes for which the kernel names the process that was hit
_is_interpreter = re.compile(r"python|pypy|ipython|jupyter|pt_main|pt_data|ray|java|conda", re.I).match


def owner_of_process(finding: Finding, pids: Collection[int]) -> Literal["job", "unknown", "other"] | None:
    """Return who owns the process that the finding's first line names.

    None if it names no process, or if the fault may hit any process. An unknown pid of a Python interpreter is
    "unknown": it may be a helper of the job.
    `pids`: the pids of the job's processes on the node.
    """
    captures = finding.evidence[0].captures
    pid, comm = read_whole(captures.get("pid")), captures.get("comm", "")
    if pid is None or not (finding.cause or "").startswith(FAMILIES_OF_PROCESSES):
        return None  # broken hardware hits whatever runs at that moment
    if pid in pids:
        return "job"
    if not comm:
        return None
    return "unknown" if _is_interpreter(comm) else "other"
