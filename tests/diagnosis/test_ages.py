"""What happened before the job's pods existed, by the ages in two listings, is of another job."""

from __future__ import annotations

import io

import pytest

from analyzer.incident import Incident
from analyzer.model import Role
from analyzer.pipeline import IngestResult, diagnose
from analyzer.reading import ReadPlan, read_source
from analyzer.rules.types import Packs

PODS = (
    "NAME         READY   STATUS    RESTARTS      AGE     IP           NODE\n"
    "fit-worker-0 0/1     Error     0             9m12s   10.7.0.5     elm1\n"
    "fit-worker-1 0/1     Error     1 (2m ago)    9m12s   10.7.0.6     elm2\n"
)
EVENTS = (
    "LAST SEEN   TYPE      REASON       OBJECT       MESSAGE\n"
    "{age}  Warning   OOMKilling   node/elm2    Memory cgroup out of memory: Killed process 71 (server) total-vm:9kB\n"
)
FAILURE = "Traceback (most recent call last):\n  File \"/srv/a.py\", line 2, in <module>\nKeyError: 'width'\n"


def log(task: int, more_lines: str) -> str:
    return (
        "2026-02-01 03:04:01,000 INFO tensorflow: MultiWorkerMirroredStrategy with cluster_spec = "
        f"{{'worker': ['fit-worker-0:2222', 'fit-worker-1:2222']}}, task_type = 'worker', task_id = {task}\n"
        f"2026-02-01 03:04:05,000 INFO fit: step 1 loss 0.5\n{more_lines}"
    )


def analyze(age: str, packs: Packs, plan: ReadPlan) -> Incident:
    files = {
        "pods.txt": PODS,
        "events.txt": EVENTS.format(age=age),
        "fit-worker-0.log": log(0, FAILURE),
        "fit-worker-1.log": log(1, ""),
    }
    intake = IngestResult()
    intake.results.extend(read_source(path, io.BytesIO(text.encode()), plan) for path, text in files.items())
    return diagnose(intake, packs)


@pytest.mark.parametrize(("age", "is_context"), [("4h", True), ("3d7h", True), ("8m58s", False), ("45s", False)])
def test_an_event_that_is_older_than_the_pods_is_context(
    age: str, is_context: bool, packs: Packs, plan: ReadPlan
) -> None:
    kills = [finding for finding in analyze(age, packs, plan).findings if finding.cause == "resource.host-oom-killed"]
    assert kills and all((finding.role is Role.CONTEXT) is is_context for finding in kills)
