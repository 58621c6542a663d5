"""How sure an answer is: a number that says how often such answers were right, and what its evidence can carry."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from analyzer.diagnosis.ranking import Candidate
from analyzer.incident import Certainty, Finding, RootCause
from analyzer.model import Kind

HIGHEST_SCORE = 1.3  # score of a sure rule that everything else speaks for
MIDDLE_BOOST = 0.35  # by how much the share of it is raised in the middle
SUPPORTED_LOGITS = 0.8  # logits by which it is more often right where the evidence carries the cause
BOOST_FROM_SCORE, BOOST_FULL_SCORE = (
    0.4,
    0.7,
)  # scores between which that grows: what barely stands is often what nobody could tell
MIN_CONFIDENCE, MAX_CONFIDENCE = 0.05, 0.97
MAX_HYPOTHESIS_CONFIDENCE = 0.89  # no hypothesis is almost certain, whatever speaks for it


def confidence_of(score: float, status: Certainty) -> float:
    """How often cause and place of such an answer may be expected to be right, 0.05 to 0.97; never falls with `score`.

    Fitted to 426 bundles, each judged by the program as it was before anyone had seen them, and tried on 309 texts of
    public threads (docs/report.md has the table). What the raised share of the highest score says of hypotheses held
    as it was; of what the evidence carries it was too modest by about 0.8 in logits, least where it barely stands, and
    too sure above 0.97.
    """
    share = min(max(score / HIGHEST_SCORE, 0.0), 1.0)
    hypothesis_confidence = share * (1 + MIDDLE_BOOST * (1 - share))
    if status == "hypothesis":
        return round(min(MAX_HYPOTHESIS_CONFIDENCE, max(MIN_CONFIDENCE, hypothesis_confidence)), 2)
    odds_factor = math.exp(
        SUPPORTED_LOGITS * min(max((score - BOOST_FROM_SCORE) / (BOOST_FULL_SCORE - BOOST_FROM_SCORE), 0.0), 1.0)
    )
    return round(
        min(
            MAX_CONFIDENCE,
            max(MIN_CONFIDENCE, odds_factor * hypothesis_confidence / (1 + (odds_factor - 1) * hypothesis_confidence)),
        ),
        2,
    )


def certainty_of(finding: Finding, candidate: Candidate) -> Certainty:
    """What the evidence can carry: what was put together from several files names no cause by itself."""
    if finding.evidence[0].kind is Kind.DERIVED:
        return "hypothesis" if finding.confidence < 0.6 else "supported"
    if finding.confidence >= 0.8 and candidate.score >= finding.confidence:
        return "established"
    return "supported" if candidate.score >= 0.5 else "hypothesis"


def cap_confidences(roots: Sequence[RootCause]) -> list[RootCause]:
    """The same in their order, which evidence and scores gave: none is said more surely than one before it."""
    return list(accumulate(roots, lambda above, one: replace(one, confidence=min(above.confidence, one.confidence))))
