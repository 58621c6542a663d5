"""A launcher's file and a rank's own file hold the same lines: they are one node."""

from __future__ import annotations

import io

from analyzer.incident import Incident
from analyzer.pipeline import IngestResult, diagnose
from analyzer.reading import ReadPlan, read_source
from analyzer.rules.types import Packs

HOSTS = ("oak", "elm")
SPEC = "{'worker': ['oak:2222', 'elm:2222']}"


def log_of(rank: int, microseconds: int = 0) -> list[str]:
    """Return the lines of a rank; `microseconds` are added to the time at which its server started."""
    start = f"2026-02-01 03:00:0{rank}.{100_007 + microseconds:06}"
    return [
        f"{start}: I tensorflow/core/distributed_runtime/rpc/grpc_server_lib.cc:457] "
        f"Started server with target: grpc://{HOSTS[rank]}:2222",
        f"2026-02-01 03:00:02,000 INFO tensorflow: MultiWorkerMirroredStrategy with cluster_spec = {SPEC}, "
        f"task_type = 'worker', task_id = {rank}, num_workers = 2",
        *(f"2026-02-01 03:00:{step + 10},000 INFO fit: step {step} loss 0.5" for step in range(20)),
    ]


def analyze(microseconds: int, packs: Packs, plan: ReadPlan) -> Incident:
    files = {f"ranks/slurm-55-{rank}.out": log_of(rank, microseconds) for rank in (0, 1)}
    files["earlier/slurm-44-0.out"] = [line.replace("oak", "ash") for line in log_of(0, 1)]
    files["slurm-55.out"] = [f"{rank}: {line}" for rank in (0, 1) for line in log_of(rank)]
    intake = IngestResult()
    for name, lines in files.items():
        intake.results.append(read_source(name, io.BytesIO("\n".join(lines).encode() + b"\n"), plan))
    return diagnose(intake, packs)


def test_copies_are_one_node_and_no_second_claim(packs: Packs, plan: ReadPlan) -> None:
    incident = analyze(0, packs, plan)
    assert {"oak", "elm"} <= {node.name for node in incident.nodes} <= {"oak", "elm", "ash", "earlier"}
    assert not any(finding.rule == "task-claimed-twice" for finding in incident.findings)


def test_other_times_are_another_start(packs: Packs, plan: ReadPlan) -> None:
    assert len(analyze(3, packs, plan).nodes) > len(HOSTS)
