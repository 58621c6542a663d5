"""Other jobs in the bundle than the one that failed, and whether they ended well.

Nodes belong to different jobs if the paths of their files have different job numbers (`job_paths.py`), or if they ran
one after another and have tasks with the same names. Nodes that report each other as lost belong to one job.
"""

from __future__ import annotations

import logging
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from analyzer.diagnosis.job_outcome import judge_outcome
from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.facts.job_paths import job_of_path
from analyzer.facts.registry import Registry
from analyzer.incident import Finding, HardFact, RootCause
from analyzer.model import Role
from analyzer.timeline.timeline import Timeline
from analyzer.wording import join_names, natural_key

MAX_LISTED_NAMES = 10
MIN_JOB_GAP_S = 60.0  # seconds without a line of either job; uncorrected clocks differ by less
_log = logging.getLogger("analyzer.diagnosis")


def find_ended_jobs(
    activities: Mapping[str, NodeActivity], facts: Sequence[HardFact], timeline: Timeline, registry: Registry
) -> Mapping[str, str]:
    """Return node → its job in words, for the nodes of jobs that ended well if another job did not.

    {} if the files are of one job, or if all jobs ended in the same way.
    """
    groups = _group_by_path(activities, registry) or _group_by_time(activities)
    job_end = next((fact for fact in facts if fact.node is None), None)
    ended = {
        job: nodes
        for job, nodes in groups.items()
        if judge_outcome(
            {name: activities[name] for name in nodes},
            [fact for fact in facts if fact.node in nodes or (fact is job_end and _states_end_of(fact, job))],
            timeline,
        ).succeeded
    }
    if not ended or len(ended) == len(groups):
        return {}
    _log.info("of %d jobs in the bundle %d ended well: %s", len(groups), len(ended), ", ".join(ended))
    return {node: job for job, nodes in ended.items() for node in nodes}


def set_aside(findings: Iterable[Finding], ended: Mapping[str, str]) -> list[Finding]:
    """Return the findings. Those on nodes of jobs that ended well become context and explain no others."""
    findings = list(findings)
    if not ended:
        return findings
    aside = {finding.id for finding in findings if finding.node in ended}
    return [
        replace(
            finding,
            role=Role.CONTEXT,
            explained_by=(),
            why=(*finding.why, f"{finding.node} is of {ended[finding.node or '']}, which ended well"),
        )
        if finding.id in aside
        else replace(finding, explained_by=tuple(name for name in finding.explained_by if name not in aside))
        for finding in findings
    ]


def find_unconnected_jobs(activities: Mapping[str, NodeActivity]) -> Sequence[frozenset[str]]:
    """Return the nodes of each job, in order of time, if the bundle has unconnected consecutive jobs; otherwise ()."""
    groups = _groups_in_time(activities.values())
    return [frozenset(activity.name for activity in group) for group in groups] if _are_separate(groups) else ()


