"""An edge with a window explains what begins near its cause, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_packs import find, load_text

PACK = r"""
pack: near
signals: {alpha: {match: '\balpha\b'}, beta: {match: '\bbeta\b'}}
rules:
  - {id: cause, when: alpha, role: cause, cause: near.fault, explains: [{late-*: 3m}]}
  - {id: late-one, when: beta, role: cause, cause: near.other}
"""


@pytest.mark.parametrize(("lines", "follows"), [("0 alpha\n170 beta", True), ("0 alpha\n190 beta", False)])
def test_only_what_begins_in_the_window_follows(tmp_path: Path, lines: str, follows: bool) -> None:
    packs = load_text(tmp_path, PACK)
    assert not packs.problems
    (finding,) = find(packs, lines, "late-one")
    assert bool(finding.explained_by) is follows


def test_a_window_is_a_time_span(tmp_path: Path) -> None:
    packs = load_text(tmp_path, PACK.replace("3m", "soon"))
    assert any("is not a duration" in str(problem) for problem in packs.problems)
