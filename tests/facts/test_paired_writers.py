"""Exports and merged files that name each writer by pod or container and by machine: both are names of one node."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tf_postmortem import analyze

STEPS = range(10, 40)
Row = tuple[str, str, str, str]  # time, container or pod, machine, message


def training_rows(name: str, machine: str, task: int) -> Iterable[Row]:
    config = {"cluster": {"worker": ["10.0.0.1:2222", "10.0.0.2:2222"]}, "task": {"type": "worker", "index": task}}
    yield "2026-11-21T05:10:00Z", name, machine, f"TF_CONFIG={json.dumps(config)}"
    for step in STEPS:
        yield f"2026-11-21T05:10:{step}Z", name, machine, f"step {step} loss 0.31"


def merge(*writers: Iterable[Row]) -> list[Row]:
    return sorted(row for rows in writers for row in rows)


def as_csv(columns: tuple[str, str], rows: Iterable[Row]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("timestamp", *columns, "message"))
    writer.writerows(rows)
    return out.getvalue()


def node_names(folder: Path) -> dict[str, set[str]]:
    """Return node → its other names, of the nodes that have lines."""
    incident: dict[str, Any] = dict(analyze(folder).data)
    return {node["name"]: set(node["names"]) | set(node["hosts"]) for node in incident["nodes"] if node["present"]}


CONTAINERS = merge(training_rows("trainer_1", "hopper", 0), training_rows("trainer_1", "noether", 1))


@pytest.mark.parametrize("columns", [("container_name", "source"), ("container_name", "host")])
def test_a_container_of_the_same_name_on_each_machine_is_called_by_its_machine(
    columns: tuple[str, str], tmp_path: Path
) -> None:
    (tmp_path / "export.csv").write_text(as_csv(columns, CONTAINERS))
    assert set(node_names(tmp_path)) == {"hopper", "noether"}


def test_several_containers_of_one_machine_are_called_by_their_own_names(tmp_path: Path) -> None:
    rows = merge(training_rows("trainer_0", "hopper", 0), training_rows("trainer_1", "hopper", 1))
    keys = ("timestamp", "container_name", "host", "message")
    (tmp_path / "export.json").write_text("".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows))
    assert set(node_names(tmp_path)) == {"trainer_0", "trainer_1"}


PODS = merge(training_rows("bert-worker-0", "gx-31", 0), training_rows("bert-worker-1", "gx-32", 1))
MERGED = {
    "csv": as_csv(("pod_name", "Host"), PODS),
    "columns": "".join(f"{time} {machine}  {pod} {text}\n" for time, pod, machine, text in PODS),
    "loki": "".join(f'{time} {{pod="{pod}", node_name="{host}"}} {text}\n' for time, pod, host, text in PODS),
    "fluent-bit": "".join(
        json.dumps({"time": time, "log": text, "kubernetes": {"pod_name": pod, "host": host}}) + "\n"
        for time, pod, host, text in PODS
    ),
}


@pytest.mark.parametrize("form", MERGED)
def test_a_pod_and_its_machine_are_one_node(form: str, tmp_path: Path) -> None:
    (tmp_path / f"export.{form}").write_text(MERGED[form])
    names = node_names(tmp_path)
    assert set(names) == {"bert-worker-0", "bert-worker-1"}
    assert "gx-32" in names["bert-worker-1"]


@pytest.mark.parametrize("form", ["csv", "columns"])
def test_a_listing_joins_its_exit_codes_to_the_pods_of_a_merged_file(form: str, tmp_path: Path) -> None:
    ended = {"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2026-11-21T05:11:00Z"}}
    pods = [
        {
            "metadata": {"name": f"bert-worker-{index}"},
            "spec": {"nodeName": f"metal-3{index + 1}"},
            "status": {"containerStatuses": [{"name": "tf", "state": ended if index else {"running": {}}}]},
        }
        for index in range(2)
    ]
    (tmp_path / "merged.log").write_text(MERGED[form])
    (tmp_path / "pods.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": pods}, indent=2))
    incident: dict[str, Any] = dict(analyze(tmp_path).data)
    assert incident["root_causes"][0]["node"] == "bert-worker-1"


def test_a_machine_with_a_log_of_its_own_is_the_node_of_its_only_pod(tmp_path: Path) -> None:
    (tmp_path / "merged.csv").write_text(MERGED["csv"])
    (tmp_path / "gx-32.dmesg.log").write_text(
        "[   10.000000] NVRM: Xid (PCI:0000:3b:00): 79, pid=77, GPU has fallen off the bus.\n"
    )
    assert set(node_names(tmp_path)) == {"bert-worker-0", "bert-worker-1"}


@pytest.mark.parametrize("has_config", [True, False])
def test_a_container_that_each_machine_calls_alike_ends_on_its_machine(has_config: bool, tmp_path: Path) -> None:
    for index, machine in enumerate(("hopper", "noether")):
        steps = [f"2026-11-21 05:10:{step}.000 step {step} loss 0.31" for step in STEPS]
        (tmp_path / f"{machine}.log").write_text("\n".join(steps) + "\n")
        container: dict[str, Any] = {
            "Id": f"{index}" * 64,
            "Name": "/trainer",
            "State": {"Status": "exited", "ExitCode": 137 - index, "FinishedAt": "2026-11-21T05:10:41Z"},
            "HostConfig": {"Memory": 0},
            **({"Config": {"Image": "train:3"}} if has_config else {}),
        }
        (tmp_path / f"{machine}.inspect.json").write_text(json.dumps([container], indent=2))
    assert set(node_names(tmp_path)) == {"hopper", "noether"}
    facts = dict(analyze(tmp_path).data)["hard_facts"]
    assert {fact["node"]: fact["ended"]["signal"] for fact in facts} == {"hopper": "SIGKILL", "noether": "SIGFPE"}


def test_sections_that_are_named_for_task_and_machine_are_of_the_machine(tmp_path: Path) -> None:
    """`head -n 999 ps-0.hopper.err ...` in one file; the machines serve under their own names."""
    heads = {"ps-0": "hopper", "worker-0": "noether", "worker-1": "kepler"}
    text = "".join(
        f"==> logs/{task}.{host}.err <==\n"
        "I0000 00:00:1795000000.000000   71 port.cc:153] oneDNN custom operations are on.\n"
        f"I0000 00:00:1795000000.000000   71 grpc_server_lib.cc:467] Started server with target: grpc://{host}:2222\n\n"
        for task, host in heads.items()
    )
    (tmp_path / "report.txt").write_text(text)
    tasks = {node.name: node.tasks for node in analyze(tmp_path).incident.nodes}
    assert tasks == {"hopper": ("ps:0",), "noether": ("worker:0",), "kepler": ("worker:1",)}
