"""What lint costs, as ratios: of processor time, because machines differ and others run on them.

The command switches the garbage collector off, whose time grows with what other tests left behind: so does this test.
"""

import gc
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import regex
from many_rules import write_many

from analyzer.rules.linting.linter import lint_packs
from analyzer.rules.load import load_packs


def _seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def _lint(folder: Path, rules: int) -> None:
    packs = load_packs([folder], builtin=False)
    assert (len(packs.rules), packs.problems, lint_packs(packs)) == (rules, (), [])


@pytest.fixture(autouse=True)
def _without_garbage_collection() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def test_a_thousand_rules_cost_their_share(tmp_path: Path) -> None:
    """Five times the rules, five times the time, and no more than a few times what their patterns cost to compile."""
    few, many = write_many(tmp_path / "few", 200, "few"), write_many(tmp_path / "many", 1000, "many")
    _lint(write_many(tmp_path / "first", 50, "first"), 50)  # what is made once a run
    for_few, for_many = _seconds(lambda: _lint(few, 200)), _seconds(lambda: _lint(many, 1000))
    packs = load_packs([many], builtin=False, trust=True)
    patterns = [pattern for signal in packs.signals.values() for pattern in (*signal.match, *signal.not_match)]
    compiling = _seconds(lambda: [regex.compile(pattern, cache_pattern=False) for pattern in patterns])
    assert for_many < 10 * for_few
    assert for_many < 8 * compiling
