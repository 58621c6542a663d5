"""Each collector hands over every line unchanged, but for what its format's escaping says, and a loss is noticed."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path

import pytest
from accuracy.collectors import Collector, Files, find_losses, load_collectors
from accuracy.identities import Identities
from accuracy.run_files import RUNS, load_causes, load_run
from accuracy.runs import Host, Process, ReceivedLine, Run

from tests.accuracy.tiny import SECOND, START, tiny_run

COLLECTORS = load_collectors()
RECORDED = sorted(RUNS.glob("*/lines.zst"), key=lambda path: path.stat().st_size)
SAMPLE = [RECORDED[len(RECORDED) * part // 4].parent for part in (1, 2, 3)]  # none of the few that have 30,000 lines


def render(collector: Collector, run: Run) -> Files:
    return collector.render(run, Identities(run), random.Random(run.name))


@pytest.mark.parametrize("name", COLLECTORS)
def test_a_small_run_is_handed_over_whole(name: str) -> None:
    assert find_losses(COLLECTORS[name], tiny_run(), render(COLLECTORS[name], tiny_run())) == []


@pytest.mark.parametrize("name", COLLECTORS)
@pytest.mark.parametrize("kind", ["restarted", "crowded"])
def test_an_unusual_run_is_handed_over_whole(kind: str, name: str) -> None:
    run = {"restarted": restarted_run, "crowded": crowded_run}[kind]()
    assert find_losses(COLLECTORS[name], run, render(COLLECTORS[name], run)) == []


@pytest.mark.parametrize("name", COLLECTORS)
@pytest.mark.parametrize("folder", SAMPLE, ids=lambda folder: folder.name)
def test_a_recorded_run_is_handed_over_whole(folder: Path, name: str) -> None:
    run = load_run(folder, load_causes())
    assert find_losses(COLLECTORS[name], run, render(COLLECTORS[name], run)) == []


@pytest.mark.parametrize("name", COLLECTORS)
@pytest.mark.parametrize("left", [("worker-1",), ("worker-0", "launcher", "kernel@gpu-b")], ids=str)
def test_what_is_left_of_a_run_is_handed_over_whole(left: tuple[str, ...], name: str) -> None:
    run = tiny_run()
    processes = tuple(process for process in run.processes if process.name in left)
    run = run.replace(processes=processes, lines=tuple(line for line in run.lines if line.process in left))
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


def crowded_run() -> Run:
    """Two tasks on each of two hosts, one of them in its third attempt; one task that says nothing; no launcher."""
    run = tiny_run()
    tasks = [("gpu-a", "chief:0", 1), ("gpu-a", "ps:0", 1), ("gpu-b", "worker:0", 1), ("gpu-b", "worker:1", 1)]
    tasks += [("gpu-b", "worker:1", 2), ("gpu-b", "worker:1", 3), ("gpu-c", "evaluator:0", 1)]
    processes = [
        Process(f"{task.replace(':', '-')}.{attempt}", "task", host, 200 + at, task, attempt, *_minute(attempt), 0)
        for at, (host, task, attempt) in enumerate(tasks)
    ]
    processes[-1] = dataclasses.replace(processes[-1], ended_ns=None, status=None)
    processes += [Process("kernel@gpu-b", "kernel", "gpu-b"), Process("sshd", "system", "gpu-b", 77)]
    texts = [b"step 1", "학습 ".encode() * 9000, b"\ttab first", b"  spaces around  ", b"<6>with a priority"]
    lines = [
        ReceivedLine(process.started_ns + 10**8 * number, process.name, "out" if number % 2 else "err", text)
        for process in processes[:6]
        for number, text in enumerate(texts)
    ]
    lines.sort(key=lambda line: line.time_ns)
    late = lines[-1].time_ns + 10**9
    lines.append(ReceivedLine(late, "kernel@gpu-b", "out", b"Out of memory: Killed process 203 (python3) total-vm:1kB"))
    lines.append(ReceivedLine(late, "sshd", "err", b"Connection closed by 10.77.0.1 port 40022"))
    hosts = (*run.hosts, Host("gpu-c", "10.77.0.13", "Europe/Berlin"))
    return run.replace(hosts=hosts, processes=tuple(processes), lines=tuple(lines))


def _minute(attempt: int) -> tuple[int, int]:
    """Start and end, one attempt after another."""
    started = START + (attempt - 1) * 60 * SECOND
    return started, started + 59 * SECOND
