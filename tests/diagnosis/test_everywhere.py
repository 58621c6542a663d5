"""What all nodes show alike is nobody's, whoever is missed first; who is missed is quoted; steps in seconds."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer import analyze
from analyzer.facts.cluster_spec import read_tasks

CLUSTER = "{'worker': ['10.1.0.1:2222', '10.1.0.2:2222', '10.1.0.3:2222']}"
NAN = "FloatingPointError: loss is nan at step 9"
LOST = (
    "E0000 00:00:{time}.500000 77 ring_alg.cc:291] Aborting RingReduce with UNAVAILABLE: failed to connect to all "
    "addresses; last error: UNKNOWN: ipv4:10.1.0.1:2222: Failed to connect to remote host: Connection refused"
)


def write(folder: Path, index: int, *lines: str) -> None:
    node = folder / f"n{index}"
    node.mkdir()
    head = [
        f"2026-03-01 10:00:01,000 INFO tensorflow: MultiWorkerMirroredStrategy with cluster_spec = {CLUSTER}, "
        f"task_type = 'worker', task_id = {index}, num_workers = 3",
        *(f"2026-03-01 10:00:0{step},000 INFO train: step {step} loss 0.5" for step in range(2, 9)),
    ]
    (node / "worker.log").write_text("\n".join([*head, *lines]) + "\n")


def test_a_fault_of_all_programs_is_nobody_s(tmp_path: Path) -> None:
    stack = ("Traceback (most recent call last):", '  File "/app/train.py", line 10, in <module>', NAN)
    for index in range(3):
        write(tmp_path, index, *stack, *([LOST.format(time=1772359212)] if index else []))
    [root, *_] = analyze(tmp_path).incident.root_causes
    assert (root.finding.cause, root.finding.node) == ("numeric.nan", None)


def test_who_missed_the_culprit_is_quoted(tmp_path: Path) -> None:
    write(tmp_path, 0, "2026-03-01 10:00:09,500 ERROR train: OSError: [Errno 24] Too many open files: '/data/a'")
    for index in (1, 2):
        write(tmp_path, index, LOST.format(time=1772359212))
    [root, *_] = analyze(tmp_path).incident.root_causes
    assert (root.finding.cause, root.finding.node) == ("resource.fd-limit", "n0")
    assert [event.node for event in root.finding.evidence] == ["n0", "n1", "n2"]


@pytest.mark.parametrize(
    "form", ["({:.3f} s)", "{:.3f}s/step", "{:.2f} sec/batch", "took {:.3f}s", "step_time: {:.2f} s"]
)
def test_who_never_waits_is_slow_also_where_steps_are_told_in_seconds(tmp_path: Path, form: str) -> None:
    for index, span in enumerate((1.31, 0.02, 1.32)):
        steps = [
            f"2026-03-01 10:01:{2 * n:02},000 INFO train: step {n} loss 0.5 {form.format(span)}" for n in range(10, 20)
        ]
        write(tmp_path, index, *steps)
    [root, *_] = analyze(tmp_path).incident.root_causes
    assert (root.finding.cause, root.finding.node) == ("sync.straggler", "n1")


def test_containers_are_also_called_by_the_whole_names_of_their_files(tmp_path: Path) -> None:
    for name, index in (("a", 0), ("b", 1), ("c", 2)):
        write(tmp_path, index, *([] if name == "b" else [LOST.format(time=1772359212).replace("10.1.0.1", "10.1.0.2")]))
        (tmp_path / f"n{index}" / "worker.log").rename(tmp_path / f"tf_{name}_1.log")
        (tmp_path / f"n{index}").rmdir()
    rows = [
        f'7be9a000000{n}   tf:2.21   "python t.py"   2 minutes ago   {{}}   tf_{name}_1' for n, name in enumerate("abc")
    ]
    ends = ("Exited (1) 58 seconds ago", "Exited (137) 1 minute ago", "Exited (1) 59 seconds ago")
    table = [
        "CONTAINER ID   IMAGE   COMMAND   CREATED   STATUS   NAMES",
        *(r.format(e) for r, e in zip(rows, ends, strict=True)),
    ]
    (tmp_path / "docker_ps_a.txt").write_text("\n".join(table) + "\n")
    incident = analyze(tmp_path).incident
    assert [node.name for node in incident.nodes] == ["a_1", "b_1", "c_1"]
    assert incident.root_causes[0].finding.node == "b_1"


def test_a_rank_in_brackets_is_one_also_before_a_traceback(tmp_path: Path) -> None:
    step_lines = [f"2026-03-01 10:00:0{step},000 INFO train: step {step} loss 0.5" for step in range(2, 9)]
    lines = [f"[{rank}] {line}" for line in step_lines for rank in (0, 1)]
    stack = [
        "Traceback (most recent call last):",
        '  File "/app/train.py", line 10, in f',
        "ZeroDivisionError: division by zero",
    ]
    (tmp_path / "job.o88").write_text("\n".join([*lines, *(f"[1] {line}" for line in stack)]) + "\n")
    [root, *_] = analyze(tmp_path).incident.root_causes
    assert (root.finding.cause, root.finding.node) == ("user.code-error", "rank 1")


def test_a_checkpoint_s_number_is_no_task() -> None:
    block = ["/job:worker/replica:0/task:2", "INFO restoring /ckpt/worker1/ckpt-1"]
    assert list(read_tasks("/job:worker/task:1", block)) == ["worker:1", "worker:2"]
    assert list(read_tasks(None, ["[7/fit/811 (pid 3)] /job:ps/replica:0/task:0"])) == ["ps:0"]
