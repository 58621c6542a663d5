"""Machines that nothing but a line of a log, a field of a record or another's word names."""

from __future__ import annotations

import json
from pathlib import Path

from test_seats import analyze

from analyzer.pipeline import Options, diagnose, read_inputs
from analyzer.reading import ReadPlan
from analyzer.rules.types import Packs

LOST = "tensorflow.python.framework.errors_impl.DataLossError: corrupted record at 77012"
STARTED = "2026-03-01 12:00:01.000000: I grpc_server_lib.cc:457] Started server with target: grpc://{name}:2222\n"
CAME = "2026-03-01 12:00:02.000000: I a:1] /job:worker/replica:0/task:{task} has connected to coordination service\n"
MISSED = (
    "2026-03-01 12:00:09.000000: E a.cc:1] Collective ops is aborted by: Socket closed\n"
    "Additional GRPC error information from remote target /job:worker/replica:0/task:{task} while calling RecvBuf:\n"
)


def test_files_of_numbers_are_of_the_machines_that_their_lines_name(plan: ReadPlan, packs: Packs) -> None:
    files = {f"out/{n}.txt": f"running on cx{n}\n2026-03-01 12:00:00,000 INFO step 1 loss 0.5\n" for n in range(3)}
    files["out/1.txt"] += f"2026-03-01 12:00:05,000 ERROR {LOST}\n"
    incident = analyze(files, packs, plan)
    assert {node.name for node in incident.nodes} == {"cx0", "cx1", "cx2"}
    assert incident.root_causes[0].finding.node == "cx1"


def test_a_console_is_of_the_machine_that_the_scheduler_names(plan: ReadPlan, packs: Packs) -> None:
    panic = "[ 9123.120003] Kernel panic - not syncing: Fatal local machine check\n"
    lost = "[2026-03-01T12:00:00.000] Killing JobId=9 on failed node rx07\n"
    incident = analyze({"consoles/rx07": panic, "slurmctld.log": lost}, packs, plan)
    top = incident.root_causes[0].finding
    assert (top.cause, top.node) == ("hardware.mce", "rx07")


def test_records_of_a_training_service_name_its_tasks(plan: ReadPlan, packs: Packs) -> None:
    def record(task: str, second: int, message: str) -> dict[str, object]:
        return {
            "jsonPayload": {"levelname": "ERROR", "message": message},
            "resource": {"type": "ml_job", "labels": {"job_id": "1", "task_name": task}},
            "severity": "ERROR",
            "timestamp": f"2026-03-01T12:00:{second:02}.000000Z",
        }

    records = [record("pool1-0", 9, "2026-03-01 12:00:09.000000: E a.cc:1] Socket closed"), record("pool0-0", 5, LOST)]
    incident = analyze({"downloaded.json": json.dumps(records, indent=1)}, packs, plan)
    assert incident.root_causes[0].finding.node == "pool0-0"


def test_what_is_lost_on_a_link_that_is_down_follows_from_it(plan: ReadPlan, packs: Packs) -> None:
    step = "2026-03-01 12:00:00,000 INFO step 1 loss 0.5\n"
    lost = "h0:41:52 [0] NCCL WARN NET/IB : Got completion from peer 10.9.0.12<4399> with error 12, opcode 1, len 0"
    down = "Mar  1 12:00:03 h1 kernel: [ 9900.500000] mlx5_core 0000:4b:00.0 ibs1: Link down\n"
    files = {"h0/w.log": f"{step}2026-03-01 12:00:20,000 ERROR {lost}\n", "h1/w.log": step, "h1/syslog": down}
    top = analyze(files, packs, plan).root_causes[0].finding
    assert (top.cause, top.node) == ("hardware.nic-link", "h1")


def test_names_with_numbers_from_0_are_the_tasks_of_these_numbers(plan: ReadPlan, packs: Packs) -> None:
    """A file of something else beside them, and one that is missing, shift nobody."""
    refused = "failed to connect to all addresses\nAdditional GRPC error information from remote target /job:worker/"
    wait = f"2026-03-01 12:00:09.000000: E a.cc:1] UNAVAILABLE: {refused}replica:0/task:3:\n"
    files = {f"l/gx-{n}.log": "2026-03-01 12:00:00,000 INFO step 1 loss 0.5\n" for n in (0, 2, 3)}
    files["l/gx-0.log"] += wait
    files["l/agent.log"] = "2026-03-01 12:00:00,000 INFO agent: up\n"
    nodes = {node.name: node.tasks for node in analyze(files, packs, plan).nodes}
    assert (nodes["gx-2"], nodes["gx-3"], nodes["agent"]) == (("worker:2",), ("worker:3",), ())