def describe_separate_jobs(jobs: Sequence[frozenset[str]], ended: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence that says that the files are of several jobs."""
    if ended:
        ended_jobs = ", ".join(sorted(set(ended.values())))
        yield (
            "The bundle has several jobs. This answer is about the one that failed; jobs that ended well are context: "
            f"{ended_jobs}"
        )
    elif jobs:
        listed = "; then ".join(join_names(sorted(nodes, key=natural_key), 4) for nodes in jobs[:MAX_LISTED_NAMES])
        yield (
            f"These files look like {len(jobs)} jobs, or attempts on other machines, one after another, and nothing "
            f"connects them: {listed}. Analyze the files of each job separately to get a verdict for each"
        )


def are_of_one_job(first: str | None, second: str | None, jobs: Sequence[frozenset[str]]) -> bool:
    """Return whether two nodes belong to one job. A node without a job may belong to any."""
    of_first, of_second = _job_of(first, jobs), _job_of(second, jobs)
    return not of_first or not of_second or of_first == of_second


def drop_edges_between_jobs(findings: Sequence[Finding], jobs: Sequence[frozenset[str]]) -> Sequence[Finding]:
    """Return the findings without explanations across jobs: nothing in one job follows from another job."""
    if not jobs:
        return findings
    nodes = {finding.id: finding.node for finding in findings}
    return [
        replace(
            finding,
            explained_by=tuple(
                name for name in finding.explained_by if are_of_one_job(finding.node, nodes.get(name), jobs)
            ),
        )
        for finding in findings
    ]


def limit_to_jobs(
    roots: Sequence[RootCause], findings: Sequence[Finding], jobs: Sequence[frozenset[str]]
) -> list[RootCause]:
    """Return the root causes, each as the answer for its own job.

    Nobody says which job the question is about, so with N jobs no confidence is above 1/N.
    """
    if not jobs:
        return list(roots)
    nodes = {finding.id: finding.node for finding in findings}
    return [
        replace(
            root,
            finding=replace(root.finding, summary=f"{_state_job(root.finding.node, jobs)} {root.finding.summary}"),
            confidence=min(root.confidence, round(1 / len(jobs), 2)),
            status="supported" if root.status == "established" else root.status,
            explains=tuple(name for name in root.explains if are_of_one_job(root.finding.node, nodes.get(name), jobs)),
        )
        for root in roots
    ]


def _state_job(node: str | None, jobs: Sequence[frozenset[str]]) -> str:
    own = _job_of(node, jobs)
    about = (
        f"this is about the job of {join_names(sorted(own, key=natural_key), 4)}"
        if own
        else "the answer may be about any of them"
    )
    return f"These files look like {len(jobs)} jobs; {about}."


def _job_of(node: str | None, jobs: Sequence[frozenset[str]]) -> frozenset[str]:
    return next((job for job in jobs if node in job), frozenset())


def _states_end_of(fact: HardFact, job: str) -> bool:
    """Return whether the file with the launcher's last word is named for the job."""
    return fact.end is not None and job_of_path(fact.end.evidence.locus.file) == job


def _group_by_path(activities: Mapping[str, NodeActivity], registry: Registry) -> Mapping[str, frozenset[str]]:
    """Return job → its nodes, if the files of all nodes that worked are named for jobs; {} if they are of one."""
    jobs_of_node: dict[str, set[str | None]] = defaultdict(set)
    for (file, _), node in registry.by_stream.items():
        jobs_of_node[node].add(job_of_path(file))
    groups: dict[str, set[str]] = defaultdict(set)
    for name, activity in activities.items():
        jobs = jobs_of_node.get(name, set())
        if len(jobs) == 1 and (job := next(iter(jobs))):
            groups[job].add(name)
        elif activity.start_event or activity.last_step:
            return {}
    is_one_job = len(groups) < 2 or _miss_each_other(
        [[activities[name] for name in nodes] for nodes in groups.values()]
    )
    return {} if is_one_job else {job: frozenset(nodes) for job, nodes in groups.items()}


def _group_by_time(activities: Mapping[str, NodeActivity]) -> Mapping[str, frozenset[str]]:
    groups = _groups_in_time(activities.values())
    if not _are_separate(groups):
        return {}
    names = (frozenset(activity.name for activity in group) for group in groups)
    return {f"the job of {join_names(sorted(nodes), 4)}": nodes for nodes in names}


def _are_separate(groups: Sequence[Sequence[NodeActivity]]) -> bool:
    """Return whether consecutive groups have a task of the same name, and no node accuses one of another group."""
    tasks = [{task for activity in group for task in activity.node.tasks} for group in groups]
    if len(groups) < 2 or any(earlier.isdisjoint(later) for earlier, later in pairwise(tasks)):
        return False
    return not _miss_each_other(groups)


def _miss_each_other(groups: Sequence[Sequence[NodeActivity]]) -> bool:
    """Return whether a node of one group accuses one of another."""
    group_of = {activity.name: index for index, group in enumerate(groups) for activity in group}
    accusations = (accusation for group in groups for activity in group for accusation in activity.accusations_made)
    return any(
        group_of.get(accusation.accuser) != group_of.get(accusation.accused)
        for accusation in accusations
        if accusation.accused in group_of
    )


def _groups_in_time(activities: Iterable[NodeActivity]) -> list[list[NodeActivity]]:
    """Return the nodes of tasks in order of time, as groups with MIN_JOB_GAP_S of silence between them.

    The times are not corrected: clock correction would move similar jobs to the same time.
    """
    spans = []
    for activity in activities:
        events = [activity.start_event, activity.last_start_event, *activity.step_events[:1], activity.last_event]
        times = [event.time for event in events if event and event.time is not None]
        if activity.node.tasks and times:
            spans.append((min(times), max(times), activity))
    groups: list[list[NodeActivity]] = []
    end = -math.inf
    for first, last, activity in sorted(spans, key=lambda span: span[0]):
        if first > end + MIN_JOB_GAP_S:
            groups.append([])
        groups[-1].append(activity)
        end = max(end, last)
    return groups
