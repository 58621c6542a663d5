"""A task that became slow shortly before somebody stopped the job is still the straggler."""

from __future__ import annotations

import io
import re

import pytest

from analyzer.pipeline import IngestResult, diagnose
from analyzer.reading import ReadPlan, read_source
from analyzer.rules.types import Packs

STEPS = 200
STOPPED = 'Traceback (most recent call last):\n  File "/srv/fit.py", line 9, in <module>\nKeyboardInterrupt\n'
LOST = (
    "2026-02-01 03:40:00.100000: W tensorflow/core/framework/local_rendezvous.cc:404] Local rendezvous is aborting "
    "with status: UNAVAILABLE: Collective ops is aborted by: Socket closed\n"
    "Additional GRPC error information from remote target /job:worker/replica:0/task:0:\n"
)


def log_of(rank: int, slow_steps: int, wait: str) -> str:
    """Return the log of a task; task 1 needs long for its data in the last `slow_steps`, and task 0 waits."""
    spec = "{'worker': ['oak:2222', 'elm:2222']}"
    text = f"2026-02-01 03:00:00,000 INFO tensorflow: MultiWorkerMirroredStrategy with cluster_spec = {spec}, "
    text += f"task_type = 'worker', task_id = {rank}, num_workers = 2\n"
    for step in range(STEPS):
        is_slow = step >= STEPS - slow_steps
        load, waits = (90, 15) if rank and is_slow else (2, 100) if is_slow else (2, 20)
        time = f"2026-02-01 03:{step // 60 + 1:02}:{step % 60:02},000"
        text += f"{time} INFO fit: step {step} loss 0.5 load {load} ms {wait} {waits} ms\n"
    return text + (LOST if rank else STOPPED)


@pytest.mark.parametrize("wait", ["allreduce", "wait.allreduce"])
@pytest.mark.parametrize("slow_steps", [150, 30, 15])
def test_the_straggler_outranks_the_hand_that_stopped_the_job(
    slow_steps: int, wait: str, packs: Packs, plan: ReadPlan
) -> None:
    intake = IngestResult()
    for rank, host in enumerate(("oak", "elm")):
        text = log_of(rank, slow_steps, wait)
        intake.results.append(read_source(f"{host}/fit.log", io.BytesIO(text.encode()), plan))
    root = diagnose(intake, packs).root_causes[0].finding
    assert (root.cause, root.node) == ("sync.straggler", "elm")


def test_times_may_have_no_unit(packs: Packs, plan: ReadPlan) -> None:
    intake = IngestResult()
    for rank, host in enumerate(("oak", "elm")):
        text = log_of(rank, 150, "allreduce").replace("load", "t_load").replace("allreduce", "t_reduce")
        text = re.sub(r"(t_\w+) (\d+) ms", lambda match: f"{match[1]}={int(match[2]) / 1000}", text)
        intake.results.append(read_source(f"{host}/fit.log", io.BytesIO(text.encode()), plan))
    root = diagnose(intake, packs).root_causes[0].finding
    assert (root.cause, root.node) == ("sync.straggler", "elm")


@pytest.mark.parametrize("word", ["step", "étape", "korak"])
def test_the_others_wait_in_what_no_line_states(word: str, packs: Packs, plan: ReadPlan) -> None:
    intake = IngestResult()
    spec = "{'worker': ['oak:2222', 'elm:2222', 'ash:2222']}"
    for rank, host in enumerate(("oak", "elm", "ash")):
        text = f"2026-02-01 03:00:00,000 INFO tensorflow: MultiWorkerMirroredStrategy with cluster_spec = {spec}, "
        text += f"task_type = 'worker', task_id = {rank}, num_workers = 3\n"
        for step in range(STEPS):
            load = 0.121 if rank == 1 else 0.003
            time = f"2026-02-01 03:{step // 30 + 1:02}:{step % 30 * 2:02},{rank:03}"
            text += f"{time} INFO fit: {word}={step * 10} mse=0.{step + 100} load={load}s math=0.05{rank}s\n"
        intake.results.append(read_source(f"{host}/fit.log", io.BytesIO(text.encode()), plan))
    root = diagnose(intake, packs).root_causes[0].finding
    assert (root.cause, root.node) == ("sync.straggler", "elm")
