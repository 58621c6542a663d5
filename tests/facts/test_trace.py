"""The log says from which line or name a node got its identity."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from analyzer.api import analyze


def test_the_log_names_the_file_and_line_of_each_claim(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cluster = {"worker": ["gpu1:2222", "gpu2:2222"]}
    for number in (1, 2):
        folder = tmp_path / "bundle" / f"gpu{number}"
        folder.mkdir(parents=True)
        (folder / "worker.log").write_text(f"2026-11-21 02:00:0{number} INFO train: step 1 loss 0.5\n")
    config = {"cluster": cluster, "task": {"type": "worker", "index": 0}}
    (tmp_path / "bundle" / "gpu1" / "tf_config.json").write_text(json.dumps(config))
    with caplog.at_level(logging.DEBUG, "analyzer.facts"):
        analyze(tmp_path / "bundle")
    messages = [record.getMessage() for record in caplog.records if record.name == "analyzer.facts"]
    assert any(message.startswith("gpu1/tf_config.json:1 states ") for message in messages)
    assert "gpu2/worker.log: node gpu2, by its path" in messages
    assert "Task worker:1 is assigned to node gpu2: the cluster spec gives it the address gpu2:2222" in messages
    assert "2 nodes with files, 0 that are only mentioned" in messages
