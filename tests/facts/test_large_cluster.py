"""The TF_CONFIG of ten thousand workers is one line of 300 KB: it is read, and as a fact."""

from __future__ import annotations

import json
from pathlib import Path

from analyzer.pipeline import analyze

WORKERS = [f"host-{number:05d}.pool.example:2222" for number in range(10_000)]
LOG = "2026-11-21 05:10:09,123 INFO root: step 1 loss 2.0\n"


def test_a_cluster_of_ten_thousand_is_read(tmp_path: Path) -> None:
    for name, index in (("n1", 17), ("n2", 18)):
        (tmp_path / name).mkdir()
        config = {"cluster": {"worker": WORKERS}, "task": {"type": "worker", "index": index}}
        (tmp_path / name / "tf_config.json").write_text(json.dumps(config))
        (tmp_path / name / "worker.log").write_text(LOG)
    incident = analyze([tmp_path])
    tasks = {node.name: node.tasks for node in incident.nodes}
    assert (tasks["n1"], tasks["n2"]) == (("worker:17",), ("worker:18",))
    assert tasks["host-09999.pool.example"] == ("worker:9999",)
    assert len(tasks) == len(WORKERS)


def test_a_long_line_in_a_file_that_is_named_like_a_table_of_exit_codes(tmp_path: Path) -> None:
    (tmp_path / "exit_codes.json").write_text("x" * 200_000)
    (tmp_path / "rc").write_text('"' + "x" * 140_000 + "\n")
    (tmp_path / "worker.log").write_text(LOG)
    assert len(analyze([tmp_path]).sources) == 3
