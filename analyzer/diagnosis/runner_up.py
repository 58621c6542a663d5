"""The runner-up: why it lost, or that nothing in the bundle tells it from the first, and what would."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.diagnosis.ranking import Candidate
from analyzer.incident import RootCause, RunnerUp
from analyzer.model import Kind, Source

UNDECIDED_MARGIN = 0.05  # points of score between two candidates that are as good as equal


def explain_margin(
    roots: Sequence[RootCause],
    candidates: Sequence[Candidate],
    activities: Mapping[str, NodeActivity],
    sources: Sequence[Source],
) -> tuple[list[RootCause], list[str]]:
    """The root causes with the first one's rival in it, and a note where the two cannot be told apart.

    `candidates[i]` is what became `roots[i]`.
    """
    if len(roots) < 2:
        return list(roots), []
    (first, second, *rest), (best, next_best) = roots, candidates[:2]
    undecided = abs(best.score - next_best.score) < UNDECIDED_MARGIN and "established" not in (
        first.status,
        second.status,
    )
    if not undecided:
        runner_up = RunnerUp(
            second.finding.cause or "", second.finding.node, second.finding.title, _why_behind(best, next_best)
        )
        return [replace(first, runner_up=runner_up), second, *rest], []
    needs = _join_words(_missing_evidence(first, second, activities, sources))
    statement = f"{_name_root(first)} and {_name_root(second)} cannot be told apart without {needs}"
    runner_up = RunnerUp(second.finding.cause or "", second.finding.node, second.finding.title, statement)
    return [replace(first, status="hypothesis", why=(*first.why, statement), runner_up=runner_up), second, *rest], [
        statement
    ]


def _why_behind(best: Candidate, second: Candidate) -> str:
    if best.finding.id in second.finding.explained_by:
        return "it follows from the first cause"
    if against := [reason for reason in second.reasons_against if reason not in best.reasons_against]:
        return "; ".join(against[:2])
    if more := [
        reason for reason in best.reasons if reason not in second.reasons and reason not in best.reasons_against
    ]:
        return f"only the first cause has this: {more[0]}"
    return "its words are less specific"


def _missing_evidence(
    first: RootCause, second: RootCause, activities: Mapping[str, NodeActivity], sources: Sequence[Source]
) -> Iterator[str]:
    """What the bundle lacks of the nodes in question; where it lacks nothing, only their order is left."""
    nodes = list(dict.fromkeys(root.finding.node for root in (first, second) if root.finding.node))
    kernels = {source.node for source in sources if source.kind is Kind.KERNEL}
    lacks = [f"the kernel log of {node}" for node in nodes if node not in kernels]
    lacks += [
        f"the exit status of {node}" for node in nodes if node in activities and activities[node].exit_event is None
    ]
    yield from lacks or ["clocks that agree better: they lie within each other's error"]


def _name_root(root: RootCause) -> str:
    return f"{root.finding.cause} on {root.finding.node or 'no single node'}"


def _join_words(words: Iterator[str]) -> str:
    return " or ".join(list(words)[:3])
