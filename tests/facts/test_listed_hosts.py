"""Tables of schedulers name machines in a column; files that are called for one of them are of that machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.facts.listed_hosts import HOST_CAPTURE, read_listed_hosts
from tests.fixture_incidents import analyze_files

NOMAD = """\
Allocations
ID        Node ID   Node Name  Task Group  Version  Desired  Status   Created
5e77d310  1c9f0aa2  alder      feeder      12       run      failed   1h1m ago
d00b81fa  e2377b90  birch      feeder      12       run      running  1h1m ago

Events of alder
"""
DOCKER = """\
ID             NAME           IMAGE            NODE       DESIRED STATE   CURRENT STATE
x1k2m3n4p5q6   train_wk.1     reg/train:9      alder      Running         Running 2 hours ago
y1k2m3n4p5q6    \\_ train_wk.1 reg/train:9     birch      Shutdown        Failed 2 hours ago
"""
RIGHT_ALIGNED = """\
   JOBID  STATE       HOST
     411    RUN      alder
     412   EXIT      birch
"""


CONSUL = """\
Node   Address            Status  Type    DC
alder  10.7.3.18:8301     alive   client  dc1
birch  10.7.3.44:8301     alive   client  dc1
"""
RAY = """\
    NODE_ID   NODE_IP    IS_HEAD_NODE    NODE_NAME    RESOURCES_TOTAL
 0  d4aad180  10.7.3.18  False           alder        CPU: 32.0, GPU: 2.0
 1  e1b227c7  10.7.3.44  True            birch        CPU: 32.0, GPU: 0.0
"""
PODS = """\
NAME    READY   STATUS   AGE   IP           NODE
w-0     0/1     Error    4h    10.244.1.3   alder
"""


def names_of(text: str) -> list[str]:
    return [event.captures[HOST_CAPTURE] for event in read_listed_hosts("status.txt", text)]


@pytest.mark.parametrize("text", [NOMAD, DOCKER, RIGHT_ALIGNED])
def test_the_column_of_machines_is_read(text: str) -> None:
    assert names_of(text) == ["alder", "birch"]


@pytest.mark.parametrize("text", [CONSUL, RAY])
def test_the_addresses_beside_the_names_are_the_machines(text: str) -> None:
    pairs = {(event.captures["host"], event.captures["inet"]) for event in read_listed_hosts("members.txt", text)}
    assert pairs == {("alder", "10.7.3.18"), ("birch", "10.7.3.44")}


def test_the_address_of_a_pod_is_not_its_machines() -> None:
    assert [dict(event.captures) for event in read_listed_hosts("pods.txt", PODS)] == [{HOST_CAPTURE: "alder"}]


def test_a_row_out_of_line_ends_the_table() -> None:
    assert names_of(NOMAD.replace("birch ", "  birch")) == ["alder"]


@pytest.mark.parametrize(
    "text", ["NAME  STATE  AGE\nalder  up  4d\n", "NODE\nalder\n", "started on  NODE\nthen  alder\n", ""]
)
def test_what_has_no_column_of_machines_lists_none(text: str) -> None:
    assert names_of(text) == []


def test_a_file_called_for_a_machine_and_a_role_is_of_the_machine(tmp_path: Path) -> None:
    banner = "2026-03-02 10:00:00.000100: I tensorflow/core/platform/cpu_feature_guard.cc:182] This TensorFlow binary\n"
    step = "2026-03-02 10:00:05.000100: I train.py:7] step 10 loss 0.5\n"
    files = {"logs/alder_feeder.log": banner, "logs/birch_learner.log": banner + step, "logs/alder_learner.log": banner}
    assert "alder" not in {node.name for node in analyze_files(tmp_path / "bare", files).nodes}
    named = {node.name for node in analyze_files(tmp_path / "listed", {**files, "status.txt": NOMAD}).nodes}
    assert {"alder", "birch"} <= named
    assert not any("_" in name for name in named)
