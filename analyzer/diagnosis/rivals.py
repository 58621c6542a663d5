"""The runner-up: why it lost, or that nothing in the bundle tells it from the first, and what would."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from analyzer.diagnosis.rank import Candidate
from analyzer.diagnosis.stories import Story
from analyzer.incident import RootCause, RunnerUp
from analyzer.model import Kind, Source

CLOSE = 0.05  # points of score between two candidates that are as good as equal


def compare(
    roots: Sequence[RootCause], candidates: Sequence[Candidate], stories: Mapping[str, Story], sources: Sequence[Source]
) -> tuple[list[RootCause], list[str]]:
    """The root causes with the first one's rival in it, and a note where the two cannot be told apart.

    `candidates[i]` is what became `roots[i]`.
    """
    if len(roots) < 2:
        return list(roots), []
    (first, second, *rest), (best, next_best) = roots, candidates[:2]
    undecided = abs(best.score - next_best.score) < CLOSE and "established" not in (first.status, second.status)
    if not undecided:
        lost = RunnerUp(
            second.finding.cause or "", second.finding.node, second.finding.title, _why_lost(best, next_best)
        )
        return [replace(first, runner_up=lost), second, *rest], []
    needs = _listed(_needs(first, second, stories, sources))
    said = f"{_name(first)} and {_name(second)} cannot be told apart without {needs}"
    lost = RunnerUp(second.finding.cause or "", second.finding.node, second.finding.title, said)
    return [replace(first, status="hypothesis", why=(*first.why, said), runner_up=lost), second, *rest], [said]


def _why_lost(best: Candidate, second: Candidate) -> str:
    if best.finding.id in second.finding.explained_by:
        return "it follows from the first cause"
    if against := [reason for reason in second.against if reason not in best.against]:
        return "; ".join(against[:2])
    if more := [reason for reason in best.why if reason not in second.why and reason not in best.against]:
        return f"only the first cause has this: {more[0]}"
    return "its words are less specific"


def _needs(
    first: RootCause, second: RootCause, stories: Mapping[str, Story], sources: Sequence[Source]
) -> Iterator[str]:
    """What the bundle lacks of the nodes in question; where it lacks nothing, only their order is left."""
    nodes = list(dict.fromkeys(root.finding.node for root in (first, second) if root.finding.node))
    kernels = {source.node for source in sources if source.kind is Kind.KERNEL}
    lacks = [f"the kernel log of {node}" for node in nodes if node not in kernels]
    lacks += [f"the exit status of {node}" for node in nodes if node in stories and stories[node].exited is None]
    yield from lacks or ["clocks that agree better: they lie within each other's error"]


def _name(root: RootCause) -> str:
    return f"{root.finding.cause} on {root.finding.node or 'no single node'}"


def _listed(words: Iterator[str]) -> str:
    return " or ".join(list(words)[:3])
