"""Where a fault happened, if several nodes report it or a job was started twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analyzer import analyze
from analyzer.incident import RootCause

RUNTIME = "tensorflow/core/distributed_runtime"
TRACEBACK = "Traceback (most recent call last):\n  File \"/srv/train.py\", line 3, in <module>\nKeyError: 'lr'\n"


def line(time: str, text: str) -> str:
    return f"2026-03-01 {time}.000000: {text}\n"


def start(time: str, address: str) -> str:
    return line(time, f"I {RUNTIME}/rpc/grpc_server_lib.cc:457] Started server with target: grpc://{address}")


def config(cluster: dict[str, list[str]], job: str, index: int = 0) -> str:
    return f"TF_CONFIG={json.dumps({'cluster': cluster, 'task': {'type': job, 'index': index}})}\n"


def first_cause(folder: Path) -> RootCause:
    return analyze(folder).incident.root_causes[0]


def test_a_server_reports_what_its_client_caused(tmp_path: Path) -> None:
    error = (
        "W tensorflow/core/framework/op_kernel.cc:1839] OP_REQUIRES failed at save_restore_v2_ops.cc:228 : "
        "NOT_FOUND: Key dense_9/bias not found in checkpoint"
    )
    cluster = {"chief": ["10.0.0.1:2222"], "ps": ["10.0.0.2:2222"]}
    for job, [address] in cluster.items():
        text = config(cluster, job) + start("10:00:00", address) + line("10:00:09", error)
        (tmp_path / f"{job}.log").write_text(text)
    root = first_cause(tmp_path)
    assert (root.finding.cause, root.finding.task) == ("checkpoint.mismatch", "chief:0")


def test_what_one_node_began_and_all_report_has_no_sure_place(tmp_path: Path) -> None:
    error = (
        "E tensorflow/core/common_runtime/base_collective_executor.cc:249] BaseCollectiveExecutor::StartAbort "
        "INVALID_ARGUMENT: Shape mismatch in the collective instance 7. Op at device "
        "/job:worker/replica:0/task:0/device:CPU:0 expected shape [9] but another member in the group expected shape "
        "[8]"
    )
    for node in ("n1", "n2"):
        (tmp_path / f"{node}.log").write_text(start("10:00:00", f"{node}:2222") + line("10:00:09", error))
    root = first_cause(tmp_path)
    assert (root.finding.cause, root.finding.node) == ("collective.mismatch", None)
    assert any("no line says which of them began it" in reason for reason in root.why)
    assert root.confidence < 0.8


def test_a_node_that_was_lost_in_an_earlier_attempt_is_not_accused_in_the_last_one(tmp_path: Path) -> None:
    lost = line(
        "10:05:00",
        f"E {RUNTIME}/coordination/coordination_service.cc:1] The following tasks are unhealthy "
        "(stopped sending heartbeats):\n/job:worker/replica:0/task:1",
    )
    nodes = ("n0", "n1", "n2")
    for index, node in enumerate(nodes):
        attempts = [start("10:00:00", f"{node}:2222"), start("12:00:00", f"{node}:2222")]
        attempts[0] += lost if index != 1 else ""
        attempts[1] += TRACEBACK if index == 2 else ""
        cluster = {"worker": [f"{name}:2222" for name in nodes]}
        (tmp_path / f"{node}.log").write_text(config(cluster, "worker", index) + "".join(attempts))
    incident = analyze(tmp_path).incident
    assert [fact.accusations for fact in incident.hard_facts if fact.node == "n1"] == [()]
    assert incident.root_causes[0].finding.node == "n2"


def test_the_word_of_a_scheduler_is_of_the_job_for_which_files_are_named_or_of_the_last_one(tmp_path: Path) -> None:
    table = "{}  train  gpu  8  COMPLETED  0:0\n{}  train  gpu  8  FAILED  1:0\n"
    for index, (name, ends) in enumerate({"worker": "job-succeeded", "slurm-4398": "job-failed"}.items()):
        folder = tmp_path / str(index)
        folder.mkdir()
        (folder / "sacct.txt").write_text(table.format(4410, 4398))
        (folder / f"{name}.out").write_text(start("10:00:00", "n1:2222"))
        [fact] = [fact for fact in analyze(folder).incident.hard_facts if fact.node is None]
        assert fact.end and fact.end.how == ends


@pytest.mark.parametrize(
    ("host", "words"),
    [("10.1.0.1:2222", "nc -vz 10.1.0.1 2222"), ("h1;reboot:2222", "nc -vz HOST PORT")],
)
def test_a_step_names_the_leader_if_no_shell_can_misread_it(tmp_path: Path, host: str, words: str) -> None:
    error = "DeadlineExceededError: Deadline Exceeded\nAdditional GRPC error information from remote target "
    error += "/job:worker/replica:0/task:0 while calling /tensorflow.CoordinationService/RegisterTask:"
    log = f"{line('05', config({'worker': [host, '10.1.0.2:2222']}, 'worker', 1))}\n{error}\n"
    (tmp_path / "n1").mkdir()
    (tmp_path / "n1/worker.log").write_text(log)
    root = first_cause(tmp_path)
    assert root.finding.rule == "rpc-not-answered" and words in root.remediation[0]
