"""An exception that Python reports and does not raise ends nothing: it is context, wherever it stands."""

from __future__ import annotations

import pytest
from test_stories import analyze, begin

from analyzer.model import Role
from analyzer.reading import ReadPlan
from analyzer.rules.types import Packs

TRACEBACK = """Traceback (most recent call last):
  File "/srv/lib/pool.py", line 33, in close
    self.pipe.send(None)
OSError: [Errno 9] Bad file descriptor
"""
REPORTS = [
    "Exception ignored in: <function Pool.__del__ at 0x7f12>",
    "--- Logging error ---",
    "Exception ignored while calling deallocator <function Pool.__del__ at 0x7f12>:",
    "Task exception was never retrieved\nfuture: <Task finished exception=OSError(9)>",
    "Error in atexit._run_exitfuncs:",
]


@pytest.mark.parametrize("report", REPORTS)
def test_what_python_ignores_is_context(report: str, packs: Packs, plan: ReadPlan) -> None:
    last_line = "2026-01-02 03:04:09,000 INFO train: training finished\n"
    files = {f"n-{index}/worker.log": begin(index) + last_line + f"{report}\n{TRACEBACK}" for index in range(3)}
    incident = analyze(files, packs, plan)
    assert incident.verdict == "no-failure"
    assert not [finding for finding in incident.findings if finding.role is Role.CAUSE]


def test_the_same_traceback_alone_is_an_error(packs: Packs, plan: ReadPlan) -> None:
    files = {f"n-{index}/worker.log": begin(index) + (TRACEBACK if index == 1 else "") for index in range(3)}
    incident = analyze(files, packs, plan)
    assert incident.root_causes[0].finding.node == "n-1"
