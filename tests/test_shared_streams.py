"""Errors of a stream that several tasks write are placed on the task that the others lose behind them."""

from __future__ import annotations

from pathlib import Path

from analyzer.pipeline import Options, analyze

CLUSTER = "{'worker': ['n0:2222', 'n1:2222', 'n2:2222']}"
JOINED = [
    f"2026-11-21 05:10:0{task},000 INFO tensorflow: MultiWorkerMirroredStrategy with cluster_spec = {CLUSTER}, "
    f"task_type = 'worker', task_id = {task}, num_workers = 3"
    for task in range(3)
]
TRACE = [
    "Traceback (most recent call last):",
    '  File "/srv/train.py", line 3, in <module>',
    "    fit()",
    "KeyError: 'a'",
]
LOST = [
    "2026-11-21 05:10:13.176747: E tensorflow/core/common_runtime/ring_alg.cc:291] Aborting RingReduce with "
    "UNAVAILABLE: Socket closed",
    "Additional GRPC error information from remote target /job:worker/replica:0/task:1 while calling "
    "/tensorflow.WorkerService/RecvBuf:",
]


def root_node(tmp_path: Path, lines: list[str]) -> str | None:
    (tmp_path / "output.log").write_text("".join(f"{line}\n" for line in lines))
    causes = analyze([tmp_path], Options(jobs=1)).root_causes
    return causes[0].finding.node if causes else None


def test_a_traceback_before_a_lost_peer_is_the_peers(tmp_path: Path) -> None:
    assert root_node(tmp_path, [*JOINED, *TRACE, *LOST]) == "n1"


def test_a_traceback_behind_a_lost_peer_may_be_anybodys(tmp_path: Path) -> None:
    assert root_node(tmp_path, [*JOINED, *LOST, *TRACE]) != "n1"


def test_a_collectors_stamp_before_each_line_changes_nothing(tmp_path: Path) -> None:
    lines = [f"Nov 21 05:10:1{at // 5} {line}" for at, line in enumerate([*JOINED, *TRACE, *LOST])]
    assert root_node(tmp_path, lines) == "n1"
