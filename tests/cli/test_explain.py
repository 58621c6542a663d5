"""`explain` shows how the answer was weighed, and why another cause is not the answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import call_for_text

LOST = (
    "2026-03-01 10:02:00.000000: E tensorflow/core/common_runtime/base_collective_executor.cc:249] "
    "BaseCollectiveExecutor::StartAbort UNAVAILABLE: Socket closed\n"
    "Additional GRPC error information from remote target /job:worker/replica:0/task:1:\n"
)
KILLED = (
    "Mar  1 10:01:59 gx7 kernel: Memory cgroup out of memory: Killed process 4711 (python) total-vm:9kB, anon-rss:8kB\n"
)


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    steps = "".join(f"2026-03-01 10:01:{second} INFO step {second} loss 0.5\n" for second in range(10, 50))
    for name, text in {"gx6/train.log": steps + LOST, "gx7/train.log": steps, "gx7/kern.log": KILLED}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_each_hypothesis_has_its_factors_with_their_weights(bundle: Path) -> None:
    out = call_for_text("explain", bundle).stdout
    assert out.startswith("resource.host-oom-killed on gx7: probability 0.")
    assert "\n  for\n    +" in out
    assert "\n  explains 1 of 1 hard fact\n" in out or "\n  explains 0 of 1 hard fact" in out
    assert "margin to the next, " in out
    assert "\nnone of these: probability " in out


def test_a_report_says_the_same_as_its_bundle(bundle: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    assert call_for_text("analyze", bundle, "--json", report, "--quiet").returncode == 0
    assert call_for_text("explain", report).stdout == call_for_text("explain", bundle).stdout


def test_why_another_cause_is_not_the_answer(bundle: Path) -> None:
    assert (
        "No rule found hardware.gpu-xid on gx7"
        in call_for_text("explain", bundle, "--cause", "hardware.gpu-xid", "--node", "gx7").stdout
    )
    assert (
        "It is the most probable hypothesis."
        in call_for_text("explain", bundle, "--cause", "resource.host-oom-killed").stdout
    )
    assert call_for_text("explain", bundle, "--node", "gx7").returncode == 2
