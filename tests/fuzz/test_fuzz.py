"""Every target holds its promises: on what was once found to break them, and on inputs that nobody has seen."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from tests.fuzz.run import TARGETS, fuzz

KEPT_INPUTS = sorted(path for path in (Path(__file__).parent / "found").glob("*/*") if path.is_file())
# CPU time of all targets together, a glance; `make fuzz` takes what one likes, and CI some 40 seconds for each.
MOST = 150  # seeds
SECONDS = float(os.environ.get("FUZZ_SECONDS", "8")) / len(TARGETS)


@pytest.mark.parametrize("path", KEPT_INPUTS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_was_found_stays_mended(path: Path) -> None:
    TARGETS[path.parent.name].run(path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_are_right(name: str) -> None:
    """Of thousands those that lie evenly among them; `make fuzz` begins with them all."""
    seeds = TARGETS[name].seeds()
    for seed in seeds[:: 1 + len(seeds) // MOST]:
        TARGETS[name].run(seed)


@pytest.mark.parametrize("name", TARGETS)
def test_spoiled_inputs_break_nothing(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tried, failures = fuzz(TARGETS[name], SECONDS, tmp_path, random.Random(1))
    assert tried
    assert not failures, capsys.readouterr().out
