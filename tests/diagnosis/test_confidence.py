"""The number that says how sure an answer is: the share of one candidate among all, and of "none of these"."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from fixture_incidents import BUNDLES, incident_of

from analyzer.diagnosis.factors import FINDING_FACTORS, NODE_FACTORS
from analyzer.diagnosis.ranking import load_weights
from analyzer.diagnosis.root_causes import MAX_CONFIDENCE
from analyzer.incident import Incident
from analyzer.pipeline import analyze


def _say(file: Path, *lines: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines) + "\n")
    return file


def _incident(folder: Path) -> Incident:
    """Two causes on two machines."""
    _say(
        folder / "a" / "dmesg.txt", "[  812.1] Out of memory: Killed process 4242 (python3) total-vm:9kB, anon-rss:8kB"
    )
    _say(folder / "b" / "worker.log", "OSError: [Errno 28] No space left on device: '/ckpt/model'")
    return analyze([folder])


@pytest.mark.parametrize("bundle", BUNDLES, ids=lambda path: path.parent.name)
def test_the_candidates_and_none_of_these_share_one(bundle: Path) -> None:
    incident = incident_of(bundle)
    assert sum(hypothesis.probability for hypothesis in incident.hypotheses) <= 1 + 1e-9
    assert sum(root.confidence for root in incident.root_causes) <= 1 + 0.01 * len(incident.root_causes)  # rounded
    assert all(root.confidence <= MAX_CONFIDENCE for root in incident.root_causes)


def test_none_is_said_more_surely_than_one_above_it(tmp_path: Path) -> None:
    roots = _incident(tmp_path).root_causes
    assert len(roots) >= 2
    assert all(above.confidence >= below.confidence for above, below in pairwise(roots))


def test_each_factor_that_occurs_has_a_weight() -> None:
    names = {
        factor.name
        for bundle in BUNDLES
        for hypothesis in incident_of(bundle).hypotheses
        for factor in hypothesis.factors
    }
    assert len(FINDING_FACTORS) + len(NODE_FACTORS) <= len(names) <= len(load_weights())
    assert names <= load_weights().keys()
