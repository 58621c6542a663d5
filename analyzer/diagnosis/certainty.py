"""The certainty of an answer: the strength of its evidence, and its margin over the runner-up."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from analyzer.diagnosis.factors import Candidate
from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.incident import Certainty, RootCause, RunnerUp
from analyzer.model import Kind, Severity, Source

_log = logging.getLogger("analyzer.diagnosis")

# The thresholds of `certainty_of`.
SUPPORTED_DERIVED_CONFIDENCE = 0.6  # of a rule over derived signals
ESTABLISHED_CONFIDENCE = 0.8  # of a rule over lines
ESTABLISHED_PROBABILITY = 0.8
SUPPORTED_PROBABILITY = 0.4

UNDECIDED_MARGIN = 0.2  # logits; two candidates that differ by less are indistinguishable
MAX_NEEDS = 3  # pieces of missing evidence that are named


def certainty_of(candidate: Candidate, probability: float) -> Certainty:
    """Return the status that the evidence supports.

    `probability` is that of the candidate against "none of these" alone: another, independent fault does not weaken
    its evidence.

    Three kinds of evidence cannot establish a cause: a derived event, since it names no cause by itself; a warning; and
    a cause that leaves a hard fact unexplained.
    """
    finding = candidate.finding
    if finding.evidence[0].kind is Kind.DERIVED:
        is_supported = finding.confidence >= SUPPORTED_DERIVED_CONFIDENCE and not candidate.has("unread-end")
        return "supported" if is_supported else "hypothesis"
    is_contradicted = candidate.has("ending-contradicted") or candidate.has("crash-elsewhere")
    if (
        finding.confidence >= ESTABLISHED_CONFIDENCE
        and finding.severity >= Severity.ERROR
        and probability >= ESTABLISHED_PROBABILITY
        and not is_contradicted
    ):
        return "established"
    return "supported" if probability >= SUPPORTED_PROBABILITY else "hypothesis"


def explain_margin(
    roots: Sequence[RootCause],
    candidates: Sequence[Candidate],
    activities: Mapping[str, NodeActivity],
    sources: Sequence[Source],
) -> tuple[list[RootCause], list[str]]:
    """Return the root causes with the runner-up of the first, and a note if the two are indistinguishable.

    If they are, the first root cause becomes a hypothesis, and the note names the evidence that would decide.
    `candidates[i]` is the candidate from which `roots[i]` was made.
    """
    if len(roots) < 2:
        return list(roots), []
    (first, second, *lower_roots), (best, next_best) = roots, candidates[:2]
    margin = best.log_odds - next_best.log_odds
    is_undecided = abs(margin) < UNDECIDED_MARGIN and "established" not in (first.status, second.status)
    statement = _why_behind(best, next_best)
    if is_undecided:
        needs = _join_words(_missing_evidence(first, second, activities, sources))
        statement = f"{_name_root(first)} and {_name_root(second)} cannot be told apart without {needs}"
        first = replace(first, status="hypothesis")
    _log.info("runner-up: %s, %.2f logits behind: %s", _name_root(second), margin, statement)
    runner_up = RunnerUp(
        cause=second.finding.cause or "", node=second.finding.node, title=second.finding.title, why=statement
    )
    return [replace(first, runner_up=runner_up), second, *lower_roots], [statement] if is_undecided else []


def _why_behind(best: Candidate, second: Candidate) -> str:
    """Return why the second candidate ranks lower, in words."""
    if best.finding.id in second.finding.explained_by:
        return "it follows from the first cause"
    if against := [reason for reason in second.reasons_against if reason not in best.reasons_against]:
        return "; ".join(against[:2])
    if more := [reason for reason in best.reasons if reason not in second.reasons]:
        return f"this speaks for the first cause alone: {more[0]}"
    return "its evidence is less specific"


def _missing_evidence(
    first: RootCause, second: RootCause, activities: Mapping[str, NodeActivity], sources: Sequence[Source]
) -> Iterator[str]:
    """Yield the evidence of the two nodes that the bundle lacks; if it lacks none, more accurate clocks."""
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
