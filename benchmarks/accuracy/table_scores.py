"""Scores the answers that weights give in the cases of the table of candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SURE = 0.8  # confidence from which a wrong answer costs trust


@dataclass(frozen=True, slots=True)
class TableAnswer:
    """The answer in one case of a table: the candidate that ranks first.

    `is_solvable` says whether any candidate of the case is right.
    """

    confidence: float  # the probability of the first candidate
    is_right: bool
    is_solvable: bool


@dataclass(frozen=True, slots=True)
class TableScore:
    """How good the answers to a table are. `solvable` counts the cases in which any candidate is right."""

    brier: float  # mean square of the stated confidence less the outcome
    first_right: int
    solvable: int
    surely_wrong: int  # wrong answers with a confidence of SURE or more


def score_answers(answers: Sequence[TableAnswer]) -> TableScore:
    """Return the score of the answers; there must be one at least."""
    return TableScore(
        brier=sum((answer.confidence - answer.is_right) ** 2 for answer in answers) / len(answers),
        first_right=sum(answer.is_right for answer in answers if answer.is_solvable),
        solvable=sum(answer.is_solvable for answer in answers),
        surely_wrong=sum(answer.confidence >= SURE and not answer.is_right for answer in answers),
    )
