"""Counts say whether each line was matched (`exact`) or only sighted by the scanner, which errs upwards (`scanner`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from analyzer.pipeline import Options, diagnose, read_inputs
from analyzer.reading import build_plan
from analyzer.report.json import to_json
from analyzer.rules.load import load_packs

LINES = 5_000
PACK = """
pack: tides
signals:
  tide_turned:
    noise: true
    severity: info
    match: ['^tide \\d+ turned$']
  buoy_lost:
    severity: warning
    match: ['buoy \\d+ lost']
rules:
  - id: turned
    when: tide_turned
    role: context
  - id: lost
    when: buoy_lost
    role: symptom
"""
COUNTING_RULE = """
  - id: turned-often
    when: {count: tide_turned, at_least: 4001}
    role: context
"""


def counts_of(folder: Path, pack: str) -> dict[str, Any]:
    """What the incident says of a log in which 4,000 of 5,000 lines that look like it are the noise."""
    log, rules = folder / "in/node-1/worker.log", folder / "tides.yaml"
    log.parent.mkdir(parents=True)
    log.write_text(
        "".join(
            f"2026-03-01 10:{n // 60 % 60:02d}:{n % 60:02d} tide {n} turned{' back' if n % 5 == 4 else ''}\n"
            f"2026-03-01 10:{n // 60 % 60:02d}:{n % 60:02d} buoy {n} lost\n"
            for n in range(LINES)
        )
    )
    rules.write_text(pack)
    packs = load_packs([rules], builtin=False)
    data = to_json(diagnose(read_inputs([folder / "in"], build_plan(packs), Options()), packs))
    counted = [*data["noise"], *data["findings"]]
    return {row.get("signal") or row["rule"]: (row["count"], row["count_is"]) for row in counted}


@pytest.fixture(scope="module")
def counts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return counts_of(tmp_path_factory.mktemp("counts"), PACK)


def test_the_count_of_a_series_is_the_scanners_and_not_too_low(counts: dict[str, Any]) -> None:
    for name in ("tide_turned", "turned"):
        lines, basis = counts[name]
        assert basis == "scanner"
        assert 4_000 <= lines <= LINES


def test_other_counts_are_exact(counts: dict[str, Any]) -> None:
    assert counts["lost"] == (LINES, "exact")


def test_a_signal_whose_number_decides_a_rule_is_counted_exactly(tmp_path: Path) -> None:
    counts = counts_of(tmp_path, PACK + COUNTING_RULE)
    assert counts["tide_turned"] == (4_000, "exact")
    assert "turned-often" not in counts
