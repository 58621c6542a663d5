"""The cost of hits grows linearly with their number, even if all are alike: a small archive may hold many."""

import io
import sys
from collections.abc import Callable
from types import FrameType

import pytest

from analyzer.paths import cache_dir
from analyzer.reading import ReadPlan, build_plan, read_source
from analyzer.rules.packs.cache import load_packs

STAMP = "2026-03-01 10:00:00.000000"
ERROR = "E tensorflow/core/common_runtime/ring_alg.cc:291] Aborting RingReduce with UNAVAILABLE: Socket closed"
LETTERS = str.maketrans("0123456789", "abcdefghij")
FORMS: dict[str, Callable[[int], str]] = {
    "the same": lambda number: f"{STAMP}: {ERROR}",
    "other words": lambda number: f"{STAMP}: E some/file.cc:1] the {word(number)} could not {word(number)}ify",
    "other ranks": lambda number: f"[1,{number}]<stderr>:{STAMP}: {ERROR}",
    "without a time": lambda number: "RuntimeError: CUDA error: out of memory",
    "tracebacks": lambda number: (
        f'Traceback (most recent call last):\n  File "a.py", line {number}, in f\n    g()\nValueError: {word(number)}'
    ),
}
FEW = 1_000


def word(number: int) -> str:
    return str(number).translate(LETTERS)


@pytest.fixture(scope="module")
def plan() -> ReadPlan:
    """A plan without a cache, in which gates learnt from other logs would be."""
    return build_plan(load_packs((), cache_dir()))


def calls(plan: ReadPlan, form: Callable[[int], str], count: int) -> int:
    """Return the number of function calls, Python's and others, while `count` hits are read."""
    made = 0

    def count_one(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal made
        made += event in ("call", "c_call")

    stream = io.BytesIO("".join(form(number) + "\n" for number in range(count)).encode())
    sys.setprofile(count_one)
    try:
        result = read_source("node1/worker.log", stream, plan)
    finally:
        sys.setprofile(None)
    assert sum(result.counts.values()) >= count
    return made


@pytest.mark.parametrize("form", FORMS)
def test_cost_grows_linearly_with_hits(plan: ReadPlan, form: str) -> None:
    calls(plan, FORMS[form], FEW)  # what is made ready once
    assert calls(plan, FORMS[form], 4 * FEW) < 5 * calls(plan, FORMS[form], FEW)
