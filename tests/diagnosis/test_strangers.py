"""Other jobs on the same machines and in the same namespace leave lines too: they are context, and ours are not."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from test_stories import analyze

from analyzer.incident import Finding, Incident
from analyzer.model import Role
from analyzer.reading import ReadPlan
from analyzer.rules.types import Packs

BEGIN = 1_780_000_000.0
OOM = "resource.host-oom-killed"


def wall(seconds: float, hours: float = 0.0) -> str:
    return f"{datetime.fromtimestamp(BEGIN + seconds + 3600 * hours, UTC):%Y-%m-%dT%H:%M:%S}"


def ctime(seconds: float) -> str:
    return f"{datetime.fromtimestamp(BEGIN + seconds, UTC):%a %b %d %H:%M:%S %Y}"


def kernel(*entries: tuple[float, str]) -> str:
    return "".join(f"{wall(seconds)},000000+00:00 {text}\n" for seconds, text in entries)


def kill(seconds: float, pid: int, group: str) -> str:
    return kernel(
        (seconds, "python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0"),
        (
            seconds,
            f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),oom_memcg={group},task_memcg={group}/task_0,"
            f"task=python3,pid={pid},uid=7",
        ),
        (seconds, f"Memory cgroup out of memory: Killed process {pid} (python3) total-vm:9kB, anon-rss:8kB"),
    )


def log(*steps: float, hours: float = 0.0, zone: str = "Z") -> str:
    entries = [(0.0, "INFO tensorflow: starting worker pid 4242 on host n0")]
    entries += [(at, f"INFO train: step {number} loss 0.5") for number, at in enumerate(steps, 1)]
    return "".join(f"{wall(at, hours)}.000000{zone} {text}\n" for at, text in entries)


def failed(hours: float = 0.0, zone: str = "Z") -> str:
    return log(1, 2, 3, hours=hours, zone=zone) + (
        "Traceback (most recent call last):\n"
        '  File "/srv/train.py", line 9, in <module>\n'
        "    batch['label']\n"
        "KeyError: 'label'\n"
    )


def record(job: int, begin: float = -20.0, end: float = 30.0, hours: float = 0.0) -> str:
    return (
        f"JobId={job} JobName=train\n   JobState=FAILED Reason=NonZeroExitCode Dependency=(null)\n"
        f"   SubmitTime={wall(begin - 99, hours)} EligibleTime={wall(begin - 99, hours)}\n"
        f"   StartTime={wall(begin, hours)} EndTime={wall(end, hours)} Deadline=N/A\n   NodeList=n[0-1]\n"
    )


ROW = "{job}.0  train  gpu  FAILED  1:0  {begin}  {end}  n[0-1]\n"
SLURM = "/slurm/uid_7/job_{}/step_0"
SLICE = "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{}.slice/cri-containerd-77.scope"
UID = "8f3c2d1{}-55aa-4c1e-9b7d-0f0e0d0c0b0a"


def pods(*names: str) -> str:
    """As `kubectl get pods -o json` lists them."""
    ran = {"exitCode": 1, "reason": "Error", "startedAt": wall(-3) + "Z", "finishedAt": wall(9) + "Z"}
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "List",
            "items": [
                {
                    "kind": "Pod",
                    "metadata": {"name": name, "uid": UID.format(number)},
                    "spec": {"nodeName": f"machine-{number}"},
                    "status": {"containerStatuses": [{"state": {"terminated": ran}}]},
                }
                for number, name in enumerate(names)
            ],
        },
        indent=1,
    )


FOREIGN = {
    "a cgroup of another job, by scontrol": {
        "n0/log": failed(),
        "n1/dmesg": kill(2, 77, SLURM.format(48102)),
        "scontrol.txt": record(48213),
    },
    "a cgroup of another job, by sacct": {
        "n0/log": failed(),
        "n1/dmesg": kill(2, 77, SLURM.format(48102)),
        "sacct.txt": ROW.format(job=48213, begin=wall(-20), end=wall(30)),
    },
    "the number in the job's own environment": {
        "n0/log": failed(),
        "n0/env.txt": "HOME=/home/ana\nSLURM_JOB_ID=48213\n",
        "n1/slurmd.log": f"[{wall(2)}.000] [48102.0] error: Detected 1 oom_kill event in StepId=48102.0.\n",
    },
    "the number in the name of the job's own output": {
        "slurm-48213.out": failed(),
        "n1/dmesg": kill(2, 77, SLURM.format(48102)),
    },
    "the job's own number, whatever job the record is of": {
        "slurm-48213.out": failed(),
        "n1/dmesg": kill(2, 77, SLURM.format(48102)),
        "scontrol.txt": record(48102),
    },
    "a cgroup of another job of PBS, by qstat": {
        "n0/log": failed(),
        "n0/dmesg": kill(2, 77, "/pbs_jobs.service/jobid/881.pbs01"),
        "qstat-f.txt": "Job Id: 900.pbs01\n    Job_Name = train\n    exec_host = n0/0*16\n    Exit_status = 1\n",
    },
    "before the begin that PBS states": {
        "n0/log": failed(),
        "n0/dmesg": kill(-300, 77, "/user.slice"),
        "qstat-f.txt": f"Job Id: 900.pbs01\n    stime = {ctime(-20)}\n    obittime = {ctime(30)}\n",
    },
    "a cgroup of another job of LSF": {
        "n0/log": failed(),
        "n0/dmesg": kill(2, 77, "/lsf/prod/job.588.30112.1794990000"),
        "bjobs.txt": "Job <601>, Job Name <train>, User <lee>, Status <EXIT>, Queue <gpu>\n",
    },
    "before the record's begin": {
        "n0/log": failed(),
        "n1/dmesg": kill(-300, 77, "/user.slice"),
        "scontrol.txt": record(48213),
    },
    "the record in the zone of the cluster": {
        "n0/log": failed(),
        "n1/dmesg": kill(-300, 77, "/user.slice"),
        "scontrol.txt": record(48213, hours=-7),
    },
    "behind the record's end": {
        "n0/log": failed(),
        "n1/dmesg": kill(700, 77, "/user.slice"),
        "scontrol.txt": record(48213),
    },
    "a log without times": {
        "n0/log": failed().replace(log(1, 2, 3), "INFO train: step 1 loss 0.5\n"),
        "n0/dmesg": kill(-9 * 3600 * 24, 77, "/user.slice"),
        "scontrol.txt": record(48213),
    },
    "a pod's cgroup of another pod": {
        "bert-worker-0.log": failed(),
        "machine-0.dmesg": kill(2, 77, SLICE.format(UID.format(9).replace("-", "_"))),
        "pods.json": pods("bert-worker-0", "bert-worker-1"),
    },
    "before the pod's begin": {
        "bert-worker-0.log": failed(),
        "machine-0.dmesg": kill(-200, 77, "/user.slice"),
        "pods.json": pods("bert-worker-0"),
    },
    "a pod of another name": {
        "bert-worker-0.log": failed(),
        "bert-worker-1.log": log(1, 2, 3),
        "pods.txt": "NAME            READY  STATUS     RESTARTS  AGE\nembed-worker-1  0/1    OOMKilled  0  47m\n",
    },
}


def fatal(incident: Incident) -> list[Finding]:
    return [finding for finding in incident.findings if finding.cause == OOM]


@pytest.mark.parametrize("name", FOREIGN)
def test_what_another_job_did_is_context(name: str, packs: Packs, plan: ReadPlan) -> None:
    incident = analyze(FOREIGN[name], packs, plan)
    assert [root.finding.cause for root in incident.root_causes] == ["user.code-error"]
    assert fatal(incident) and all(finding.role is Role.CONTEXT and finding.why for finding in fatal(incident))


OWN = {
    "the job's own cgroup": {
        "n0/log": log(1, 2, 3),
        "n0/dmesg": kill(4, 4242, SLURM.format(48213)),
        "scontrol.txt": record(48213),
    },
    "two jobs in the record: nobody knows which": {
        "n0/log": log(1, 2, 3),
        "n0/dmesg": kill(4, 4242, SLURM.format(48213)),
        "sacct.txt": "".join(ROW.format(job=job, begin=wall(-20), end=wall(30)) for job in (48102, 48213)),
    },
    "an earlier kill of another job, a later one of this": {
        "n0/log": log(1, 2, 3),
        "n0/dmesg": kill(1, 77, SLURM.format(48102)) + kill(4, 4242, SLURM.format(48213)),
        "scontrol.txt": record(48213),
    },
    "a record that does not fit the log": {
        "n0/log": log(1, 2, 3),
        "n0/dmesg": kill(4, 4242, "/user.slice"),
        "scontrol.txt": record(48213, begin=5000, end=6000),
    },
    "the pod's own cgroup": {
        "bert-worker-0.log": log(1, 2, 3),
        "bert-worker-0.dmesg": kill(4, 4242, SLICE.format(UID.format(0).replace("-", "_"))),
        "pods.json": pods("bert-worker-0", "bert-worker-1"),
    },
    "a pod that the listing does not have": {
        "bert-worker-0.log": log(1, 2, 3),
        "bert-worker-0.dmesg": kill(4, 4242, SLICE.format(UID.format(7).replace("-", "_"))),
        "pods.json": pods("bert-worker-1"),
    },
    "a pod of this job that left no log": {
        "bert-worker-0.log": log(1, 2, 3),
        "pods.txt": "NAME            READY  STATUS     RESTARTS  AGE\nbert-worker-1  0/1    OOMKilled  0  47m\n",
    },
}


@pytest.mark.parametrize("name", OWN)
def test_what_may_be_the_jobs_own_is_its_cause(name: str, packs: Packs, plan: ReadPlan) -> None:
    first = analyze(OWN[name], packs, plan).root_causes[0].finding
    assert (first.cause, first.role) == (OOM, Role.CAUSE)


def test_times_of_a_wall_without_a_zone_compare_with_the_record(packs: Packs, plan: ReadPlan) -> None:
    """Log, kernel and scheduler read one clock: an hour before is an hour before, whatever the zone."""
    stamp = f"[{datetime.fromtimestamp(BEGIN - 3600, UTC):%a %b %d %H:%M:%S %Y}]"
    files = {
        "n0/log": failed(zone=""),
        "n0/dmesg": f"{stamp} Out of memory: Killed process 77 (python3) total-vm:9kB, anon-rss:8kB\n",
    }
    assert {finding.role for finding in fatal(analyze(files, packs, plan))} == {Role.CAUSE}
    files["scontrol.txt"] = record(48213)
    assert {finding.role for finding in fatal(analyze(files, packs, plan))} == {Role.CONTEXT}


def test_a_pod_of_another_job_is_not_the_task_of_this(packs: Packs, plan: ReadPlan) -> None:
    incident = analyze(FOREIGN["a pod of another name"], packs, plan)
    assert "bert-worker-1" not in {finding.node for finding in fatal(incident)}
    assert not any("embed-worker-1" in note for note in incident.notes)
