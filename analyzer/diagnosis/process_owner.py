"""Whose process it is that the kernel names: the job's, or another one on the same machine."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal

from analyzer.incident import Finding
from analyzer.untrusted.numbers import read_whole

FAMILIES_OF_PROCESSES = ("process.", "resource.")  # causes of which the kernel names the victim
_is_interpreter = re.compile(r"python|pypy|ipython|jupyter|pt_main|pt_data|ray|java|conda", re.I).match


def owner_of_process(finding: Finding, pids: Collection[int]) -> Literal["job", "unknown", "other"] | None:
    """Return whose process the finding's first line names; None if it names none, or if any process may be hit.

    A helper of the job runs the same interpreter as the job, so that an unknown pid of one may be the job's.
    `pids`: those of the job's processes on the node.
    """
    captures = finding.evidence[0].captures
    pid, comm = read_whole(captures.get("pid")), captures.get("comm", "")
    if pid is None or not (finding.cause or "").startswith(FAMILIES_OF_PROCESSES):
        return None  # broken hardware shows in whatever runs at that moment
    if pid in pids:
        return "job"
    if not comm:
        return None
    return "unknown" if _is_interpreter(comm) else "other"
