"""The limits of an answer: rules that could not be evaluated, and questions that the bundle leaves open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.incident import EvaluationGap, RootCause
from analyzer.model import Kind, Role
from analyzer.rules.conditions import signals_of
from analyzer.rules.evaluation.findings import UnevaluatedRule
from analyzer.rules.types import Packs
from analyzer.timeline.progress import TrainingProgress
from analyzer.timeline.timeline import Timeline
from analyzer.wording import join_names

MAX_LISTED_NAMES = 10
MAX_RIVALS = 3


def find_unevaluated_rules(
    missing: Iterable[UnevaluatedRule], packs: Packs, timeline: Timeline
) -> Iterator[EvaluationGap]:
    """Yield the rules that lack a source on some nodes, then those that lack one on all nodes."""
    for unevaluated in missing:
        if unevaluated.slow_pattern:
            continue
        signal = packs.signals.get(unevaluated.signal)
        kinds = signal.kinds if signal else frozenset[Kind]()
        yield {
            "rule": unevaluated.rule,
            "lacks": sorted(kind.value for kind in kinds) or ["any log"],
            "nodes": sorted(unevaluated.nodes),
        }
    yield from _rules_without_source(packs, timeline)


def _rules_without_source(packs: Packs, timeline: Timeline) -> Iterator[EvaluationGap]:
    """Yield the cause rules that need only kinds of source that the bundle lacks."""
    present_kinds = {kind for kinds in timeline.kinds.values() for kind in kinds}
    for rule in packs.rules.values():
        wanted_kinds = [packs.signals[name].kinds for name in signals_of(rule.when) if name in packs.signals]
        if rule.role is not Role.CAUSE or not wanted_kinds:
            continue
        if all(kinds and not kinds & present_kinds for kinds in wanted_kinds):
            lacks = sorted({kind.value for kinds in wanted_kinds for kind in kinds})
            yield {"rule": rule.id, "lacks": lacks, "nodes": []}


def describe_slow_rules(missing: Iterable[UnevaluatedRule]) -> Iterator[str]:
    """Yield a sentence for each rule that was not evaluated because a pattern took too long."""
    for unevaluated in missing:
        if unevaluated.slow_pattern:
            yield (
                f"rule {unevaluated.rule} was not evaluated: its pattern {unevaluated.slow_pattern!r} takes too long "
                "on a value in a log line"
            )


def describe_limitations(
    activities: Mapping[str, NodeActivity],
    progress: Mapping[str, TrainingProgress],
    roots: Sequence[RootCause],
    timeline: Timeline,
) -> Iterator[str]:
    """Yield a sentence for each question that the bundle leaves open."""
    yield from _missing_nodes(activities, timeline.scope.foreign_pods)
    yield from _open_ended_logs(activities, progress)
    yield from _untimed_logs(progress)
    yield from _undecidable_order(roots, timeline)


def _missing_nodes(activities: Mapping[str, NodeActivity], foreign_pods: frozenset[str]) -> Iterator[str]:
    """Yield sentences about the nodes whose logs are missing, and about those that matter most: others accuse them.

    Pods of other jobs are not missing.
    """
    absent = [
        activity for activity in activities.values() if not activity.node.present and activity.name not in foreign_pods
    ]
    if absent:
        names = join_names([activity.name for activity in absent], MAX_LISTED_NAMES)
        accused = [_name_with_tasks(activity) for activity in absent if activity.accusations_received] or ["each"]
        yield (
            f"the bundle has no file of {names}, although other nodes name it, so its failure can only be inferred. "
            f"The log of {join_names(accused, MAX_LISTED_NAMES)}, the kernel log there and the exit status would help"
        )


def _name_with_tasks(activity: NodeActivity) -> str:
    tasks = [task for task in activity.node.tasks if task != activity.name]
    return f"{activity.name} ({', '.join(tasks)})" if tasks else activity.name


def _open_ended_logs(activities: Mapping[str, NodeActivity], progress: Mapping[str, TrainingProgress]) -> Iterator[str]:
    """Yield a sentence about the tasks that trained and whose logs show neither an end nor an error."""
    open_ended = [
        f"{activity.name} (after {progress[activity.name].step_label})"
        for activity in activities.values()
        if activity.name in progress and not (activity.ended_well or activity.exit_event or _explains_its_end(activity))
    ]
    if open_ended:
        yield (
            f"the log of {join_names(open_ended, MAX_LISTED_NAMES)} stops without an error or an end: the task may "
            "have died or hung, or the log may be cut"
        )


def _explains_its_end(activity: NodeActivity) -> bool:
    """Return whether the node's own lines say what happened to it; findings derived from its silence do not count."""
    is_derived = (finding.evidence[0].kind is Kind.DERIVED for finding in activity.causes)
    return bool(activity.errors or activity.symptoms or not all(is_derived))


def _untimed_logs(progress: Mapping[str, TrainingProgress]) -> Iterator[str]:
    if progress and all(node_progress.time is None for node_progress in progress.values()):
        yield (
            "no training log has times: which node failed first is inferred from steps, from the order of lines within "
            "each file, and from the nodes that lines accuse"
        )


def _undecidable_order(roots: Sequence[RootCause], timeline: Timeline) -> Iterator[str]:
    """Yield a sentence about causes on several nodes that are closer in time than the errors of the clocks."""
    for root in roots[1 : 1 + MAX_RIVALS]:
        first, second = roots[0].finding, root.finding
        if first.node is None or second.node is None or first.node == second.node:
            continue
        if first.time is None or second.time is None:
            continue
        error = timeline.error_between(first.node, second.node)
        if (gap := abs(first.time - second.time)) <= error:
            yield (
                f"the order of {first.cause} on {first.node} and {second.cause} on {second.node} is unknown: they are "
                f"{gap:.3g} s apart, and the two clocks are known to ± {error:.3g} s"
            )
