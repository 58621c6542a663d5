"""Whom a line names: lists of ranks, and programs whose supervisor tells how they ended."""

from __future__ import annotations

import io
from collections.abc import Mapping

import pytest

from analyzer.incident import Incident
from analyzer.pipeline import IngestResult, diagnose
from analyzer.reading import ReadPlan, read_source
from analyzer.rules.types import Packs

CLUSTER = "{'worker': ['10.1.0.1:2222', '10.1.0.2:2222', '10.1.0.3:2222']}"
WARNING = (
    "[2026-01-02 03:05:06.070809: W horovod/common/stall_inspector.cc:105] One or more tensors were submitted to be "
    "reduced, gathered or broadcasted by subset of ranks and are waiting for remainder of ranks for more than 60 s.\n"
)


def worker(index: int) -> str:
    return (
        f"2026-01-02 03:04:01,000 INFO tensorflow: MultiWorkerMirroredStrategy with cluster_spec = {CLUSTER}, "
        f"task_type = 'worker', task_id = {index}, num_workers = 3\n"
    )


def analyze(files: Mapping[str, str], packs: Packs, plan: ReadPlan) -> Incident:
    intake = IngestResult()
    intake.results.extend(read_source(path, io.BytesIO(text.encode()), plan) for path, text in files.items())
    return diagnose(intake, packs)


@pytest.mark.parametrize(
    "message",
    [
        WARNING + "Stalled ops: HorovodAllreduce_grad_0 [missing ranks: 1, 2]\n",
        WARNING + "Missing ranks:\n1: [HorovodAllreduce_grad_0, HorovodAllreduce_grad_1]\n2: [allreduce.bias]\n",
    ],
    ids=["up to 0.18", "since 0.19"],
)
def test_horovod_names_every_rank_that_is_missing(message: str, packs: Packs, plan: ReadPlan) -> None:
    files = {"n0/a.log": worker(0) + message, "n1/a.log": worker(1), "n2/a.log": worker(2)}
    incident = analyze(files, packs, plan)
    assert {accusation.accused for accusation in incident.accusations} == {"n1", "n2"}


def test_a_supervisor_tells_how_each_program_ended(packs: Packs, plan: ReadPlan) -> None:
    supervisor = (
        "2026-01-02 03:05:00,001 INFO exited: worker-1 (exit status 0; expected)\n"
        "2026-01-02 03:05:00,002 WARN exited: worker-2 (terminated by SIGKILL; not expected)\n"
        "2026-01-02 03:05:00,003 INFO exited: sidecar (exit status 3; expected)\n"
    )
    files = {**{f"n{index}/a.log": worker(index) for index in range(3)}, "n0/supervisord.log": supervisor}
    incident = analyze(files, packs, plan)
    ends = {event.captures["program"]: event.node for event in incident.events if "program" in event.captures}
    assert ends == {"worker-1": "n1", "worker-2": "n2", "sidecar": "n0"}


@pytest.mark.parametrize(
    ("present", "fate"),
    [(False, "derived.never_started"), (True, "derived.vanished")],
    ids=["no log", "a log that stops"],
)
def test_who_refuses_connections_has_died_only_if_it_ever_ran(
    present: bool, fate: str, packs: Packs, plan: ReadPlan
) -> None:
    refused = (
        "2026-01-02 03:05:05.000001: W tensorflow/core/distributed_runtime/rpc/grpc_remote_master.cc:157] failed to "
        "connect to all addresses; last error: UNKNOWN: ipv4:10.1.0.2:2222: Failed to connect to remote host: "
        "Connection refused\n"
    )
    files = {"n0/a.log": worker(0) + refused, "n2/a.log": worker(2)}
    if present:
        files["n1/a.log"] = worker(1)
    incident = analyze(files, packs, plan)
    fates = {"derived.never_started", "derived.vanished"} & {event.signal for event in incident.events}
    assert fates == {fate}
