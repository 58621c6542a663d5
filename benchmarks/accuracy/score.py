"""Whether an answer is right, and how often answers are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from accuracy.answers import Answer
from accuracy.runs import Scope, Truth

MIN_SURE_CONFIDENCE = 0.8  # a wrong answer that is stated with so much misleads
MIN_ANSWER_CONFIDENCE = 0.5  # an answer that is stated with less says that it is none

# In the order of the table, with what each is a share of.
TOTALS: Mapping[str, str] = {
    "cause": "failures whose cause can be told: the first cause is right",
    "node": "failures with a culprit that can be told: the first cause is laid to it",
    "top-3": "failures whose cause can be told: it is among the first three",
    "trust": "all cases: the answer is not wrong in cause or node while stated with 0.8 or more",
    "healthy": "healthy runs: no cause is named",
    "cannot tell": "failures whose cause cannot be told: no cause is named with 0.5 or more",
}


@dataclass(frozen=True, slots=True)
class Score:
    """`marks`: right or wrong, by those of TOTALS that the case has a say in."""

    marks: Mapping[str, bool]
    confidence: float | None  # of the first cause; None where none is named
    right: bool  # in cause, and in node where one is to blame


def score(truth: Truth, culprits: frozenset[str | None], tellable: frozenset[Scope], answer: Answer) -> Score:
    """`culprits`: all names of all to blame; None where naming no node is right. `tellable`: what the bundle shows."""
    first = answer[0] if answer else None
    cause = first.cause in truth.accepted if first else "none" in truth.accepted
    node = not truth.culprits or (first is not None and (first.node in culprits or (first.task or "") in culprits))
    confidence = first.confidence if first else None
    right = cause and (node or (first is None and cause))
    marks = {"trust": right or (confidence or 0.0) < MIN_SURE_CONFIDENCE}
    if truth.cause == "none":
        marks["healthy"] = cause
    elif "cause" in tellable:
        marks["cause"] = cause
        marks["top-3"] = cause or any(guess.cause in truth.accepted for guess in answer[:3])
    else:
        marks["cannot tell"] = cause or (confidence or 0.0) < MIN_ANSWER_CONFIDENCE
    asked = first is not None or "none" not in truth.accepted
    if truth.cause != "none" and truth.culprits and asked and "node" in tellable:
        marks["node"] = node
    return Score(marks, confidence, right)


def add_up(scores: Iterable[Score]) -> dict[str, tuple[int, int]]:
    """total → (right, asked)."""
    counts = dict.fromkeys(TOTALS, (0, 0))
    for score in scores:
        for total, good in score.marks.items():
            right, asked = counts[total]
            counts[total] = (right + good, asked + 1)
    return counts


def brier(scores: Sequence[Score]) -> float | None:
    """Mean square of stated confidence less outcome, of answers that name a cause: 0 is perfect, 0.25 a coin."""
    stated = [(score.confidence, score.right) for score in scores if score.confidence is not None]
    return sum((confidence - right) ** 2 for confidence, right in stated) / len(stated) if stated else None


def reliability(scores: Sequence[Score], steps: int = 10) -> list[tuple[float, float, int, int]]:
    """(from, below, answers stated so, right ones) for each step of confidence."""
    rows = []
    for step in range(steps):
        low, high = step / steps, (step + 1) / steps
        inside = [
            score
            for score in scores
            if score.confidence is not None and min(int(score.confidence * steps), steps - 1) == step
        ]
        rows.append((low, high, len(inside), sum(score.right for score in inside)))
    return rows
