"""Of one cause on a node the finding of this failure stands for all; and whose a scheduler's daemon's log is."""

from __future__ import annotations

from datetime import UTC, datetime

from test_stories import analyze

from analyzer.reading import ReadPlan
from analyzer.rules.types import Packs

BEGIN = 1_780_000_000.0


def stamp(seconds: float) -> str:
    return f"{datetime.fromtimestamp(BEGIN + seconds, UTC):%Y-%m-%dT%H:%M:%S.%f}"


def segfault(seconds: float, pid: int) -> str:
    message = "segfault at 0 ip 00007f2a9c1b4e61 sp 00007ffd2a1b3c40 error 4 in libops.so[7f2a9c180000+91000]"
    return f"{stamp(seconds).replace('.', ',')}+00:00 python3[{pid}]: {message}\n"


def test_a_crash_of_hours_before_does_not_stand_for_the_one_that_ended_the_job(plan: ReadPlan, packs: Packs) -> None:
    lost = f"{stamp(9)}: E ring_alg.cc:291] Aborting RingReduce with UNAVAILABLE: Socket closed\n"
    peer = "Additional GRPC error information from remote target /job:worker/replica:0/task:1 while calling RecvBuf:\n"
    start = "INFO:tensorflow:MultiWorkerMirroredStrategy with cluster_spec = {'worker': ['n0:2222', 'n1:2222']}, "
    files = {
        "n0/train.log": f"{start}task_type = 'worker', task_id = 0\n{stamp(5)} INFO step 5 loss 0.5\n{lost}{peer}",
        "n1/train.log": f"{start}task_type = 'worker', task_id = 1\n{stamp(5)} INFO step 5 loss 0.5\n",
        "n1/dmesg.txt": segfault(-7200, 901) + segfault(8.9, 4242),
    }
    top = analyze(files, packs, plan).root_causes[0]
    assert (top.finding.cause, top.finding.node, top.finding.captures["pid"]) == ("process.segfault", "n1", "4242")


def test_the_log_of_slurms_daemon_is_of_the_machine_it_is_named_for(plan: ReadPlan, packs: Packs) -> None:
    message = "[77.0] error: Detected 1 oom_kill event in StepId=77.0. Some of the step tasks have been OOM Killed."
    quiet = f"[{stamp(3)[:23]}] [77.0] done with step\n"
    files = {"slurmd-tc03.log": f"[{stamp(1)[:23]}] {message}\n", "slurmd-tc01.log": quiet, "slurmctld-tc00.log": quiet}
    incident = analyze(files, packs, plan)
    assert incident.root_causes[0].finding.node == "tc03"
    assert {node.name for node in incident.nodes} == {"tc01", "tc03"}
