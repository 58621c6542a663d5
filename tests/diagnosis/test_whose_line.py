"""Lines of an earlier run, of another node's task, or older than the job do not decide about it."""

from __future__ import annotations

import io
from collections.abc import Mapping

import pytest

from analyzer.incident import Incident
from analyzer.pipeline import IngestResult, diagnose
from analyzer.reading import ReadPlan, read_source
from analyzer.rules.types import Packs

TRACEBACK = """Traceback (most recent call last):
  File "/srv/fit.py", line 5, in <module>
ModuleNotFoundError: No module named 'zarr'
"""


def judge(files: Mapping[str, str], packs: Packs, plan: ReadPlan) -> Incident:
    intake = IngestResult()
    intake.results.extend(read_source(path, io.BytesIO(text.encode()), plan) for path, text in files.items())
    return diagnose(intake, packs)


def steps(host: str, minute: int, prefix: str = "") -> str:
    return "".join(f"{prefix}2026-03-01 10:{minute:02}:{at:02} INFO step {at} loss 0.5\n" for at in range(1, 20))


def run(failed: bool, minute: int) -> str:
    lines = steps("n1", minute, "n1: ") + steps("n2", minute, "n2: ")
    if failed:
        return lines + "".join(f"n1: {line}\n" for line in TRACEBACK.splitlines())
    return lines + "".join(f"{host}: 2026-03-01 10:{minute:02}:30 INFO training finished\n" for host in ("n1", "n2"))


def test_the_last_run_of_a_batch_job_counts(packs: Packs, plan: ReadPlan) -> None:
    assert judge({"fit.o711": run(True, 1), "fit.o712": run(False, 9)}, packs, plan).verdict == "no-failure"
    assert judge({"fit.o711": run(False, 1), "fit.o712": run(True, 9)}, packs, plan).verdict == "diagnosed"


PREEMPTED = "slurmstepd: error: *** STEP 711.0 ON n1 CANCELLED AT 2026-03-01T10:01:30 DUE TO PREEMPTION ***\n"
ROWS = """JobID|JobName|State|ExitCode|Start|End|NodeList
711_1|fit|PREEMPTED|0:15|2026-03-01T10:01:00|2026-03-01T10:01:30|n[1-2]
711_2|fit|FAILED|1:0|2026-03-01T10:09:00|2026-03-01T10:09:30|n[1-2]
"""


def test_the_last_task_of_an_array_counts_if_they_follow_each_other(packs: Packs, plan: ReadPlan) -> None:
    files = {
        "job_1/slurm-711_1.out": run(False, 1).replace("training finished", "step 20") + PREEMPTED,
        "job_2/slurm-711_2.out": run(True, 9),
        "sacct.txt": ROWS,
    }
    assert judge(files, packs, plan).root_causes[0].finding.cause == "env.missing-library"
    at_once = {**files, "job_2/slurm-711_2.out": run(True, 1)}
    assert "scheduler.preempted" in [cause.finding.cause for cause in judge(at_once, packs, plan).root_causes]


def test_a_note_on_a_process_is_about_the_node_that_states_its_pid(packs: Packs, plan: ReadPlan) -> None:
    server = "I0000 00:00:1772359260.3   {pid} grpc_server_lib.cc:467] Started server with target: grpc://{host}:2222"
    lines = [
        f"Mar  1 10:01:{at:02} {host} fit[{pid}]: {f'step {at} loss 0.5' if at else server.format(pid=pid, host=host)}"
        for at in range(20)
        for host, pid in (("tyr", 2676), ("freya", 2678))
    ]
    note = "01.03.26, 10:08 - Ada: I typed off what ps says:\nPID STAT WCHAN ELAPSED TIME COMMAND\n"
    note += "2676 TNsl do_signal_stop             00:16 00:00:03 /opt/tf/bin/python fit.py --epochs 30\n"
    cause = judge({"chat.txt": note, "all.log": "\n".join(lines) + "\n"}, packs, plan).root_causes[0]
    assert (cause.finding.cause, cause.finding.node) == ("sync.hang", "tyr")


def test_tasks_of_one_job_are_no_runs_of_it(packs: Packs, plan: ReadPlan) -> None:
    files = {"fit.o711": steps("n1", 1) + TRACEBACK, "fit.o712": steps("n2", 1)}
    assert judge(files, packs, plan).verdict == "diagnosed"


@pytest.mark.parametrize(("age", "is_cause"), [("26h", False), ("55m", True)])
def test_an_event_older_than_the_pods_is_context(age: str, is_cause: bool, packs: Packs, plan: ReadPlan) -> None:
    rows = [
        "LAST SEEN   TYPE      REASON       OBJECT           MESSAGE",
        f"{age}         Warning   OOMKilling   node/m7 Memory cgroup out of memory: Killed process 4119 (python)",
        "58m         Normal    Scheduled    pod/fit-worker-1 Successfully assigned ml/fit-worker-1 to m7",
    ]
    files = {
        "events.txt": "\n".join(rows) + "\n",
        "pods/fit-worker-0.log": steps("", 1),
        "pods/fit-worker-1.log": steps("", 1) + TRACEBACK,
    }
    causes = [cause.finding.cause for cause in judge(files, packs, plan).root_causes]
    assert ("resource.host-oom-killed" in causes) == is_cause


def test_a_rank_with_the_index_of_another_is_the_one_to_blame(packs: Packs, plan: ReadPlan) -> None:
    cluster = "{'worker': ['n1:2222', 'n2:2222', 'n3:2222']}"
    lines = []
    for rank, index in ((0, 0), (1, 1), (2, 1)):
        lines += [
            f"[1,{rank}]<stderr>: start on n{rank + 1}, task {{'type': 'worker', 'index': {index}}} of {cluster}",
            f"[1,{rank}]<stderr>: I0000 00:00:1795555337.{rank}00000   41 grpc_server_lib.cc:467] "
            f"Started server with target: grpc://n{index + 1}:2222",
        ]
    reason = "/job:worker/replica:0/task:1 unexpectedly tried to connect with a different incarnation."
    lines += [f"[1,{rank}]<stderr>: E0000 00:00:1795555338.100000   42 x.cc:1] {reason}" for rank in (0, 1)]
    lines.append("mpirun noticed that process rank 2 with PID 0 on node n3 exited on signal 9 (Killed).")
    cause = judge({"job.out": "\n".join(lines) + "\n"}, packs, plan).root_causes[0]
    assert (cause.finding.cause, cause.finding.node) == ("config.task-index", "n3")
