"""Each collector hands over every line unchanged, but for what its format's escaping says, and a loss is noticed."""

from __future__ import annotations

import dataclasses
import random

import pytest
from accuracy.collectors import Collector, Files, find_losses, load_collectors
from accuracy.identities import Identities
from accuracy.runs import RUNS, Run, load_causes, load_run

from tests.accuracy.tiny import tiny_run

COLLECTORS = load_collectors()
RECORDED = sorted(path.parent for path in RUNS.glob("*/run.yaml"))
SAMPLE = RECORDED[:: max(1, len(RECORDED) // 3)][:3]


def render(collector: Collector, run: Run) -> Files:
    return collector.render(run, Identities(run), random.Random(run.name))


@pytest.mark.parametrize("name", COLLECTORS)
def test_a_small_run_is_handed_over_whole(name: str) -> None:
    assert find_losses(COLLECTORS[name], tiny_run(), render(COLLECTORS[name], tiny_run())) == []


@pytest.mark.parametrize("name", COLLECTORS)
def test_a_restarted_run_is_handed_over_whole(name: str) -> None:
    run = restarted_run()
    assert find_losses(COLLECTORS[name], run, render(COLLECTORS[name], run)) == []


@pytest.mark.parametrize("name", COLLECTORS)
@pytest.mark.parametrize("folder", SAMPLE, ids=lambda folder: folder.name)
def test_a_recorded_run_is_handed_over_whole(folder, name: str) -> None:  # type: ignore[no-untyped-def]
    run = load_run(folder, load_causes())
    assert find_losses(COLLECTORS[name], run, render(COLLECTORS[name], run)) == []


@pytest.mark.parametrize("name", COLLECTORS)
def test_the_same_bundle_is_rendered_each_time(name: str) -> None:
    assert render(COLLECTORS[name], tiny_run()) == render(COLLECTORS[name], tiny_run())


@pytest.mark.parametrize("name", COLLECTORS)
def test_a_line_that_is_dropped_is_noticed(name: str) -> None:
    run = tiny_run()
    dropped = next(line for line in run.lines if b"UnavailableError" in line.text)
    without = run.replace(lines=tuple(line for line in run.lines if line != dropped))
    assert find_losses(COLLECTORS[name], run, render(COLLECTORS[name], without))


@pytest.mark.parametrize("name", COLLECTORS)
def test_a_line_that_is_altered_is_noticed(name: str) -> None:
    run = tiny_run()
    altered = tuple(line._replace(text=line.text.replace(b"by peer", b"by  peer")) for line in run.lines)
    assert find_losses(COLLECTORS[name], run, render(COLLECTORS[name], run.replace(lines=altered)))


def restarted_run() -> Run:
    """Worker 1 comes back after its first attempt, says a very long line and still runs."""
    run = tiny_run()
    late = run.lines[-1].time_ns
    again = dataclasses.replace(
        run.by_name["worker-1"],
        name="worker-1.2",
        pid=212,
        attempt=2,
        started_ns=late,
        ended_ns=None,
        signal=None,
        environment={"TF_CONFIG": '{"task": {"type": "worker", "index": 1}}'},
    )
    long = run.lines[1]._replace(process="worker-1.2", text=b"weights " + b"0123456789" * 4000)
    lines = [long._replace(time_ns=late + 1), long._replace(time_ns=late + 2, text=b"step 1 loss 2.5")]
    return run.replace(processes=(*run.processes, again), lines=(*run.lines, *lines))
