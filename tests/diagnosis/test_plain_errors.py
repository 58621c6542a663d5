"""Error lines of programs that nobody has described, in the forms that Python's logging prints; and what is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer import analyze

LOUD = [
    "2026-03-01 10:00:08,123 ERROR the gizmo fell over",  # "%(asctime)s %(levelname)s %(message)s"
    "2026-03-01 10:00:08,123 ERROR 訓練が失敗しました",
    "2026-03-01 10:00:08,123 CRITICAL données perdues",
    "2026-03-01T10:00:08.123Z FATAL the gizmo fell over",
    "[2026-03-01 10:00:08] ERROR the gizmo fell over",
    "2026-03-01 10:00:08,123 - train - ERROR - the gizmo fell over",
    "ERROR:root:the gizmo fell over",  # logging without any configuration
    "ERROR the gizmo fell over",
]
CALM = [
    "2026-03-01 10:00:08,123 INFO no ERROR was found",
    "2026-03-01 10:00:08,123 WARNING the gizmo is slow",
    "2026-03-01 10:00:08,123 INFO phase 3 ERROR_RATE 0.5",
]


@pytest.mark.parametrize("line", LOUD)
def test_an_error_that_no_rule_explains_is_told(tmp_path: Path, line: str) -> None:
    log = tmp_path / "worker-0.log"
    log.write_text(f"2026-03-01 10:00:07,123 INFO hello\n{line}\n", "utf-8")
    result = analyze(log)
    assert result.verdict == "undiagnosed"
    assert [template.count for template in result.incident.unclassified] == [1]


@pytest.mark.parametrize("line", CALM)
def test_calm_lines_are_none(tmp_path: Path, line: str) -> None:
    log = tmp_path / "worker-0.log"
    log.write_text(
        f"2026-03-01 10:00:07,123 INFO hello\n{line}\n2026-03-01 10:00:09,123 INFO training finished\n", "utf-8"
    )
    result = analyze(log)
    assert (result.verdict, result.incident.unclassified) == ("no-failure", ())


def test_calm_lines_alone_do_not_show_that_a_job_ended_well(tmp_path: Path) -> None:
    log = tmp_path / "worker-0.log"
    log.write_text(
        "2026-03-01 10:00:07,123 INFO hello\n2026-03-01 10:00:08,123 INFO reading the configuration\n", "utf-8"
    )
    result = analyze(log)
    assert (result.verdict, result.incident.unclassified) == ("undiagnosed", ())


def test_what_nobody_can_read_says_nothing_of_the_job(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello world\n")
    assert analyze(tmp_path).verdict == "undiagnosed"
