"""A signal that all nodes got is how somebody ended the job; one node's own signal is a cause."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer import analyze

CLUSTER = "{'worker': ['10.1.0.1:2222', '10.1.0.2:2222', '10.1.0.3:2222']}"
SIGTERM = "2026-03-01 10:00:{:02},000 WARNING trainer: caught signal 15 (SIGTERM), stopping"


def write(folder: Path, name: str, index: int, *lines: str) -> None:
    (folder / name).mkdir()
    head = (
        f"2026-03-01 10:00:01,000 INFO tensorflow: MultiWorkerMirroredStrategy with cluster_spec = {CLUSTER}, "
        f"task_type = 'worker', task_id = {index}, num_workers = 3"
    )
    (folder / name / "worker.log").write_text("\n".join([head, *lines]) + "\n")


def steps(wait: str, work: str) -> list[str]:
    return [
        f"2026-03-01 10:00:{2 * n:02},000 INFO train: step {n} loss 0.5 total 1.9s input {work} "
        f"compute 0.58s allreduce {wait}"
        for n in range(2, 20)
    ]


def test_who_never_waits_is_the_reason_why_all_were_stopped(tmp_path: Path) -> None:
    for index in range(3):
        slow = index == 1
        lines = steps("0.05s" if slow else "1.36s", "1.38s" if slow else "0.02s")
        write(tmp_path, f"n{index}", index, *lines, SIGTERM.format(50))
    [root, *_] = analyze(tmp_path).incident.root_causes
    assert (root.finding.cause, root.finding.node) == ("sync.straggler", "n1")


@pytest.mark.parametrize("part", ["1.38s", "0.02s"])
def test_a_part_that_all_need_alike_is_no_straggler(tmp_path: Path, part: str) -> None:
    for index in range(3):
        write(tmp_path, f"n{index}", index, *steps("0.05s", part))
    assert not any(finding.cause == "sync.straggler" for finding in analyze(tmp_path).incident.findings)


def test_all_stopped_at_once_is_hardly_an_answer(tmp_path: Path) -> None:
    for index in range(3):
        write(tmp_path, f"n{index}", index, *steps("0.5s", "0.5s"), SIGTERM.format(50))
    roots = analyze(tmp_path).incident.root_causes
    assert not roots or roots[0].confidence < 0.5


def test_steps_on_both_sides_of_a_complaint_in_a_merged_file_outlive_it(tmp_path: Path) -> None:
    lines = []
    for n in range(2, 30):
        lines += [f"(Worker pid={70 + rank}, ip=10.0.0.{rank}) step {n} loss 0.5" for rank in (1, 2)]
        if n == 9:
            lines.append(
                "(raylet, ip=10.0.0.2) [2026-03-01 10:00:09,000 E 402 402] (raylet) node_manager.cc:3084: "
                "1 Workers (tasks / actors) killed due to memory pressure (OOM), 0 Workers crashed due to other reasons"
            )
    trace = ["Traceback (most recent call last):", '  File "/app/labels.py", line 10, in look_up', "KeyError: 'gear'"]
    lines += [f"(Worker pid=72, ip=10.0.0.2) {line}" for line in trace]
    (tmp_path / "driver.log").write_text("\n".join(lines) + "\n")
    weighed = {hypothesis.finding.cause: hypothesis for hypothesis in analyze(tmp_path).incident.hypotheses}
    assert "survived" in {factor.name for factor in weighed["resource.host-oom-killed"].factors}
    assert "survived" not in {factor.name for factor in weighed["user.code-error"].factors}
