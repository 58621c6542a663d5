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


def names_of(text: str) -> list[str]:
    return [event.captures[HOST_CAPTURE] for event in read_listed_hosts("status.txt", text)]


@pytest.mark.parametrize("text", [NOMAD, DOCKER, RIGHT_ALIGNED])
def test_the_column_of_machines_is_read(text: str) -> None:
    assert names_of(text) == ["alder", "birch"]


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
