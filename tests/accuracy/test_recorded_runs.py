"""The recorded runs: all can be read, there are as many of each kind as the benchmark promises, and one can be made."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from accuracy.run_files import ROOT, RUNS, load_causes, load_run, load_runs
from accuracy.runs import Run

MOST_BYTES = 20 * 2**20


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    return load_runs(load_causes())


def test_there_are_as_many_as_promised(runs: list[Run]) -> None:
    healthy = [run for run in runs if run.truth.cause == "none"]
    assert len(runs) >= 200
    assert len({run.fault for run in runs} - {"none"}) >= 100
    assert len(healthy) >= 30
    assert len({run.program for run in runs}) >= 10
    assert len({run.tensorflow for run in runs}) >= 5
    assert {"3.10", "3.11", "3.12", "3.13"} <= {run.python for run in runs}


def test_they_are_small(runs: list[Run]) -> None:
    assert sum(path.stat().st_size for path in RUNS.rglob("*") if path.is_file()) <= MOST_BYTES


def test_some_are_long(runs: list[Run]) -> None:
    assert sum(len(run.lines) >= 10_000 for run in runs) >= 3


def test_each_name_is_a_kind_of_its_own(runs: list[Run]) -> None:
    """A host is called alike in all its logs, and pods are called like hosts: DNS labels."""
    for run in runs:
        assert all(host.name.replace("-", "").isalnum() and host.name.islower() for host in run.hosts), run.name


def test_silent_failures_end_with_status_0(runs: list[Run]) -> None:
    failed = [run for run in runs if run.truth.cause != "none"]
    causes = {run.truth.cause for run in failed if all(task.status == 0 for task in run.tasks)}
    assert {"numeric.nan", "numeric.divergence", "sync.straggler"} <= causes


def test_who_is_to_blame_ended_or_was_stopped_or_spoke(runs: list[Run]) -> None:
    """Each proof is by a process that was there."""
    for run in runs:
        for proof in run.truth.proofs:
            process = run.by_name[proof.process]
            if proof.by == "exit":
                assert process.signal is not None or process.status, (run.name, proof)
            if proof.by == "core":
                assert proof.process in run.cores, (run.name, proof)


@pytest.mark.tensorflow
@pytest.mark.skipif(os.geteuid() != 0, reason="namespaces and cgroups of one's own need root")
def test_a_run_is_recorded(tmp_path: Path) -> None:
    python = os.environ.get("TF_POSTMORTEM_PYTHON")
    if not python:
        pytest.skip("TF_POSTMORTEM_PYTHON names no Python with TensorFlow")
    name = "killed-ring-train-1"
    result = subprocess.run(
        [sys.executable, "-m", "accuracy.record", f"--python={python}", "--any-version", f"--into={tmp_path}", name],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'benchmarks'}:{ROOT}"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    made, kept = load_run(tmp_path / name, load_causes()), load_run(RUNS / name, load_causes())
    assert made.truth.cause == kept.truth.cause
    assert made.truth.culprits == kept.truth.culprits
    assert [host.name for host in made.hosts] == [host.name for host in kept.hosts]
