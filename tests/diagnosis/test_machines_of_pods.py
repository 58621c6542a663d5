"""Whose machine it is: folders of kubelets and of log servers, and hosts that are named for tasks."""

from __future__ import annotations

import pytest
from test_stories import analyze, begin

from analyzer.reading import ReadPlan
from analyzer.rules.types import Packs

XID = (
    "2026-01-02T03:04:05+0000 {} kernel: NVRM: Xid (PCI:0000:b1:00): 79, pid='<unknown>', GPU has fallen off the bus.\n"
)
POD = "{}/var/log/pods/ml_bert-worker-{}_3ceb3ffd-2b71-4c33-9d12-97b73ceb3ff{}/tf/0.log"


def test_a_pod_ran_on_the_machine_in_whose_folder_its_log_lies(packs: Packs, plan: ReadPlan) -> None:
    files = {f"oak{index}/journal.txt": XID.format(f"oak{index}") for index in range(2)}
    files |= {POD.format(f"oak{index}", index, index): begin(index) for index in range(2)}
    files["events.txt"] = "".join(f"2m  Normal  Pulled  pod/bert-worker-{index}  Pulled image\n" for index in range(2))
    nodes = analyze(files, packs, plan).nodes
    assert {node.name: node.tasks for node in nodes if node.present} == {"oak0": ("worker:0",), "oak1": ("worker:1",)}


def test_a_log_servers_folder_tells_the_address_of_its_machine(packs: Packs, plan: ReadPlan) -> None:
    line = "2026-01-02T03:04:05+0000 {} trainer[77]: INFO train: step 1 loss 0.5\n"
    files = {f"remote/10.1.0.{index}/messages": line.format(f"oak{index}") for index in range(3)}
    files["ping.txt"] = (
        "--- 10.1.0.2 ping statistics ---\n5 packets transmitted, 0 received, 100% packet loss, time 4082ms\n"
    )
    [root] = analyze(files, packs, plan).root_causes[:1]
    assert (root.finding.cause, root.finding.node) == ("network.unreachable-peer", "oak2")


@pytest.mark.parametrize("host", ["ps-0.bert.svc", "worker-4.bert.svc"])
def test_a_task_is_not_at_the_address_that_it_cannot_resolve(host: str, packs: Packs, plan: ReadPlan) -> None:
    started = "2026-01-02 03:04:00.000000: I tensorflow/x.cc:449] Started server with target: grpc://{}:2222\n"
    failed = (
        "2026-01-02 03:04:09.000000: E tensorflow/x.cc:1] UNAVAILABLE: DNS resolution failed for "
        f"{host}:2222: C-ares status is not ARES_SUCCESS\n"
        "Additional GRPC error information from remote target /job:worker/replica:0/task:4 while calling "
        "/tensorflow.eager.EagerService/CreateContext:\n"
    )
    names = {"oak0": "chief-0", "oak1": "ps-0", "oak2": "worker-4"}
    files = {f"{node}/a.log": started.format(f"{name}.bert.svc") for node, name in names.items()}
    files["oak0/a.log"] += failed
    nodes = analyze(files, packs, plan).nodes
    assert {node.name: node.tasks for node in nodes if "worker:4" in node.tasks} == {"oak2": ("worker:4",)}


def test_a_number_behind_a_time_is_no_machine(packs: Packs, plan: ReadPlan) -> None:
    lines = "".join(f"Jan 17 19:02:0{n} {141109 + n} [4A7FC640] 0x02 -> SUBNET UP\n" for n in range(9))
    nodes = analyze({"opensm.log": lines, "oak0/a.log": begin(0)}, packs, plan).nodes
    assert not any(node.name.isdecimal() for node in nodes)
