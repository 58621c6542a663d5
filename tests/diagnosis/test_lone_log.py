"""A log that names no machine, and is all that there is: no other place can be to blame."""

from __future__ import annotations

from pathlib import Path

from analyzer import analyze

STALLED = (
    "rank 3 it 70 loss 0.911\n"
    "WARNING: One or more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks and are "
    "waiting for remainder of ranks for more than 60 seconds.\n"
    "Stalled ops:\n"
    "Adam_Allreduce/HorovodAllreduce_gradients_head_0 [ready ranks: 0, 2, 3]\n"
)
OTHER = "2026-03-01 10:00:07,123 INFO host=gpu-7 task=worker/0 step 70 loss 0.9\n"


def test_a_lone_log_is_judged_by_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "4711.log").write_text(STALLED, "utf-8")
    assert [root.finding.cause for root in analyze(tmp_path).root_causes] == ["collective.timeout"]


def test_beside_named_machines_its_place_is_missing(tmp_path: Path) -> None:
    (tmp_path / "4711.log").write_text(STALLED, "utf-8")
    (tmp_path / "gpu-7").mkdir()
    (tmp_path / "gpu-7" / "worker.log").write_text(OTHER, "utf-8")
    assert not analyze(tmp_path).root_causes
