"""The fit of the weights of judgement: it finds the weights behind data, keeps the signs, its table survives a trip."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from accuracy.drop_factors import DOCUMENT, replace_table
from accuracy.factor_weights import FITTED, JUDGED, WeightEntry, read_entries, write_entries
from accuracy.fit import Candidates, fit, fit_file, names_of, read_table, write_table

from analyzer.diagnosis.ranking import WEIGHTS_FILE

TRUE_WEIGHTS = {"rule": 1.5, "explained": -2.0, "none": 0.5, "accused": 2.0}


def draw_table(cases: int, weights: dict[str, float]) -> list[Candidates]:
    chance = np.random.default_rng(7)
    table = []
    for _ in range(cases):
        rows = [{"none": 1.0}]
        for _ in range(3):
            row = {"rule": float(chance.normal()), "accused": float(chance.random())}
            rows.append(row | ({"explained": 1.0} if chance.random() < 0.3 else {}))
        odds = np.exp([sum(weights[name] * value for name, value in row.items()) for row in rows])
        table.append(Candidates("develop", rows, frozenset([int(chance.choice(len(rows), p=odds / odds.sum()))])))
    return table


def test_the_fit_finds_the_weights_behind_the_data() -> None:
    table = draw_table(800, TRUE_WEIGHTS)
    result = fit(table, names_of(table))
    for name, weight, half_width in zip(result.names, result.weights, result.half_widths, strict=True):
        assert weight == pytest.approx(TRUE_WEIGHTS[name], abs=1.5 * half_width)
        assert half_width < 0.6


def test_no_weight_gets_another_sign_than_its_meaning_has() -> None:
    table = draw_table(300, TRUE_WEIGHTS | {"explained": 1.0})
    result = fit(table, names_of(table))
    assert result.weights[list(result.names).index("explained")] == 0.0


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    table = [Candidates("corpus", [{"none": 1.0}, {"rule": -0.5, "accused": 0.25}], frozenset((1,)))]
    write_table(table, tmp_path / "t.gz")
    assert read_table(tmp_path / "t.gz") == table


JUDGED_ENTRIES = {
    "accused": WeightEntry(weight=-2.5, n=7, source=JUDGED, why="it must outweigh the rule: more than 1.66 ± 1.19"),
    "served": WeightEntry(weight=-1.5, source=JUDGED),
}


def test_judged_weights_stay_and_the_others_are_fitted_around_them(tmp_path: Path) -> None:
    table, path = draw_table(300, TRUE_WEIGHTS), tmp_path / "factors.yaml"
    write_entries({**JUDGED_ENTRIES, "gone": WeightEntry(weight=1.0, half_width=0.1, n=3)}, path)
    fit_file(table, path)
    entries = read_entries(path)
    assert list(entries) == ["accused", "explained", "none", "rule", "served"]
    assert entries["served"] == JUDGED_ENTRIES["served"]
    assert (entries["accused"].weight, entries["accused"].source) == (-2.5, JUDGED)
    assert (entries["accused"].n, entries["accused"].why) == (300, JUDGED_ENTRIES["accused"].why)
    around_nothing = fit(table, ["explained", "none", "rule"])
    assert entries["none"].weight != pytest.approx(around_nothing.weights[1], abs=0.1)


def test_judged_weights_are_fitted_if_asked_where_the_table_has_their_factor(tmp_path: Path) -> None:
    table, path = draw_table(300, TRUE_WEIGHTS), tmp_path / "factors.yaml"
    write_entries({**JUDGED_ENTRIES, "accused": WeightEntry(weight=1.0, source=JUDGED)}, path)
    fit_file(table, path, refit_judged=True)
    entries = read_entries(path)
    assert entries["accused"].source == FITTED and entries["accused"].weight > 1.0
    assert entries["served"] == JUDGED_ENTRIES["served"]


def test_the_weights_of_the_program_are_written_as_the_fit_writes_them(tmp_path: Path) -> None:
    write_entries(read_entries(WEIGHTS_FILE), tmp_path / "factors.yaml")
    assert (tmp_path / "factors.yaml").read_text() == WEIGHTS_FILE.read_text()


def test_the_manual_shows_what_each_factor_contributes() -> None:
    """`make drop-factors` writes it anew."""
    document = DOCUMENT.read_text("utf-8")
    assert replace_table(document) == document
    with pytest.raises(ValueError, match="no marks"):
        replace_table("no table")
