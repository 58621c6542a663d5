"""A report grows with what is known and not with how often it was said."""

from __future__ import annotations

from pathlib import Path

from analyzer.pipeline import analyze
from analyzer.report.html import render_html
from analyzer.report.json import write_incident

ERROR = "2026-03-04 02:00:{:09.6f}: E tensorflow/core/device/driver.cc:88] device 3 reports odd state 17\n"


def report_of(folder: Path, lines: int) -> str:
    folder.mkdir()
    (folder / "worker.log").write_text("".join(ERROR.format(10 + 40 * number / lines) for number in range(lines)))
    return render_html(write_incident(analyze([folder])))


def test_many_equal_errors_make_no_larger_report_and_are_counted_exactly(tmp_path: Path) -> None:
    few, many = report_of(tmp_path / "few", 2_000), report_of(tmp_path / "many", 40_000)
    assert len(many) < 1.1 * len(few) < 500_000
    assert "40,000\N{MULTIPLICATION SIGN}" in many and "2,000\N{MULTIPLICATION SIGN}" in few
