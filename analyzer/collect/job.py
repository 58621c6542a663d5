"""What a scheduler knows of the job, by its own tools."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Optional

from analyzer.collect.commands import ask
from analyzer.collect.logs import add_log
from analyzer.collect.parcel import Parcel
from analyzer.collect.wish import Wish

_SACCT = "JobID,JobName,State,ExitCode,DerivedExitCode,NodeList,Start,End,Elapsed,MaxRSS,MaxVMSize,ReqMem,Reason"

MOST = 16  # processes of a job that nobody named


def collect_job(parcel: Parcel, wish: Wish) -> None:
    if wish.exit_code is not None:
        parcel.add("exit_code", f"{wish.exit_code}\n", "--exit-code")
    if wish.job is not None:
        kind, name = wish.job
        _SCHEDULERS[kind](parcel, wish, name)


def find_processes(wish: Wish) -> Wish:
    """With a Slurm job's processes on this node where none is named: their environment and limits are the job's."""
    if wish.pids or wish.job is None or wish.job[0] != "slurm":
        return wish
    answer = ask(["scontrol", "listpids", wish.job[1]], wish.bounds)
    pids = slurm_pids(answer.output, os.environ.get("SLURM_STEP_ID"))
    return wish._replace(pids=sorted(pids, key=lambda pid: (not _is_python(pid), pid))[:MOST])


def slurm_pids(listing: bytes, own_step: Optional[str] = None) -> list[int]:  # noqa: UP045  (Python 3.9)
    """Of `scontrol listpids ID`: a header, then `PID JOBID STEPID LOCALID GLOBALID` a line. Those of steps alone, whose
    ids are numbers; not of `own_step`, in which `srun` runs the collector."""
    rows = re.findall(rb"^[ \t]*(\d{1,18})[ \t]+\d+[ \t]+(\d{1,18})[ \t]", listing, re.M)
    return [int(pid) for pid, step in rows if step.decode() != own_step]


def _is_python(pid: int) -> bool:
    try:
        return "python" in Path(f"/proc/{pid}/comm").read_text()
    except OSError:
        return False


def _collect_slurm(parcel: Parcel, wish: Wish, job: str) -> None:
    parcel.add_answer("scheduler/scontrol-job.txt", ["scontrol", "show", "job", "-d", job])
    parcel.add_answer("scheduler/sacct.txt", ["sacct", "-P", "-j", job, f"--format={_SACCT}"])
    parcel.add_answer("scheduler/squeue.txt", ["squeue", "-j", job, "-l"])
    parcel.add_answer("scheduler/scontrol-pids.txt", ["scontrol", "listpids", job])
    config = parcel.add_answer("scheduler/scontrol-config.txt", ["scontrol", "show", "config"])
    found = re.search(rb"^SlurmdLogFile\s*=\s*(/\S+)", config, re.M)
    add_log(parcel, Path(found[1].decode() if found else "/var/log/slurm/slurmd.log"), wish, "scheduler")


def _collect_kubernetes(parcel: Parcel, wish: Wish, pod: str) -> None:
    """`pod` or `namespace/pod`."""
    namespace, _, name = pod.rpartition("/")
    place = ["-n", namespace] if namespace else []
    since = [f"--limit-bytes={wish.bounds.log}"]
    parcel.add_answer("scheduler/kubectl-describe.txt", ["kubectl", *place, "describe", "pod", name])
    parcel.add_answer("scheduler/kubectl-pod.json", ["kubectl", *place, "get", "pod", name, "-o", "json"])
    events = ["get", "events", "--field-selector", f"involvedObject.name={name}", "-o", "wide"]
    parcel.add_answer("scheduler/kubectl-events.txt", ["kubectl", *place, *events])
    logs = ["kubectl", *place, "logs", name, "--all-containers", "--timestamps", "--prefix", *since]
    parcel.add_answer(f"logs/{name}.log", logs)
    parcel.add_answer(f"logs/{name}.previous.log", [*logs, "--previous"])


_SCHEDULERS = {"slurm": _collect_slurm, "k8s": _collect_kubernetes}
