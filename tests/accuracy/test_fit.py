"""The fit of the weights of judgement: it finds the weights behind data, keeps the signs, its table survives a trip."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from accuracy.fit import Candidates, fit, names_of, read_table, write_table

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
