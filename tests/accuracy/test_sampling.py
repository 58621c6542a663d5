"""Draws are the same for the same seed, take everything equally often, and name what they are of."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from accuracy.collectors import Collector
from accuracy.disturbances import Case, Disturbance
from accuracy.runs import Run, Truth
from accuracy.sampling import Draw, draw_cases, parse_draw
from accuracy.splits import is_held_out, part_of

from tests.accuracy.tiny import tiny_run

FAULTS = {"killed": 4, "nan": 1, "disk-full": 2, "none": 3}


def _runs() -> dict[str, Run]:
    made = {}
    for fault, count in FAULTS.items():
        for number in range(count):
            truth = Truth("none") if fault == "none" else tiny_run().truth
            made[f"{fault}-{number}"] = replace(tiny_run(), name=f"{fault}-{number}", fault=fault, truth=truth)
    return made


def _collectors() -> dict[str, Collector]:
    return {name: Collector(name, lambda *_: {}, lambda _: iter(()), stamps=name == "a") for name in "abcd"}


def _disturbances() -> dict[str, Disturbance]:
    def change(case: Case, chance: Random) -> Case:
        return case

    return {
        "early": Disturbance("early", "clocks", change),
        "late": Disturbance("late", "clocks", change),
        "torn": Disturbance("torn", "packing", spoil=lambda files, case, chance: files),
        "bare": Disturbance("bare", "stamps", change, fits=lambda case: not case.collector.stamps),
    }


def _draw(number: int, seed: int = 1) -> list[Draw]:
    return list(draw_cases(_runs(), _collectors(), _disturbances(), number, seed))


def test_the_same_seed_draws_the_same_and_another_does_not() -> None:
    assert _draw(50) == _draw(50)
    assert _draw(50) != _draw(50, seed=2)
    assert _draw(50)[:20] == _draw(20)


def test_each_fault_and_collector_comes_equally_often() -> None:
    draws, runs = _draw(600), _runs()
    faults = Counter(runs[draw.run].fault for draw in draws)
    failing = [faults[fault] for fault in FAULTS if fault != "none"]
    assert max(failing) - min(failing) <= 1
    assert 0.1 < faults["none"] / 600 < 0.25
    assert set(Counter(draw.collector for draw in draws).values()) == {150}
    assert {draw.run for draw in draws} == set(runs)


def test_disturbances_fit_are_of_different_kinds_and_files_are_spoilt_last() -> None:
    draws = _draw(600)
    assert Counter(len(draw.disturbances) for draw in draws).keys() == {0, 1, 2}
    assert not any({"early", "late"} <= set(draw.disturbances) for draw in draws)
    assert not any("bare" in draw.disturbances for draw in draws if draw.collector == "a")
    assert all(draw.disturbances[-1] == "torn" for draw in draws if "torn" in draw.disturbances)


def test_a_draw_is_read_back_from_its_name() -> None:
    for draw in _draw(50):
        assert parse_draw(str(draw)) == draw
    with pytest.raises(ValueError, match="unpack"):
        parse_draw("killed-0/a/plain")


def test_the_split_is_by_fault_program_and_collector() -> None:
    names = [f"name-{number}" for number in range(1000)]
    assert 200 < sum(is_held_out("fault", name) for name in names) < 300
    held = next(name for name in names if is_held_out("collector", name))
    free = next(name for name in names if not is_held_out("collector", name))
    run = replace(tiny_run(), fault="none", program=next(name for name in names if not is_held_out("program", name)))
    assert part_of(run, held) == "measure"
    assert part_of(run, free) == "develop"
    assert part_of(replace(run, program=next(n for n in names if is_held_out("program", n))), free) == "measure"
    assert part_of(replace(run, fault=next(n for n in names if is_held_out("fault", n))), free) == "measure"
