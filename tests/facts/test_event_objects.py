"""What an event or a listing of Kubernetes says belongs to its pod or machine, whatever file it stands in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from analyzer.facts.pod_tables import KUBERNETES_NODE, read_pod_table
from analyzer.formats.unwrap import choose_unwrapper
from analyzer.reading.event_objects import add_object, find_object
from tf_postmortem import analyze


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "16m   Warning   Evicted   pod/bert-worker-3   The node was low on resource: memory.",
            ("pod", "bert-worker-3"),
        ),
        ("11m  Warning  OOMKilling  node/gpu-9.example  Memory cgroup out of memory", ("node", "gpu-9.example")),
        ("Pod ml/bert-worker-3: Evicted: The node was low on resource", ("pod", "bert-worker-3")),
        ("Node gpu-9: NodeHasDiskPressure: Node gpu-9 status is now: x", ("node", "gpu-9")),
        ('Event(v1.ObjectReference{Kind:"Pod", Namespace:"ml", Name:"w-0", UID:"1"}): type', ("pod", "w-0")),
        ("6m  Warning  TFJobFailed  tfjob/bert  TFJob bert has failed", None),
        ("Pod w-0 was deleted: it is gone", None),
        ("Evicted; Pod/w-0; kubelet,gpu-9; The node was low on resource", ("pod", "w-0")),
        ("Warning,Evicted,Pod/w-0,kubelet,The node was low on resource", ("pod", "w-0")),
        ('"NodeNotReady","node/gpu-9","Node gpu-9 status is now: x"', ("node", "gpu-9")),
        ("reading /data/pod/w-0 Warning", None),
    ],
)
def test_the_object_of_an_event(text: str, expected: tuple[str, str] | None) -> None:
    assert find_object(text) == expected


def test_a_host_that_is_no_part_of_the_message_is_the_writer_s() -> None:
    message = "Pod ml/w-0: Evicted: The node was low on resource"
    assert add_object({"host": "kubernetes"}, message)["host"] == "w-0"
    assert add_object({"host": "ml"}, message)["host"] == "w-0"
    assert add_object({"host": "w-0"}, message) == {"host": "w-0"}
    assert add_object({}, message) == {"host": "w-0", "object": "pod/w-0"}


TABLE = """$ kubectl get pods -A -o wide
NAMESPACE  NAME           READY  STATUS            RESTARTS        AGE   IP           NODE    NOMINATED NODE
ml         bert-worker-0  0/1    Error             0               16m   10.81.60.12  gpu-01  <none>
ml         bert-worker-1  0/1    CrashLoopBackOff  31 (2m9s ago)   16m   <none>       gpu-02  <none>
ml         pending-1      0/1    Pending           0               16m   <none>       <none>  <none>
"""


def test_a_table_of_pods_says_where_each_runs() -> None:
    places = {row.owner: row.value for row in read_pod_table(TABLE) if row.name == KUBERNETES_NODE}
    assert places == {"bert-worker-0": "gpu-01", "bert-worker-1": "gpu-02"}
    assert list(read_pod_table("epoch 3/4 Loss 0.3 1 1.2.3.4 x\n" * 3)) == []


def write_logs(folder: Path) -> None:
    for index in range(2):
        config = {"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": index}}
        text = f"TF_CONFIG={json.dumps(config)}\n" + "".join(f"step {step} loss 0.3\n" for step in range(20))
        (folder / f"bert-worker-{index}.log").write_text(text)


def test_an_event_of_a_machine_is_its_pod_s_and_no_file_s(tmp_path: Path) -> None:
    write_logs(tmp_path)
    event = "11m   Warning   OOMKilling   node/gpu-02   Memory cgroup out of memory: Killed process 20188 (python)\n"
    table = TABLE.replace("Pending", "Running")
    (tmp_path / "kubectl_paste.txt").write_text(table + "$ kubectl get events\n" + event)
    incident: dict[str, Any] = dict(analyze(tmp_path).data)
    nodes = {node["name"]: node["names"] for node in incident["nodes"]}
    assert set(nodes) == {"bert-worker-0", "bert-worker-1"}
    assert "gpu-02" in nodes["bert-worker-1"]
    assert incident["root_causes"][0]["node"] == "bert-worker-1"


EVENT = """- apiVersion: v1
  involvedObject:
    kind: Pod
    name: w-2
  kind: Event
  lastTimestamp: "2026-03-01T12:00:00Z"
  message: "0/9 nodes are available"
  reason: FailedScheduling
  type: Warning
"""
OTHER = "- apiVersion: v1\n  kind: Pod\n  metadata: {name: w-2}\n"
LINE = "2026-03-01T12:00:00Z stderr F Warning   FailedScheduling   pod/w-2   0/9 nodes are available"


@pytest.mark.parametrize("indent", ["", "  "])
@pytest.mark.parametrize("block", [7, 1000])
def test_events_as_yaml_are_lines_as_kubectl_prints_them(indent: str, block: int) -> None:
    items = "".join(f"{indent}{line}\n" for line in (EVENT + OTHER + EVENT).splitlines())
    text = f"apiVersion: v1\nitems:\n{items}kind: List\n"
    unwrapper = choose_unwrapper(text.encode())
    assert unwrapper is not None
    blocks = [unwrapper.feed(text[at : at + block].encode()) for at in range(0, len(text), block)]
    lines = (b"".join(blocks) + unwrapper.finish()).decode().split("\n")
    assert len(lines) == text.count("\n") + 1
    assert [number for number, line in enumerate(lines) if line == LINE] == [2, 14]
    assert [line for line in lines if line and line != LINE] == [
        "apiVersion: v1",
        "items:",
        *(indent + line for line in OTHER.splitlines()),
        "kind: List",
    ]


def test_a_broken_event_is_left_as_it_is() -> None:
    text = "items:\n" + EVENT + EVENT.replace("kind: Pod", "kind: [Pod")
    unwrapper = choose_unwrapper(text.encode())
    assert unwrapper is not None
    assert "kind: [Pod" in (unwrapper.feed(text.encode()) + unwrapper.finish()).decode()


def test_a_container_that_ended_has_a_time(tmp_path: Path) -> None:
    write_logs(tmp_path)
    state = {"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2026-11-21T05:11:00Z"}}
    pod = {
        "kind": "Pod",
        "metadata": {"name": "bert-worker-1"},
        "spec": {"nodeName": "gpu-02"},
        "status": {"containerStatuses": [{"state": state}]},
    }
    (tmp_path / "pods.json").write_text(json.dumps({"kind": "List", "items": [pod]}))
    ends = [event for event in analyze(tmp_path).incident.events if event.signal == "file.exit_of"]
    assert [(event.node, event.time) for event in ends] == [("bert-worker-1", 1795237860.0)]
