"""Errors that one task tells and another had: a coordinator prints what an operation on a worker ended with.

TensorFlow appends to each error that comes back over gRPC whose answer it was (`Additional GRPC error information from
remote target /job:worker/replica:0/task:1`, distributed_runtime/rpc/grpc_state.h, from 2.2 on). An answer came over a
connection that works; the signals that feed `ran_on` leave out broken ones.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from analyzer.diagnosis.blame import Blame
from analyzer.facts.cluster import read_task
from analyzer.incident import Finding
from analyzer.model import Event, Role
from analyzer.rules.evaluate import move
from analyzer.rules.types import Packs

NEAR = 40  # lines of an error's text, with the stacks of its nodes, to the line that tells where it ran

Log = tuple[str, str | None]  # a file and a stream in it
Told = Mapping[Log, Sequence[tuple[int, str]]]  # the last line of each answer and its task, in order


def place_elsewhere(findings: Sequence[Finding], answers: Iterable[Event], blame: Blame, packs: Packs) -> list[Finding]:
    """Causes stand where the operation ran, if the lines that tell of them name one other task of the job, and only it.

    `answers` feed `ran_on`. The first one behind an error is whose answer it was; those that follow carried it.
    """
    told = _sort(answers)
    placed = [_place(one, told, blame, packs) if told and one.role is Role.CAUSE else one for one in findings]
    return _place_echoes(placed, told, packs)


def _place_echoes(findings: Sequence[Finding], told: Told, packs: Packs) -> list[Finding]:
    """What nobody known said (Ray's driver, of its workers' errors), or one that tells of a task of which nothing tells
    the node, is where the one node is that says the same of itself."""
    said: dict[object, set[str]] = defaultdict(set)
    echoes: set[str] = set()
    for one in findings:
        if one.role is not Role.CAUSE or not one.captures:
            continue
        if one.node is None or _only_tells(one, told):
            echoes.add(one.id)
        else:
            said[_words(one)].add(one.node)
    return [
        move(one, packs.rules.get(one.rule), next(iter(nodes)))
        if one.id in echoes and len(nodes := said.get(_words(one), set())) == 1
        else one
        for one in findings
    ]


def _only_tells(finding: Finding, told: Told) -> bool:
    """Whether it still stands with a node that only tells of another's answer."""
    return finding.node == finding.evidence[0].node and all(_ran_on(event, told) for event in finding.evidence)


def _words(finding: Finding) -> object:
    return finding.rule, tuple(sorted(finding.captures.items()))


def _sort(answers: Iterable[Event]) -> Told:
    told: dict[Log, list[tuple[int, str]]] = defaultdict(list)
    for event in sorted(answers, key=lambda one: one.locus.line or 0):
        task, line = read_task(event.captures.get("task")), event.locus.line
        if line is not None and task:
            above = told[event.locus.file, event.stream]
            carried = bool(above) and above[-1][0] + 1 == line
            above.append((line + len(event.block), above[-1][1] if carried else task))
    return told


def _place(finding: Finding, told: Told, blame: Blame, packs: Packs) -> Finding:
    teller = finding.evidence[0].node
    first, *more = (_ran_on(event, told) for event in finding.evidence)
    task = first if {first, *filter(None, more)} == {first} else None
    node = blame.registry.task(task) if task else None
    if task is None or node is None or node == teller or finding.node not in (None, teller):
        return finding
    reason = f"{teller} only tells of it: TensorFlow says that it was {task}'s answer" if teller else ""
    moved = move(replace(finding, task=task), packs.rules.get(finding.rule), node)
    return replace(moved, why=(*moved.why, *filter(None, [reason])))


def _ran_on(event: Event, told: Told) -> str | None:
    lines = told.get((event.locus.file, event.stream), ())
    first = event.locus.line or 0
    at = bisect_left(lines, (first, ""))
    return lines[at][1] if at < len(lines) and lines[at][0] <= first + len(event.block) + NEAR else None
