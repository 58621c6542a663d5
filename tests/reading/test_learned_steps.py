"""Steps that are counted in words no signal knows."""

from __future__ import annotations

import io

import pytest

from analyzer.model import Event
from analyzer.paths import cache_dir
from analyzer.reading import ReadPlan, build_plan, read_source
from analyzer.rules.packs.cache import load_packs

START = "2026-02-01 03:04:01,000 INFO tensorflow: Started server with target: grpc://x:2222\n"
COUNTERS = {
    "a Romanian loop": "[bor] 10:{m:02d}:{s:02d} pas   {step:5d}  pierdere {value:.4f}  41.0 mostre/s",
    "an Albanian loop": "10:{m:02d}:{s:02d} hapi={step} humbja={value:.4f} f1=0.7310 lr=2.00e-03",
    "a Persian loop": "گام {step} زیان {value:.4f} lr 0.001 speed",
    "JSON of a logger": '{{"ts": 178807{m:02d}{s:02d}.5, "tip": "hapi", "nr": {step}, "humbja": {value:.5g}}}',
    "a bar without a known word": "[{step:5d}/90000] verlies {value:.3e} (0.31 s)",
    "behind a launcher's prefix": "[1,0]<stdout>:hapi {step} humbja {value:.4f}",
}
OTHERS = {
    "a ping": "64 bytes from 10.0.0.7: icmp_seq={n} ttl=64 time={value:.3f} ms",
    "values without a counter": "cache hit {value:.2f}, tiles decoded {random}",
    "a counter without values": "shard {n} written to /data/out",
    "the same value each time": "camera {n}: 0.95 of the frames are good",
    "identifiers": "request 17880{random}{n} took {value:.3f} s",
}


@pytest.fixture
def rule_plan() -> ReadPlan:
    """Return the plan of the built-in packs."""
    return build_plan(load_packs((), cache_dir()), cache_dir())


def lines_of(template: str, count: int, stride: int = 20) -> str:
    return "".join(
        template.format(n=n, step=n * stride, value=1 / (n + 1.37), m=n // 60 % 60, s=n % 60, random=n * 7919 % 1013)
        + "\n"
        for n in range(1, count + 1)
    )


def steps_of(text: str, plan: ReadPlan) -> list[Event]:
    result = read_source("w0/train.log", io.BytesIO((START + text).encode()), plan)
    return [event for event in result.events if event.signal == "step_with_metric"]


@pytest.mark.parametrize("name", COUNTERS)
@pytest.mark.parametrize("count", [12, 3000])
def test_steps_are_counted_in_any_words(name: str, count: int, rule_plan: ReadPlan) -> None:
    steps = steps_of(lines_of(COUNTERS[name], count), rule_plan)
    assert steps[0].captures["step"] == "20"
    assert steps[-1].captures["step"] == str(20 * count)
    assert steps[-1].locus.line == count + 1


@pytest.mark.parametrize("name", OTHERS)
def test_other_numbers_are_no_steps(name: str, rule_plan: ReadPlan) -> None:
    assert steps_of(lines_of(OTHERS[name], 200), rule_plan) == []


@pytest.mark.parametrize(
    ("values", "count"),
    [
        ([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, "nan", "nan", "nan"], 3),
        ([0.9, 0.8, 0.7, "nan", 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.01], 0),  # one step, and all was well again
        (["nan"] * 11, 0),  # nobody knows what the value is: it never was a number
    ],
)
@pytest.mark.parametrize(
    "form",
    [
        "pas {step} pierdere {value} 41.{step} mostre/s",
        "step {step} mse {value} lr 0.{step}",
        '{{"ts":"2026-01-02T03:04:05Z","pas":{step},"pierdere":{value},"lr":0.1{step}}}',
    ],
)
def test_a_value_that_becomes_nan_and_stays_is_seen(
    form: str, values: list[float | str], count: int, rule_plan: ReadPlan
) -> None:
    text = "".join(form.format(step=10 * n, value=value) + "\n" for n, value in enumerate(values, 1))
    result = read_source("w0/train.log", io.BytesIO((START + text).encode()), rule_plan)
    events = [event for event in result.events if event.signal == "loss_not_finite"]
    assert [event.captures for event in events] == [{"value": "nan"}] * count


def test_members_may_write_their_own_names_into_their_steps(rule_plan: ReadPlan) -> None:
    names = ["elm", "oak", "yew", "ash", "fir"]
    rows = [
        f"[1,{rank}]<stdout>:| {name}:0 | hapi {step} lexim={rank / 97 + step / 1e4:.3f}s\n"
        for step in range(50, 1250, 50)
        for rank, name in enumerate(names)
    ]
    steps = steps_of("".join(rows), rule_plan)
    last = {event.stream: event.captures["step"] for event in steps}
    assert last == {str(rank): "1200" for rank in range(len(names))}


def test_steps_that_one_member_alone_writes_in_known_words_leave_the_others_theirs(rule_plan: ReadPlan) -> None:
    rows = [
        f"[1,{rank}]<stdout>:hapi {step} lexim={rank / 97 + step / 1e4:.3f}s\n"
        + (f"[1,0]<stdout>:step {step} loss {1 / step:.4f}\n" if rank == 0 else "")
        for step in range(50, 1250, 50)
        for rank in range(3)
    ]
    assert {event.stream for event in steps_of("".join(rows), rule_plan)} >= {"1", "2"}
