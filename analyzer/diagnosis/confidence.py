"""How sure an answer is: a number that says how often such answers were right, and what its evidence can carry."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from analyzer.diagnosis.rank import Candidate
from analyzer.incident import Certainty, Finding, RootCause
from analyzer.model import Kind

HIGHEST = 1.3  # score of a sure rule that everything else speaks for
MODESTY = 0.35  # by how much the share of it is raised in the middle
BACKED = 0.8  # logits by which it is more often right where the evidence carries the cause
BARELY, WELL = 0.4, 0.7  # scores between which that grows: what barely stands is often what nobody could tell
LEAST, MOST = 0.05, 0.97
UNPROVEN = 0.89  # no hypothesis is almost certain, whatever speaks for it


def tell_confidence(score: float, status: Certainty) -> float:
    """How often cause and place of such an answer may be expected to be right, 0.05 to 0.97; never falls with `score`.

    Fitted to 426 bundles, each judged by the program as it was before anyone had seen them, and tried on 309 texts of
    public threads (docs/report.md has the table). What the raised share of the highest score says of hypotheses held
    as it was; of what the evidence carries it was too modest by about 0.8 in logits, least where it barely stands, and
    too sure above 0.97.
    """
    share = min(max(score / HIGHEST, 0.0), 1.0)
    plain = share * (1 + MODESTY * (1 - share))
    if status == "hypothesis":
        return round(min(UNPROVEN, max(LEAST, plain)), 2)
    better = math.exp(BACKED * min(max((score - BARELY) / (WELL - BARELY), 0.0), 1.0))
    return round(min(MOST, max(LEAST, better * plain / (1 + (better - 1) * plain))), 2)


def tell_status(finding: Finding, one: Candidate) -> Certainty:
    """What the evidence can carry: what was put together from several files names no cause by itself."""
    if finding.evidence[0].kind is Kind.DERIVED:
        return "hypothesis" if finding.confidence < 0.6 else "supported"
    if finding.confidence >= 0.8 and one.score >= finding.confidence:
        return "established"
    return "supported" if one.score >= 0.5 else "hypothesis"


def level(roots: Sequence[RootCause]) -> list[RootCause]:
    """The same in their order, which evidence and scores gave: none is said more surely than one before it."""
    return list(accumulate(roots, lambda above, one: replace(one, confidence=min(above.confidence, one.confidence))))
