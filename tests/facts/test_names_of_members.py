"""Members are called as the job's people call them: by a pod's own name, a file's address, the host of a pod."""

from __future__ import annotations

import json
from pathlib import Path

from tests.fixture_incidents import analyze_files

CLUSTER = {"worker": [f"fit-{task}.fit:2222" for task in range(3)]}
ADDRESSES = {"worker": [f"10.7.0.{task + 1}:2222" for task in range(3)]}


def tf_config(cluster: dict[str, list[str]], task: int) -> str:
    return f"TF_CONFIG={json.dumps({'cluster': cluster, 'task': {'type': 'worker', 'index': task}})}\n"


def steps(host: str = "") -> str:
    return "".join(f"{host}2026-03-01 10:00:{second:02}.000 INFO step {second} loss 0.5\n" for second in range(10, 40))


def test_an_absent_member_is_called_as_its_siblings(tmp_path: Path) -> None:
    incident = analyze_files(tmp_path, {f"logs/fit-{task}.log": tf_config(CLUSTER, task) + steps() for task in (0, 1)})
    names = {node.name: node.present for node in incident.nodes}
    assert names == {"fit-0": True, "fit-1": True, "fit-2": False}


def test_files_called_for_addresses_that_claim_one_task_are_two_nodes(tmp_path: Path) -> None:
    tasks = {"10.7.0.1": 0, "10.7.0.2": 1, "10.7.0.3": 1}
    files = {
        f"out/{address}": tf_config(ADDRESSES, task)
        + f"2026-03-01 10:00:01.000000: I tensorflow/core/distributed_runtime/rpc/grpc_server_lib.cc:447] "
        f"Started server with target: grpc://10.7.0.{task + 1}:2222\n" + steps()
        for address, task in tasks.items()
    }
    incident = analyze_files(tmp_path, files)
    assert {"10.7.0.2", "10.7.0.3"} <= {node.name for node in incident.nodes}


def test_the_machine_of_one_pod_is_its_node_with_and_without_domain(tmp_path: Path) -> None:
    def pod(name: str, machine: str) -> dict[str, object]:
        metadata = {"name": name, "namespace": "ml"}
        return {"kind": "Pod", "metadata": metadata, "spec": {"nodeName": machine}, "status": {"phase": "Running"}}

    pods = {"fit-0": "m7.lab.example", "fit-1": "m8.lab.example"}
    listing = json.dumps({"apiVersion": "v1", "kind": "List", "items": [pod(*item) for item in pods.items()]}, indent=1)
    journal = (
        "Mar 01 10:00:41 m7 kernel: python[77]: segfault at 8 ip 00007f0c sp 00007ffd error 4 in libfit.so[7f0c+9]\n"
    )
    files = {f"logs/{name}.log": steps() for name in pods}
    incident = analyze_files(tmp_path, {**files, "pods.json": listing, "journal/m7.journal.txt": journal})
    assert [node.name for node in incident.nodes] == ["fit-0", "fit-1"]
    assert incident.root_causes[0].finding.node == "fit-0"
