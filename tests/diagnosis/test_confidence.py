"""The number that says how sure an answer is: it rises with the score, fits its words, and keeps the order."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from analyzer.diagnosis.certainty import MAX_CONFIDENCE, cap_confidences, confidence_of
from analyzer.incident import Certainty, Incident, RootCause
from analyzer.pipeline import analyze
from analyzer.report.formatting import describe_confidence

SCORES = st.floats(-1, 2)
STATUS = st.sampled_from(["established", "supported", "hypothesis"])


@given(st.lists(SCORES, min_size=2), STATUS)
def test_a_higher_score_is_never_said_less_surely(scores: list[float], status: Certainty) -> None:
    said = [confidence_of(score, status) for score in sorted(scores)]
    assert said == sorted(said)
    assert all(0.05 <= one <= MAX_CONFIDENCE for one in said)


@given(SCORES)
def test_evidence_makes_no_answer_less_sure(score: float) -> None:
    assert confidence_of(score, "supported") == confidence_of(score, "established")
    assert confidence_of(score, "supported") >= min(confidence_of(score, "hypothesis"), MAX_CONFIDENCE)


@given(SCORES)
def test_words_and_status_do_not_contradict(score: float) -> None:
    assert "certain" not in describe_confidence(confidence_of(score, "hypothesis"))
    if score >= 0.8:  # from where on an answer is called established
        assert describe_confidence(confidence_of(score, "established")).startswith(("likely", "almost certain"))


def test_what_barely_stands_gains_little_and_what_stands_well_a_lot() -> None:
    def gain(score: float) -> float:
        return confidence_of(score, "supported") - confidence_of(score, "hypothesis")

    assert 0 < gain(0.5) < gain(0.6) < gain(0.7)
    assert gain(0.4) == 0


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


def test_none_is_said_more_surely_than_one_above_it(tmp_path: Path) -> None:
    roots = _incident(tmp_path).root_causes
    assert len(roots) >= 2
    low, *rest = roots
    tilted: list[RootCause] = [replace(low, confidence=0.4), *(replace(one, confidence=0.9) for one in rest)]
    levelled = cap_confidences(tilted)
    assert [one.finding for one in levelled] == [one.finding for one in roots]
    assert all(above.confidence >= one.confidence for above, one in pairwise(levelled))
    assert levelled[-1].confidence == 0.4
    assert cap_confidences(roots) == list(roots), "what the analysis says is level already"
