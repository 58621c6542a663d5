"""What a scheduler knows of the job, by its own tools."""

from __future__ import annotations

import re
from pathlib import Path

from analyzer.collect.logs import add_log
from analyzer.collect.parcel import Parcel
from analyzer.collect.wish import Wish

_SACCT = "JobID,JobName,State,ExitCode,DerivedExitCode,NodeList,Start,End,Elapsed,MaxRSS,MaxVMSize,ReqMem,Reason"


def collect_job(parcel: Parcel, wish: Wish) -> None:
    if wish.exit_code is not None:
        parcel.add("exit_code", f"{wish.exit_code}\n", "--exit-code")
    if wish.job is not None:
        kind, name = wish.job
        _SCHEDULERS[kind](parcel, wish, name)


def slurm_pids(listing: bytes) -> list[int]:
    """Of `scontrol listpids ID`: a header, then `PID JOBID STEPID LOCALID GLOBALID` a line."""
    return [int(found) for found in re.findall(rb"^\s*(\d+)\s+\d", listing, re.M)]


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
