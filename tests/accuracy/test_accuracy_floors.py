"""How often answers are right: a fixed sample stays above its floors, and collectors agree about one run.

`make accuracy N=300` draws the same sample. A floor is raised when the analysis got better, and never lowered.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from accuracy import cases
from accuracy.collectors import load_collectors
from accuracy.disturbances import load_disturbances
from accuracy.outcomes import measure, recorded
from accuracy.sampling import Draw, draw_cases
from accuracy.score import TOTALS, add_up

HERE = Path(__file__).parent
SAMPLE, SEED, JOBS = 300, 1, 2


def test_a_fixed_sample_stays_above_its_floors() -> None:
    floors = yaml.safe_load((HERE / "floors.yaml").read_text())
    assert floors.keys() == TOTALS.keys()
    draws = list(draw_cases(recorded(), load_collectors(), load_disturbances(), SAMPLE, SEED))
    outcomes = list(measure(draws, JOBS))
    totals = add_up(outcome.scores["analysis"] for outcome in outcomes)
    shares = {name: right / asked for name, (right, asked) in totals.items()}
    low = {name: f"{share:.3f} is below {floors[name]}" for name, share in shares.items() if share < floors[name]}
    assert not low


def test_every_collector_gives_the_same_cause_and_culprit() -> None:
    """Of one run, undisturbed. Collectors that fail are listed with what is behind it; the list may only shrink."""
    expectations = yaml.safe_load((HERE / "invariance.yaml").read_text())
    draws = [Draw(expectations["run"], name, (), 1) for name in load_collectors()]
    failing = {
        outcome.draw.collector: outcome.answer
        for outcome in measure(draws, JOBS)
        if not all(outcome.scores["analysis"].marks[total] for total in ("cause", "node"))
    }
    expected = expectations["fails"] or {}
    assert {name: answer for name, answer in failing.items() if name not in expected} == {}
    assert sorted(expected.keys() - failing.keys()) == [], "these agree now: take them off the list"


def test_the_run_of_the_invariance_can_be_told_from_every_bundle() -> None:
    run = yaml.safe_load((HERE / "invariance.yaml").read_text())["run"]
    for name in load_collectors():
        assert cases.build(Draw(run, name, (), 1), recorded()).tellable == {"cause", "node"}, name


@pytest.mark.parametrize("seed", range(3))
def test_a_draw_gives_the_same_bundle_each_time(seed: int) -> None:
    draws = list(draw_cases(recorded(), load_collectors(), load_disturbances(), 20, seed))
    for draw in draws:
        assert cases.build(draw, recorded()) == cases.build(draw, recorded())
