"""A source beside logs is no log: what its messages say did not happen, but what it sets holds."""

from __future__ import annotations

from pathlib import Path

from analyzer.incident import Incident
from analyzer.pipeline import analyze

FULL = "2026-03-01 10:00:07,123 ERROR training failed\nOSError: [Errno 28] No space left on device: '/ckpt/model'\n"
SCRIPT = """#!/bin/bash
export TF_CONFIG='{"cluster": {"worker": ["10.1.0.1:2222", "10.1.0.2:2222"]}, "task": {"type": "worker", "index": 1}}'
export NCCL_DEBUG=INFO
python train.py || echo "Killed by signal 9: out of memory"
"""
PROGRAM = f'''"""Train.

{FULL}"""

import tensorflow as tf

raise RuntimeError("Killed process 4242 (python3) total-vm:9kB, anon-rss:8kB")
'''
TABLE = "# What codes mean.\n137: {means: 'Killed process 4242 (python3)'}\n28: {means: 'No space left on device'}\n"


def read(folder: Path, **files: str) -> Incident:
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return analyze([folder])


def test_messages_of_a_source_did_not_happen(tmp_path: Path) -> None:
    incident = read(tmp_path, train__py=PROGRAM, main__cc=f"#include <x>\n// {FULL}", codes__yaml=TABLE)
    assert not incident.findings and not incident.unclassified
    assert {source.status for source in incident.sources} == {"not-understood"}
    assert all(source.problem for source in incident.sources)


def test_a_script_beside_a_log_states_its_settings(tmp_path: Path) -> None:
    incident = read(tmp_path, run__sh=SCRIPT, worker__log=FULL)
    assert {finding.evidence[0].locus.file for finding in incident.findings} == {"worker.log"}
    by_file = {source.file: source for source in incident.sources}
    assert by_file["run.sh"].status == by_file["worker.log"].status == "read"
    assert any("10.1.0.2" in str(node.addresses) for node in incident.nodes)


def test_a_log_may_have_any_name(tmp_path: Path) -> None:
    for name in ("train__py__log", "train__py", "run__sh", "events__yaml"):
        folder = tmp_path / name
        folder.mkdir()
        assert read(folder, **{name: FULL}).findings, name
