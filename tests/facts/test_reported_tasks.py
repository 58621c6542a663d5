"""A task that others miss and of which the bundle has no file is a node of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer import analyze

LOST = (
    "tensorflow.python.framework.errors_impl.UnavailableError: recvmsg:Connection reset by peer\n"
    "Additional GRPC error information from remote target /job:ps/replica:0/task:1:\n"
)


@pytest.mark.parametrize("name", ["chief", "coordinator"])
def test_a_server_that_all_miss_is_the_place(tmp_path: Path, name: str) -> None:
    for node in (name, "wrk0", "wrk1"):
        (tmp_path / f"{node}.out").write_text(f"2026-03-01 10:00:00.000000: I tensorflow/a.cc:1] start\n{LOST}")
    [root, *_] = analyze(tmp_path).incident.root_causes
    assert (root.finding.cause, root.finding.node) == ("ps.unavailable", "ps:1")


def test_a_node_that_may_be_it_is_not_replaced(tmp_path: Path) -> None:
    for node in ("chief", "wrk0"):
        (tmp_path / f"{node}.out").write_text(f"2026-03-01 10:00:00.000000: I tensorflow/a.cc:1] start\n{LOST}")
    serving = "2026-03-01 10:00:00.000000: I tensorflow/a.cc:1] Started server with target: grpc://10.0.0.9:2222\n"
    (tmp_path / "kepler.out").write_text(serving)
    assert "ps:1" not in {node.name for node in analyze(tmp_path).incident.nodes}


WAITS = (
    "I0000 00:00:1795000000.000000   71 grpc_server_lib.cc:467] Started server with target: grpc://{node}:2222\n"
    "I0000 00:00:1795000001.000000   71 coordination_service.h:529] /job:worker/replica:0/task:0 has connected to "
    "coordination service. Incarnation: 34\n"
    "I0000 00:00:1795000002.000000   71 coordination_service.cc:502] Waiting for 1/2 tasks to connect.\n"
    "I0000 00:00:1795000002.000000   71 coordination_service.cc:505] Example stragglers:\n"
    "/job:worker/replica:0/task:1\n"
)
FAILED = (
    "I0000 00:00:1795000000.000000   72 port.cc:153] oneDNN custom operations are on.\n"
    "Traceback (most recent call last):\n"
    '  File "/srv/train.py", line 3, in <module>\n'
    "ModuleNotFoundError: No module named 'yaml'\n"
)


@pytest.mark.parametrize("others", [(), ("fermi",)])
def test_the_only_task_that_is_awaited_is_that_of_the_only_program_that_failed_early(
    tmp_path: Path, others: tuple[str, ...]
) -> None:
    (tmp_path / "kepler.out").write_text(WAITS.format(node="kepler"))
    for node in ("galilei", *others):
        (tmp_path / f"{node}.out").write_text(FAILED)
    tasks = {node.name: node.tasks for node in analyze(tmp_path).incident.nodes}
    assert tasks["galilei"] == (() if others else ("worker:1",))
