from __future__ import annotations

import io
from collections.abc import Callable, Mapping

import pytest

from analyzer.incident import Incident
from analyzer.paths import cache_dir
from analyzer.pipeline import IngestResult, diagnose, read_small_text
from analyzer.reading import build_plan, read_source
from analyzer.rules.packs.cache import load_packs

Analyze = Callable[[Mapping[str, str]], Incident]


@pytest.fixture(scope="session")
def analyze() -> Analyze:
    """A bundle as path → text through the whole program."""
    packs = load_packs((), cache_dir())
    plan = build_plan(packs, cache_dir())

    def run(files: Mapping[str, str]) -> Incident:
        intake = IngestResult()
        for path, text in files.items():
            if path.endswith((".json", "exit_code")):
                read_small_text(path, text.encode(), plan, intake)
            else:
                intake.results.append(read_source(path, io.BytesIO(text.encode()), plan))
        return diagnose(intake, packs)

    return run
