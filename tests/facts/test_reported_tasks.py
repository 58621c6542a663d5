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


def test_a_server_is_not_the_worker_that_is_awaited(tmp_path: Path) -> None:
    (tmp_path / "kepler.out").write_text(WAITS.format(node="kepler"))
    (tmp_path / "train_ps.out").write_text(FAILED)
    tasks = {node.name: node.tasks for node in analyze(tmp_path).incident.nodes}
    assert not any(task == "worker:1" for name in tasks if name != "worker:1" for task in tasks[name])


BARRIER = (
    "2026-03-01 10:05:00.000000: E external/local_tsl/tsl/coordination_service.cc:9] Barrier timed out. Id: "
    "[Init]Wait_for_all_tasks_to_register::0. Number of tasks already at the barrier: 2/3.\n"
    "The first task at the barrier: /job:worker/replica:0/task:0. Some timed out task names:\n"
    "/job:worker/replica:0/task:2\n"
)
SYSLOG = "Mar  1 10:00:0{n} gx-{letter} systemd[1]: Started Session {n} of user root.\n"


def test_the_machine_that_is_lettered_as_the_members_are_has_the_task_that_never_came(tmp_path: Path) -> None:
    for index, letter in enumerate("ab"):
        served = (
            f"2026-03-01 10:00:00.000000: I tensorflow/a.cc:1] Started server with target: grpc://gx-{letter}:2222\n"
        )
        device = f"Created device /job:worker/replica:0/task:{index}/device:GPU:0 with 9 MB memory\n"
        made = f"2026-03-01 10:00:00.000000: I tensorflow/core/gpu_device.cc:1] {device}"
        (tmp_path / f"gx-{letter}.out").write_text(made + served + BARRIER)
    (tmp_path / "syslog").write_text("".join(SYSLOG.format(n=n, letter=letter) for n, letter in enumerate("abcabc")))
    tasks = {node.name: node.tasks for node in analyze(tmp_path).incident.nodes if node.tasks}
    assert tasks == {"gx-a": ("worker:0",), "gx-b": ("worker:1",), "gx-c": ("worker:2",)}
