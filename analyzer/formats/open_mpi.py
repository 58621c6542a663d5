"""Open MPI's, UCX's and Hydra's own messages: host and process in brackets.

    [node-3:12345] *** Process received signal ***
    [node-3:12345] PMIX ERROR: UNREACHABLE in file server.c at line 2198
    [1600000000.123456] [node-3:12345:0]   ucp_worker.c:1783 UCX  ERROR failed to create
    [proxy:0:1@node-3] HYD_pmcd_pmip_control_cmd_cb: assert (!closed) failed

Sources: Open MPI `opal/util/output.c`, ucx `src/ucs/debug/log.c` (seconds since the epoch), MPICH Hydra.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import Format, Tier
from analyzer.formats.severity import read_severity
from analyzer.formats.stamps import as_stamps, read_epoch
from analyzer.model import Kind, Line

# Open MPI writes five digits (`%05d`): `[node-3:0]` is a program's own prefix, and `[step:7]` none.
_MPI = re.compile(r"\[([A-Za-z][\w.-]{0,120}):(\d{4,10})\] ?(.*)", re.DOTALL).match
_UCX = re.compile(
    r"\[(\d{9,10}\.\d{1,9})\] \[([\w.-]{1,120}):(\d{1,10}):(\d{1,10})\] +(\S+:\d+) +UCX +([A-Z]+) +(.*)", re.DOTALL
).match
_HYDRA = re.compile(r"\[(?:proxy:\d+:\d+|mpiexec|main)@([\w.-]{1,120})\] ?(.*)", re.DOTALL).match


def parse(text: str) -> Line | None:
    if match := _MPI(text):
        return Line(match[3], (), None, Kind.SCHEDULER, pid=int(match[2]), host=match[1])
    if match := _UCX(text):
        clock, host, pid, _, location, level, message = match.groups()
        return Line(
            message,
            as_stamps(read_epoch(clock)),
            read_severity(level),
            Kind.WORKER,
            pid=int(pid),
            host=host,
            logger=location,
        )
    match = _HYDRA(text)
    return Line(match[2], (), None, Kind.SCHEDULER, host=match[1]) if match else None


FORMAT = Format(
    "open_mpi", Kind.SCHEDULER, parse, tier=Tier.CLUSTER, before=("nvidia_daemon",), first_chars="[", date_marks=""
)
