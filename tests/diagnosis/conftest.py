from __future__ import annotations

import pytest

from analyzer.paths import cache_dir
from analyzer.reading import ReadPlan, build_plan
from analyzer.rules.packs.cache import load_packs
from analyzer.rules.types import Packs


@pytest.fixture(scope="session")
def packs() -> Packs:
    return load_packs((), cache_dir())


@pytest.fixture(scope="session")
def plan(packs: Packs) -> ReadPlan:
    return build_plan(packs, cache_dir())
