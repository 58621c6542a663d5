"""Collect what the scheduler knows about the job, with the scheduler's own tools."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Optional

from analyzer.collect.external_tools import run_tool
from analyzer.collect.logs import add_log
from analyzer.collect.node_archive import NodeArchive
from analyzer.collect.request import CollectRequest

_SACCT_FIELDS = "JobID,JobName,State,ExitCode,DerivedExitCode,NodeList,Start,End,Elapsed,MaxRSS,MaxVMSize,ReqMem,Reason"

MAX_JOB_PROCESSES = 16  # processes of a job that no option named


def collect_job(archive: NodeArchive, request: CollectRequest) -> None:
    if request.exit_code is not None:
        archive.add_bytes("exit_code", f"{request.exit_code}\n", "--exit-code")
    if request.job is not None:
        kind, name = request.job
        _SCHEDULERS[kind](archive, request, name)


def add_job_processes(request: CollectRequest) -> CollectRequest:
    """Return the request with the Slurm job's processes on this node if it names none: they have the job's settings."""
    if request.pids or request.job is None or request.job[0] != "slurm":
        return request
    listing = run_tool(["scontrol", "listpids", request.job[1]], request.limits)
    pids = slurm_pids(listing.output, os.environ.get("SLURM_STEP_ID"))
    return request._replace(pids=sorted(pids, key=lambda pid: (not _is_python(pid), pid))[:MAX_JOB_PROCESSES])


def slurm_pids(listing: bytes, own_step: Optional[str] = None) -> list[int]:  # noqa: UP045  (Python 3.9)
    """Return the process ids of steps with numeric ids, except `own_step`, in which `srun` runs the collector.

    `listing` is the output of `scontrol listpids ID`: a header, then lines of `PID JOBID STEPID LOCALID GLOBALID`.
    """
    rows = re.findall(rb"^[ \t]*(\d{1,18})[ \t]+\d+[ \t]+(\d{1,18})[ \t]", listing, re.M)
    return [int(pid) for pid, step in rows if step.decode() != own_step]


def _is_python(pid: int) -> bool:
    try:
        return "python" in Path(f"/proc/{pid}/comm").read_text()
    except OSError:
        return False


def _collect_slurm(archive: NodeArchive, request: CollectRequest, job: str) -> None:
    archive.add_tool_output("scheduler/scontrol-job.txt", ["scontrol", "show", "job", "-d", job])
    archive.add_tool_output("scheduler/sacct.txt", ["sacct", "-P", "-j", job, f"--format={_SACCT_FIELDS}"])
    archive.add_tool_output("scheduler/squeue.txt", ["squeue", "-j", job, "-l"])
    archive.add_tool_output("scheduler/scontrol-pids.txt", ["scontrol", "listpids", job])
    config = archive.add_tool_output("scheduler/scontrol-config.txt", ["scontrol", "show", "config"])
    log_setting = re.search(rb"^SlurmdLogFile\s*=\s*(/\S+)", config, re.M)
    add_log(
        archive, Path(log_setting[1].decode() if log_setting else "/var/log/slurm/slurmd.log"), request, "scheduler"
    )


def _collect_kubernetes(archive: NodeArchive, request: CollectRequest, pod: str) -> None:
    """Add what kubectl knows about the pod, given as `pod` or `namespace/pod`."""
    namespace, _, name = pod.rpartition("/")
    namespace_option = ["-n", namespace] if namespace else []
    limit_option = [f"--limit-bytes={request.limits.max_log_bytes}"]
    archive.add_tool_output("scheduler/kubectl-describe.txt", ["kubectl", *namespace_option, "describe", "pod", name])
    archive.add_tool_output(
        "scheduler/kubectl-pod.json", ["kubectl", *namespace_option, "get", "pod", name, "-o", "json"]
    )
    events = ["get", "events", "--field-selector", f"involvedObject.name={name}", "-o", "wide"]
    archive.add_tool_output("scheduler/kubectl-events.txt", ["kubectl", *namespace_option, *events])
    logs = ["kubectl", *namespace_option, "logs", name, "--all-containers", "--timestamps", "--prefix", *limit_option]
    archive.add_tool_output(f"logs/{name}.log", logs)
    archive.add_tool_output(f"logs/{name}.previous.log", [*logs, "--previous"])


_SCHEDULERS = {"slurm": _collect_slurm, "k8s": _collect_kubernetes}
