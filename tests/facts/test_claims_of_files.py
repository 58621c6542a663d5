"""Whose lines are whose, where a file or a table tells it otherwise than by a name of its own."""

from __future__ import annotations

from pathlib import Path

from analyzer.incident import Incident
from tests.fixture_incidents import analyze_files

CLUSTER = '{"cluster": {"worker": ["alder:2222", "birch:2222"]}, "task": {"type": "worker", "index": %d}}'
STARTED = "I0000 00:00:1769914981.200000   811 grpc_server_lib.cc:467] Started server with target: grpc://%s:2222\n"
WAITS = (
    "I0000 00:00:1769914981.300000   811 coordination_service.h:529] /job:worker/replica:0/task:0 has connected to "
    "coordination service. Incarnation: 8871\n"
    "I0000 00:00:1769914981.400000   811 coordination_service.cc:502] Waiting for 1/2 tasks to connect.\n"
    "I0000 00:00:1769914981.400000   811 coordination_service.cc:505] Example stragglers:\n"
    "/job:worker/replica:0/task:1\n"
)


def tasks_of(incident: Incident) -> dict[str, tuple[str, ...]]:
    return {node.name: tuple(node.tasks) for node in incident.nodes}


def test_a_rank_that_only_the_programs_logger_states_is_no_other_writer(tmp_path: Path) -> None:
    files = {
        f"{host}/out.txt": f"[rank {rank}] 2026/02/01 03:03:00 | INFO | starting on {host}\n"
        + STARTED % host
        + f"[rank {rank}] 2026/02/01 03:03:02 | INFO | ready\n"
        for rank, host in enumerate(("alder", "birch"))
    }
    assert set(tasks_of(analyze_files(tmp_path, files))) == {"alder", "birch"}


def test_a_table_of_hosts_names_the_machine_of_a_task(tmp_path: Path) -> None:
    files = {
        "etc-hosts": "10.4.0.31 alder.mill alder\n10.4.0.32 birch.mill birch\n",
        "netconsole/10.4.0.32.log": "[ 5001.200000] BUG: kernel NULL pointer dereference, address: 0000000000000038\n"
        "[ 5001.300000] Kernel panic - not syncing: Fatal exception\n",
        "alder/fit.log": STARTED % "alder" + "TF_CONFIG=" + CLUSTER % 0 + "\n",
        "birch/fit.log": STARTED % "birch" + "TF_CONFIG=" + CLUSTER % 1 + "\n",
    }
    incident = analyze_files(tmp_path, files)
    assert "10.4.0.32" not in tasks_of(incident)
    assert [(root.finding.cause, root.finding.node) for root in incident.root_causes[:1]] == [
        ("driver.kernel", "birch")
    ]


def test_runs_at_one_address_are_attempts_and_the_last_ones_task_counts(tmp_path: Path) -> None:
    first = '{"cluster": {"worker": ["elm:2222", "alder:2222"]}, "task": {"type": "worker", "index": 1}}'
    text = f"TF_CONFIG={first}\n" + STARTED % "alder" + "Training finished\n"
    text += f"TF_CONFIG={CLUSTER % 0}\n" + STARTED % "alder" + WAITS
    incident = analyze_files(tmp_path, {"screen.txt": text, "birch/uptime.txt": " 20:16:20 up 9 days\n"})
    assert tasks_of(incident)["alder"] == ("worker:0",)
    assert incident.verdict != "no-failure", "the run that ended well was an earlier one"


def test_of_two_that_serve_at_one_address_the_one_with_another_number_is_wrong(tmp_path: Path) -> None:
    target = "fit-worker-%d.fit.ml.svc"
    restarted = (
        "E0000 00:00:1769914990.200000   811 coordination_service_agent.cc:400] Coordination agent is set to ERROR: "
        "ABORTED: /job:worker/replica:0/task:1 unexpectedly tried to connect with a different incarnation. It has "
        "likely restarted.\n"
    )
    files = {
        f"fit-worker-{pod}.log": STARTED % (target % rank) + restarted * (pod < 2)
        for pod, rank in ((0, 0), (1, 1), (2, 1))
    }
    tasks = tasks_of(analyze_files(tmp_path, files))
    assert tasks["fit-worker-1"] == tasks["fit-worker-2"] == ("worker:1",)
