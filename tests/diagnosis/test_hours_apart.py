"""A machine's kernel and its programs tell of one failure in different zones, and of steps whose lines have no time."""

from __future__ import annotations

import pytest
from test_seats import analyze

from analyzer.reading import ReadPlan
from analyzer.rules.types import Packs

FAILED = "E cuda_event.cc:29] failed to query event: CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure"
ABORTS = "E ring_alg.cc:291] Aborting RingReduce with UNAVAILABLE: Socket closed"
LOST = "Additional GRPC error information from remote target /job:worker/replica:0/task:1 while calling RecvBuf:"
GONE = "NVRM: Xid (PCI:0000:41:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."


def named(task: int) -> str:
    cluster = "{'worker': ['m0:2222', 'm1:2222']}"
    return (
        f"2026-03-01 12:00:00,000 INFO tensorflow: cluster_spec = {cluster}, task_type = 'worker', task_id = {task}\n"
    )


def steps(first: int, last: int) -> str:
    return "".join(f"2026-03-01 12:{s // 60:02}:{s % 60:02},000 INFO step {s} loss 0.5\n" for s in range(first, last))


@pytest.mark.parametrize(
    ("hour", "minute", "cause"),
    [(12, 5, "hardware.gpu-lost"), (10, 5, "hardware.gpu-lost"), (17, 5, "hardware.gpu-lost"), (10, 33, None)],
)
def test_a_kernel_may_tell_the_hour_of_another_zone(
    hour: int, minute: int, cause: str | None, plan: ReadPlan, packs: Packs
) -> None:
    incident = analyze(
        {
            "m0/w.log": f"{named(0)}{steps(1, 305)}2026-03-01 12:05:06.000000: {ABORTS}\n{LOST}\n",
            "m1/w.log": f"{named(1)}{steps(1, 305)}2026-03-01 12:05:05.000000: {FAILED}\n",
            "m1/syslog": f"Mar  1 {hour}:{minute:02}:04 m1 kernel: [ 9123.500000] {GONE}\n",
        },
        packs,
        plan,
    )
    top = incident.root_causes[0].finding
    assert top.node == "m1"
    assert (top.cause == "hardware.gpu-lost") == (cause is not None)


def test_steps_without_a_time_do_not_show_that_training_stood_still(plan: ReadPlan, packs: Packs) -> None:
    line = "2026-03-01 12:00:09.000000: W tensorflow/core/x.cc:9] a word\n"
    untimed = "".join(f"step {s} loss 0.5\n" for s in range(1, 200))
    ended = "[2026-03-01T12:01:30.000] _slurm_rpc_kill_job: REQUEST_KILL_JOB JobId=81 uid 1002\n"
    incident = analyze({"n0/w.log": line + untimed, "n1/w.log": line + untimed, "slurmctld.log": ended}, packs, plan)
    assert [root.finding.cause for root in incident.root_causes][:1] == ["process.killed-by-signal"]
    assert "stood still" not in " ".join(finding.title for finding in incident.findings)


@pytest.mark.parametrize("hour", [9, 12])
def test_a_listing_shows_the_time_of_whoever_made_it(hour: int, plan: ReadPlan, packs: Packs) -> None:
    stamps = str.maketrans({",": "."})  # 2026-03-01T12:00:00.000Z: in UTC
    logs = {
        f"job-worker-{index}/w.log": "".join(
            f"{line[:10]}T{line[11:23].translate(stamps)}Z{line[23:]}\n"
            for line in (named(index) + steps(1, 305)).splitlines()
        )
        for index in range(2)
    }
    logs["job-worker-0/w.log"] += f"2026-03-01T12:05:06.000Z {ABORTS}\n{LOST}\n"
    listing = f"2026-03-01 {hour}:05:04   Normal   TaintManagerEviction   pod/job-worker-1   1   Marking for deletion"
    incident = analyze({**logs, "listing.txt": f"{listing} Pod team/job-worker-1\n"}, packs, plan)
    top = incident.root_causes[0].finding
    assert (top.cause, top.node) == ("scheduler.evicted", "job-worker-1")
