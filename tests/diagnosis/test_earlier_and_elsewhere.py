"""What shows that a process ended, that a cause lasts, and in which zone a server's log is."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.incident import Incident
from tests.fixture_incidents import analyze_files

SPEC = "{'worker': ['alder:2222', 'birch:2222']}"
STRATEGY = (
    "%s INFO tensorflow: MultiWorkerMirroredStrategy with cluster_spec = %s, task_type = 'worker', task_id = %d, "
    "num_workers = 2\n"
)


def first_cause(incident: Incident) -> tuple[str | None, str | None]:
    finding = incident.root_causes[0].finding
    return finding.cause, finding.node


def steps(host: str, rank: int, count: int = 9, word: str = "adım") -> str:
    text = STRATEGY % ("2026-02-01 03:00:00,000", SPEC, rank)
    for step in range(1, count + 1):
        text += f"2026-02-01 03:00:{step:02},000 INFO {host}: {word}={10 * step} kayip 0.{900 - step}\n"
    return text


@pytest.mark.parametrize(
    ("name", "cause"), [("birch.log", "sync.hang"), ("birch.previous.log", "process.killed-by-signal")]
)
def test_a_containers_previous_log_is_of_a_process_that_ended(tmp_path: Path, name: str, cause: str) -> None:
    lost = (
        "2026-02-01 03:01:30.000000: E tensorflow/core/distributed_runtime/coordination/"
        "coordination_service_agent.cc:678] Coordination agent is set to ERROR: UNAVAILABLE: Task "
        "/job:worker/replica:0/task:1 heartbeat timeout. This indicates that the remote task has failed, got "
        "preempted, or crashed unexpectedly.\n"
    )
    incident = analyze_files(tmp_path, {"alder.log": steps("alder", 0) + lost, name: steps("birch", 1)})
    assert first_cause(incident) == (cause, "birch")


def test_the_task_that_left_its_loop_may_have_ended_well(tmp_path: Path) -> None:
    ran_out = (
        "WARNING:tensorflow:Your input ran out of data; interrupting training. Make sure that your dataset or "
        "generator can generate at least 132600 batches.\n"
    )
    untimed = [line.partition(" INFO ")[2] for line in steps("x", 0).splitlines()]
    text = "".join(f"{line}\n" for line in untimed)
    files = {"alder.log": text, "birch.log": text.replace("task_id = 0", "task_id = 1") + ran_out}
    incident = analyze_files(tmp_path, files)
    assert first_cause(incident) == ("data.uneven-shards", "birch")
    assert analyze_files(tmp_path / "both", dict.fromkeys(files, text + ran_out)).root_causes == ()


def test_a_server_may_log_in_utc_where_the_others_do_not(tmp_path: Path) -> None:
    failed = (
        "Traceback (most recent call last):\n"
        '  File "/srv/fit.py", line 47, in <module>\n'
        "    batch = bucket.get(key)\n"
        "botocore.exceptions.ClientError: An error occurred (XMinioServerNotInitialized) when calling the GetObject "
        "operation (reached max retries: 4): Server not initialized yet, please try again.\n"
    )
    files = {"store/access.log": ""}
    for second in range(1, 9):
        status = 200 if second < 7 else 503
        files["store/access.log"] += (
            f'10.4.0.1 - - [31/Jan/2026 18:00:{second:02}] "GET /b/{second} HTTP/1.1" {status} -\n'
        )
    for rank, host in enumerate(("alder", "birch")):
        files[f"{host}/fit.log"] = (
            "I0000 00:00:1769882400.500000   811 port.cc:153] oneDNN custom operations are on.\n"  # 18:00:00.5 UTC
            + steps(host, rank, 8)
            + failed
        )
    assert first_cause(analyze_files(tmp_path, files)) == ("storage.network-fs", "store")