def test_a_task_that_all_name_as_lost_is_none_of_them(plan: ReadPlan, packs: Packs) -> None:
    """Nothing of it is in the bundle, and no cluster was printed: the service alone says that it joined."""
    lost = MISSED.format(task=2)
    files = {f"{name}.log": STARTED.format(name=name) + lost for name in ("saturn", "mars", "venus")}
    files["saturn.log"] = files["saturn.log"].replace(lost, "".join(CAME.format(task=task) for task in range(4)) + lost)
    incident = analyze(files, packs, plan)
    assert incident.root_causes[0].finding.node == "worker:2"


def test_a_task_that_all_others_name_as_lost_is_who_does_not(plan: ReadPlan, packs: Packs) -> None:
    """Machines whose names have no order: nothing else tells which of them is which task."""
    lost = MISSED.format(task=1)
    files = {f"{name}.log": STARTED.format(name=name) for name in ("saturn", "mars", "jupiter")}
    files["saturn.log"] += "".join(CAME.format(task=task) for task in range(3)) + lost
    files["mars.log"] += lost
    assert analyze(files, packs, plan).root_causes[0].finding.node == "jupiter"


def test_numbers_of_a_launcher_are_tasks_where_nobody_says_who_he_is(plan: ReadPlan, packs: Packs) -> None:
    """Logs without their heads: no server, no cluster, nobody joined."""
    step = "{rank}: 2026-03-01 12:00:0{rank},000 INFO step 7 loss 0.5\n"
    lost = (
        "{rank}: 2026-03-01 12:00:09.000000: E a.cc:1] Collective ops is aborted by: Socket closed\n"
        "{rank}: Additional GRPC error information from remote target /job:worker/replica:0/task:2 while calling R:\n"
    )
    text = "".join(step.format(rank=rank) for rank in range(3)) + "".join(lost.format(rank=rank) for rank in range(2))
    assert analyze({"slurm-71.out": text}, packs, plan).root_causes[0].finding.node == "rank 2"


def test_a_traceback_in_syslog_is_read_whatever_the_service_is_called(plan: ReadPlan, packs: Packs) -> None:
    lines = [
        "Traceback (most recent call last):",
        '  File "/srv/a.py", line 3, in <module>',
        "    f()",
        "KeyError: 'x'",
    ]
    text = "".join(f"Mar  1 12:00:09 n1 bert17[87]: {line}\n" for line in lines)
    top = analyze({"n1/messages": text}, packs, plan).root_causes[0].finding
    assert top.captures["exception"] == "KeyError"


def test_a_nid_is_the_node_that_cray_calls_so(plan: ReadPlan, packs: Packs) -> None:
    ended = (
        "_pmiu_daemon(SIGCHLD): [NID 00130] [c0-0c2s0n2] [Tue May  9 10:05:31 2017] PE RANK 2 exit signal Bus error\n"
    )
    top = analyze({"train.o881": f"step 1 loss 0.5\n{ended}"}, packs, plan).root_causes[0].finding
    assert (top.cause, top.node) == ("process.segfault", "nid00130")


def test_an_evaluator_may_fail_while_training_ends_well(plan: ReadPlan, packs: Packs) -> None:
    trained = "2026-03-01 12:00:00,000 INFO step 1 loss 0.5\n2026-03-01 12:00:09,000 INFO training finished\n"
    failed = (
        'Traceback (most recent call last):\n  File "e.py", line 2, in main\nKeyError: Key w not found in checkpoint\n'
    )
    files = {f"job-worker-{n}.log": trained for n in range(2)}
    evaluator = "2026-03-01 12:00:00,000 INFO waiting for a checkpoint\n" + failed
    top = analyze({**files, "job-evaluator-0.log": evaluator}, packs, plan).root_causes[0].finding
    assert (top.cause, top.node) == ("checkpoint.mismatch", "job-evaluator-0")


def test_an_address_of_its_second_interface_is_the_machine(tmp_path: Path, plan: ReadPlan, packs: Packs) -> None:
    for n in range(3):
        steps = "".join(f"2026-03-01 12:00:{s:02},000 INFO step {s} loss 0.5\n" for s in range(30 - 9 * (n == 2)))
        lost = f"h{n}:41:52 [0] misc/socket.cc:538 NCCL WARN Connection closed by remote peer 172.31.0.13<4399{n}>\n"
        addresses = f"    inet 10.0.0.{n}/24 scope global eno1\n    inet 172.31.0.{n + 11}/24 scope global ib0\n"
        (tmp_path / f"h{n}").mkdir()
        (tmp_path / f"h{n}/w.log").write_text(steps + (f"2026-03-01 12:00:40,000 ERROR {lost}" if n < 2 else ""))
        (tmp_path / f"h{n}/ip_addr.txt").write_text(addresses)
    incident = diagnose(read_inputs([tmp_path], plan, Options(), packs), packs)
    assert incident.root_causes[0].finding.node == "h2"
