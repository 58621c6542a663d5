"""A small pack, so that what is tested is the reader and not the rules."""

from __future__ import annotations

import pytest

from analyzer.reading import ReadPlan, build_plan
from analyzer.rules.load import load_packs

PACK = r"""
pack: reading
version: 1.0.0
signals:
  boom: {match: 'boom (?P<number>\d+)', severity: error}
  bang: {match: 'bang', severity: error}
  step: {match: 'step (?P<step>\d+)', feeds: progress}
  report: {match: 'report begins', block: {lines: 6, until: 'report ends'}}
  trace: {match: '^Traceback \(most recent call last\):', feeds: traceback, severity: error}
  quiet: {match: 'harmless', not_match: 'harmful'}
"""


@pytest.fixture(scope="session")
def plan(tmp_path_factory: pytest.TempPathFactory) -> ReadPlan:
    file = tmp_path_factory.mktemp("packs") / "reading.yaml"
    file.write_text(PACK)
    packs = load_packs([file], builtin=False)
    assert not packs.problems
    return build_plan(packs)
