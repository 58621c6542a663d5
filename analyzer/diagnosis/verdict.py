"""Candidates to an answer: the root causes that stand, or that there is none, or that it cannot be told."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from analyzer.diagnosis.confidence import level, tell_confidence, tell_status
from analyzer.diagnosis.rank import MANY, WARNED, Candidate
from analyzer.diagnosis.stories import Story
from analyzer.facts.cluster import APART
from analyzer.formats import read_line
from analyzer.incident import Finding, RootCause, Verdict
from analyzer.model import Event, Kind, Role, Severity
from analyzer.rules.evaluate import move
from analyzer.rules.fill import state
from analyzer.rules.types import Packs

ENOUGH = 0.2  # score under which a candidate is not offered
CLOSE = 0.08  # of scores that do not tell one node from another
MOST = 10


def decide(
    candidates: Sequence[Candidate],
    findings: Sequence[Finding],
    stories: Mapping[str, Story],
    packs: Packs,
    unknown: int,
    quiet: frozenset[str],
) -> tuple[Verdict, list[RootCause]]:
    """(verdict, root causes).

    A job that ended well has no root cause, whatever it survived, unless the fault is a quiet one.
    """
    standing = [one for one in candidates if one.score >= ENOUGH]
    if job_succeeded(stories):
        standing = [one for one in standing if one.finding.id in quiet]
        if not standing:
            return "no-failure", []
    if not standing:
        troubled = any(f.severity >= Severity.ERROR and f.role is not Role.CONTEXT for f in findings) or unknown
        if troubled or is_unfinished(stories):
            return "undiagnosed", []
        standing = _warnings_alone(candidates, stories)
        if not standing and not _ran(stories) and any(_is_consequence(f) for f in findings):
            return "undiagnosed", []
    if not standing:
        return "no-failure", []
    chosen: list[RootCause] = []
    causes: set[str] = set()
    for one in standing:
        if (cause := one.finding.cause or "") not in causes:
            causes.add(cause)
            chosen.append(_conclude(one, standing, stories, packs, findings))
    return "diagnosed", level(chosen[:MOST])


def _warnings_alone(candidates: Sequence[Candidate], stories: Mapping[str, Story]) -> list[Candidate]:
    """Warnings are an answer, a weak one, where they are all that was handed in: nothing shows that a job ran beside
    them and was well.
    """
    if _ran(stories):
        return []
    return [one for one in candidates if one.finding.severity is Severity.WARNING and one.score >= ENOUGH + WARNED]


def _ran(stories: Mapping[str, Story]) -> bool:
    return any(story.started or story.progress or story.ended_well for story in stories.values())


def _is_consequence(finding: Finding) -> bool:
    """What only follows from a failure that nothing at hand shows: work that was cancelled, ranks that were ended."""
    return finding.role is Role.SYMPTOM and finding.severity >= Severity.WARNING


def quiet_ones(findings: Sequence[Finding], causes: Mapping[str, Mapping[str, str]]) -> frozenset[str]:
    """Ids of findings that a job may have and still end well, and of what explains such a fault: heat a slow task."""
    quiet = [f for f in findings if f.role is Role.CAUSE and is_quiet(f.cause, causes)]
    return frozenset(name for one in quiet for name in (one.id, *one.explained_by))


def is_quiet(cause: str | None, causes: Mapping[str, Mapping[str, str]]) -> bool:
    """Whether a job can have this fault and still end well: NaN in the weights, a slow task."""
    return causes.get(cause or "", {}).get("quiet", "").lower() == "true"


def is_unfinished(stories: Mapping[str, Story]) -> bool:
    """Tasks ran, and no log shows the end of any: silence to the end is no success."""
    ran = [story for story in stories.values() if story.node.present and (story.started or story.progress)]
    return bool(ran) and not any(story.ended_well for story in stories.values())


def job_succeeded(stories: Mapping[str, Story]) -> bool:
    """What ran the job says so and no task contradicts it; else the task that the job lives by (chief, else worker 0,
    else every task) ended well, and nobody failed behind it, nor an evaluator for itself."""
    if any(story.succeeded for story in stories.values()):
        return not any(story.errors or story.symptoms or story.accused for story in stories.values())
    told = [story for story in stories.values() if story.node.present and story.node.tasks]
    chiefs = [s for s in told if any(t.startswith(("chief:", "master:", "coordinator:")) for t in s.node.tasks)]
    leaders = chiefs or [s for s in told if "worker:0" in s.node.tasks] or told
    if not told:
        return _ended_behind_all(stories)
    if not leaders or not all(leader.ended_well for leader in leaders):
        return False
    if any(_failed_by_itself(s) for s in told if any(t.startswith("evaluator:") for t in s.node.tasks)):
        return False
    workers = [s for s in told if s not in leaders and any(not t.startswith(APART) for t in s.node.tasks)]
    if chiefs:  # a coordinator outlives workers that are lost; one that failed by itself did not do its part
        return not any(_failed_by_itself(story) for story in workers)
    return all(s.ended_well or not (s.own or s.symptoms or s.accused) for s in workers)


def _failed_by_itself(story: Story) -> bool:
    """Its program ended with an error of its own, and it came not back."""
    last, error = story.progress, story.errors[-1] if story.errors else None
    if error is None or story.ended_well or story.died_by_signal or story.accuses or story.symptoms:
        return False
    own = any(one.severity is Severity.FATAL and one.evidence[0].kind is Kind.WORKER for one in story.own)
    return own and not (last is not None and _is_behind(last, error))


def _ended_behind_all(stories: Mapping[str, Story]) -> bool:
    """Of logs that name no task: all that ran say that they are done, and behind each complaint somebody does."""
    ends = [s.finished or s.completed for s in stories.values() if s.finished or s.completed or s.progress]
    loud = [event for s in stories.values() for event in _complaints(s)]
    return bool(ends) and None not in ends and all(any(_is_behind(end, event) for end in ends) for event in loud)


def _complaints(story: Story) -> list[Event]:
    """Its own; what was concluded from other lines complains of nothing itself."""
    said = [*story.errors, *(finding.evidence[0] for finding in (*story.own, *story.symptoms))]
    return [event for event in said if event.kind is not Kind.DERIVED]


def _is_behind(end: Event | None, event: Event) -> bool:
    same = end is not None and end.locus.file == event.locus.file
    return same and end is not None and (end.locus.line or 0) > (event.locus.line or 0)


def _conclude(
    one: Candidate,
    standing: Sequence[Candidate],
    stories: Mapping[str, Story],
    packs: Packs,
    findings: Sequence[Finding],
) -> RootCause:
    finding = one.finding
    node, task = finding.node, finding.task
    shared = _shared_by(one, standing, stories, packs)
    if shared:
        node = task = None
    elif node and task is None and (story := stories.get(node)) and len(story.node.tasks) == 1:
        task = story.node.tasks[0]
    rule = packs.rules.get(finding.rule)
    consequences = [f.id for f in findings if finding.id in f.explained_by or f.role is Role.SYMPTOM]
    values = {**finding.captures, "node": node or "the job", "task": task or "?", "count": str(finding.count)}
    cause = packs.causes.get(finding.cause or "", {})
    status = tell_status(finding, one)
    return RootCause(
        finding=replace(move(finding, rule, node), task=task),
        confidence=tell_confidence(one.score, status),
        status=status,
        why=tuple(_reasons(one, shared)),
        remediation=tuple(state(step, values, node) for step in rule.remediation) if rule else (),
        references=rule.references if rule else (),
        blame=cause.get("blame"),
        explains=tuple(consequences),
    )


def _shared_by(one: Candidate, standing: Sequence[Candidate], stories: Mapping[str, Story], packs: Packs) -> int:
    """How many nodes show the cause alike, where those are most of the job; 0 where one of them stands out."""
    finding = one.finding
    alike = [c for c in standing if c.finding.cause == finding.cause]
    nodes = {c.finding.node for c in alike if c.finding.node}
    trained = [s for s in stories.values() if s.node.present and s.node.tasks]
    if len(nodes) < max(2, MANY * len(trained)):
        return 0
    compared = finding.evidence[0].kind is Kind.DERIVED  # all nodes were looked at to name this one
    rivals = [c for c in alike if c is not one and (not compared or c.finding.rule == finding.rule)]
    same = _is_of_all_programs(one, alike, packs) and not compared and len(nodes) >= len(trained)
    own, *others = (c.score - c.missed if same else c.score for c in (one, *rivals))
    return len(nodes) if any(own - other < CLOSE for other in others) else 0


def _is_of_all_programs(one: Candidate, alike: Sequence[Candidate], packs: Packs) -> bool:
    """Every program failed with the same words by its own doing: whoever is gone first leaves the others behind, which
    tells none from another. Words that differ may be of one that failed for want of another.
    """
    of_user = packs.causes.get(one.finding.cause or "", {}).get("blame") == "user"
    return of_user and len({_words(c.finding) for c in alike}) == 1


def _words(finding: Finding) -> tuple[str, ...]:
    ends = (finding.evidence[0], finding.evidence[-1])
    return tuple(re.sub(r"\d+", "#", read_line(event.text).message) for event in ends)


def _reasons(one: Candidate, shared: int) -> Iterator[str]:
    yield from one.finding.why
    yield from one.why
    if shared:
        yield f"{shared} nodes show it alike; no single one is at fault"
    elif not one.finding.why and not one.why:
        first = one.finding.evidence[0].locus
        yield (
            f"the line itself names the cause ({first.file}:{first.line})"
            if first.line
            else (f"the file itself names the cause ({first.file})")
        )
