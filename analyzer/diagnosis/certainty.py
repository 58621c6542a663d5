"""The certainty of an answer: its confidence, the strength of its evidence, and the distance of the runner-up."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.diagnosis.ranking import Candidate
from analyzer.incident import Certainty, Finding, RootCause, RunnerUp
from analyzer.model import Kind, Source

_log = logging.getLogger("analyzer.diagnosis")

# The calibration of `confidence_of`.
HIGHEST_SCORE = 1.3  # score of a certain rule that everything else supports
MIDDLE_BOOST = 0.35  # logits by which the share of the highest score is raised in the middle
SUPPORTED_LOGITS = 0.8  # logits by which an answer is more often right if its evidence carries the cause
BOOST_FROM_SCORE, BOOST_FULL_SCORE = 0.4, 0.7  # between these scores, the logits grow from 0 to SUPPORTED_LOGITS
MIN_CONFIDENCE, MAX_CONFIDENCE = 0.05, 0.97
MAX_HYPOTHESIS_CONFIDENCE = 0.89  # no hypothesis is almost certain, whatever supports it

# The thresholds of `certainty_of`.
SUPPORTED_DERIVED_CONFIDENCE = 0.6  # of a rule over derived signals
ESTABLISHED_CONFIDENCE = 0.8  # of a rule over lines
SUPPORTED_SCORE = 0.5

UNDECIDED_MARGIN = 0.05  # two candidates whose scores differ by less are indistinguishable
MAX_NEEDS = 3  # pieces of missing evidence that are named


def confidence_of(score: float, status: Certainty) -> float:
    """Return how often the cause and the node of such an answer are right, 0.05 to 0.97. It never falls with `score`.

    The function was fitted to 426 bundles, each judged by the program as it was before anyone had seen them, and tried
    on 309 texts of public threads (docs/report.md has the table). For hypotheses, the raised share of the highest
    score was right. Where the evidence carries the cause, that share was too low by about 0.8 in logits, by less for
    low scores, and too high above 0.97.
    """
    share = min(max(score / HIGHEST_SCORE, 0.0), 1.0)
    confidence = share * (1 + MIDDLE_BOOST * (1 - share))
    if status == "hypothesis":
        return round(min(MAX_HYPOTHESIS_CONFIDENCE, max(MIN_CONFIDENCE, confidence)), 2)
    boost = min(max((score - BOOST_FROM_SCORE) / (BOOST_FULL_SCORE - BOOST_FROM_SCORE), 0.0), 1.0)
    odds_factor = math.exp(SUPPORTED_LOGITS * boost)
    supported = odds_factor * confidence / (1 + (odds_factor - 1) * confidence)
    return round(min(MAX_CONFIDENCE, max(MIN_CONFIDENCE, supported)), 2)


def certainty_of(finding: Finding, candidate: Candidate) -> Certainty:
    """Return the status that the evidence supports. A derived event does not name a cause by itself, so it never
    establishes one.
    """
    if finding.evidence[0].kind is Kind.DERIVED:
        return "hypothesis" if finding.confidence < SUPPORTED_DERIVED_CONFIDENCE else "supported"
    if finding.confidence >= ESTABLISHED_CONFIDENCE and candidate.score >= finding.confidence:
        return "established"
    return "supported" if candidate.score >= SUPPORTED_SCORE else "hypothesis"


def cap_confidences(roots: Sequence[RootCause]) -> list[RootCause]:
    """Return the root causes in their order, none with a higher confidence than the one before it."""
    return list(accumulate(roots, lambda above, root: replace(root, confidence=min(above.confidence, root.confidence))))


def explain_margin(
    roots: Sequence[RootCause],
    candidates: Sequence[Candidate],
    activities: Mapping[str, NodeActivity],
    sources: Sequence[Source],
) -> tuple[list[RootCause], list[str]]:
    """Return the root causes with the runner-up of the first, and a note if the two are indistinguishable.

    If they cannot, the first root cause becomes a hypothesis, and the note names the evidence that is missing.
    `candidates[i]` is the candidate behind `roots[i]`.
    """
    if len(roots) < 2:
        return list(roots), []
    (first, second, *rest), (best, next_best) = roots, candidates[:2]
    margin = best.score - next_best.score
    is_undecided = abs(margin) < UNDECIDED_MARGIN and "established" not in (first.status, second.status)
    statement = _why_behind(best, next_best)
    if is_undecided:
        needs = _join_words(_missing_evidence(first, second, activities, sources))
        statement = f"{_name_root(first)} and {_name_root(second)} cannot be told apart without {needs}"
        first = replace(first, status="hypothesis", why=(*first.why, statement))
    _log.info("runner-up: %s, %.2f points behind: %s", _name_root(second), margin, statement)
    runner_up = RunnerUp(
        cause=second.finding.cause or "", node=second.finding.node, title=second.finding.title, why=statement
    )
    return [replace(first, runner_up=runner_up), second, *rest], [statement] if is_undecided else []


def _why_behind(best: Candidate, second: Candidate) -> str:
    """Return why the second candidate ranks lower, in words."""
    if best.finding.id in second.finding.explained_by:
        return "it follows from the first cause"
    if against := [reason for reason in second.reasons_against if reason not in best.reasons_against]:
        return "; ".join(against[:2])
    if more := [
        reason for reason in best.reasons if reason not in second.reasons and reason not in best.reasons_against
    ]:
        return f"only the first cause has this: {more[0]}"
    return "its evidence is less specific"


def _missing_evidence(
    first: RootCause, second: RootCause, activities: Mapping[str, NodeActivity], sources: Sequence[Source]
) -> Iterator[str]:
    """Yield the evidence of the two nodes that the bundle lacks. If it lacks none, only more accurate clocks could
    decide.
    """
    nodes = list(dict.fromkeys(root.finding.node for root in (first, second) if root.finding.node))
    with_kernel_log = {source.node for source in sources if source.kind is Kind.KERNEL}
    lacks = [f"the kernel log of {node}" for node in nodes if node not in with_kernel_log]
    lacks += [
        f"the exit status of {node}" for node in nodes if node in activities and activities[node].exit_event is None
    ]
    yield from lacks or ["more accurate clocks: their times differ by less than the clocks' errors"]


def _name_root(root: RootCause) -> str:
    return f"{root.finding.cause} on {root.finding.node or 'no single node'}"


def _join_words(words: Iterable[str]) -> str:
    return " or ".join(list(words)[:MAX_NEEDS])
