"""Which finding follows from which cause, and which a more specific one replaces."""

from __future__ import annotations

import fnmatch
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from analyzer.diagnosis.node_activity import STALE_AFTER_S, onset_of
from analyzer.incident import UNKNOWN_CAUSE, Finding
from analyzer.model import Event, Kind, Role
from analyzer.rules.conditions import compares_nodes
from analyzer.rules.types import Packs, Rule
from analyzer.timeline.timeline import Timeline
from analyzer.timeline.zone_errors import is_whole_hours

SourceLine = tuple[str, int | None]  # a file and a line of it
REPORT_LAG_S = 5.0  # seconds by which a cause may be told of after what follows from it
UNSTAMPED_LINE_SLACK_S = 120.0  # seconds that a line without a stamp may be later than the stamped one before it
MAX_NAMING_LINES = 3  # lines of a finding that are asked whom they name
MAX_EXPLAINERS = 20  # causes of one rule that are named for a symptom; a thousand nodes may have them all


@dataclass(frozen=True, slots=True)
class CausalContext:
    """What the order of findings rests on."""

    timeline: Timeline
    accused_nodes: Callable[[Event], Sequence[str]]  # whom a line names
    last_step_time: float | None = None  # when the job made its last step


def explain(findings: Sequence[Finding], packs: Packs, context: CausalContext) -> list[Finding]:
    """Each finding with the ids of those that explain it. A cause explains another cause on its own node
    alone, unless it tells whose fault it is that others report too, or the other's lines name its node as the peer that
    failed.

    Of one rule's causes at most EXPLAINERS are named for a symptom: those of its own node, then the earliest.
    """
    groups: dict[str, dict[str | None, list[Finding]]] = {}  # rule → node (None: every) → causes, earliest first
    for cause in sorted((f for f in findings if f.role is Role.CAUSE and f.rule in packs.rules), key=_time_or_first):
        for node in dict.fromkeys((None, cause.node or "")):
            groups.setdefault(cause.rule, {}).setdefault(node, []).append(cause)
    order = {finding.id: index for index, finding in enumerate(findings)}
    explained = []
    for finding in findings:
        if _is_context_of_another_time(finding, packs):
            explained.append(finding)
            continue
        names = tuple(filter(None, (finding.rule, finding.cause)))
        explaining_patterns = packs.rules[finding.rule].explained_by if finding.rule in packs.rules else ()
        propagated = packs.causes.get(finding.cause or "", UNKNOWN_CAUSE).propagated
        cause_ids = {
            cause.id
            for rule, causes in groups.items()
            for cause in _explaining_causes(
                packs.rules[rule], names, explaining_patterns, causes, finding, context, propagated
            )
            if cause.confidence >= finding.confidence or not _explains_in_turn(finding, cause, packs)
            if _is_within_reach(packs.rules[rule].explains_within_s, names, cause, finding, context.timeline)
        }
        explained.append(replace(finding, explained_by=tuple(sorted(cause_ids, key=order.__getitem__))))
    return explained


def _is_context_of_another_time(finding: Finding, packs: Packs) -> bool:
    """Context that its rule calls something else: it is of another time than the job, and follows from nothing here."""
    rule = packs.rules.get(finding.rule)
    return finding.role is Role.CONTEXT and rule is not None and rule.role is not Role.CONTEXT


def _is_within_reach(
    reach: Mapping[str, float], names: tuple[str, ...], cause: Finding, finding: Finding, timeline: Timeline
) -> bool:
    """Whether the finding lies in the window of the edge that leads to it."""
    windows = [seconds for pattern, seconds in reach.items() if _matches_any((pattern,), names)]
    if not windows or cause.time is None or finding.time is None:
        return True
    return abs(cause.time - finding.time) <= max(windows) + _clock_error(cause, finding, timeline)


def _clock_error(first: Finding, second: Finding, timeline: Timeline) -> float:
    """Seconds by which the distance of two findings may be wrong: none on one node."""
    return (
        0.0
        if first.node == second.node
        else timeline.clock_error(first.node or "") + timeline.clock_error(second.node or "")
    )


def _explaining_causes(
    rule: Rule,
    names: tuple[str, ...],
    patterns: tuple[str, ...],
    causes: Mapping[str | None, Sequence[Finding]],
    finding: Finding,
    context: CausalContext,
    propagated: bool,
) -> Iterator[Finding]:
    """One rule's causes of the finding. A cause that is a template is known only once it is filled."""
    is_comparison = compares_nodes(rule.when)
    if _matches_any(rule.explains, names):
        yield from _causes_in_time(causes, finding, context, is_comparison, propagated)
    elif patterns:
        for cause in _causes_in_time(causes, finding, context, is_comparison, propagated):
            if _matches_any(patterns, tuple(filter(None, (cause.rule, cause.cause)))):
                yield cause


def _explains_in_turn(finding: Finding, cause: Finding, packs: Packs) -> bool:
    """Each could follow from the other: then the surer of the two came first."""
    rule = packs.rules.get(finding.rule)
    names = tuple(filter(None, (cause.rule, cause.cause)))
    return finding.role is Role.CAUSE and rule is not None and _matches_any(rule.explains, names)


def _time_or_first(finding: Finding) -> float:
    return float("-inf") if finding.time is None else finding.time


def _causes_in_time(
    causes: Mapping[str | None, Sequence[Finding]],
    finding: Finding,
    context: CausalContext,
    is_comparison: bool,
    propagated: bool,
) -> Iterator[Finding]:
    """Causes of one rule that are not clearly later than `other`, those of its own node first.

    `compared`: the rule compares the nodes. `echo`: the other stands on nodes that did nothing, as symptoms do.
    """
    own_node = causes.get(finding.node or "", ())
    if finding.role is Role.CAUSE and finding.node and not propagated:
        assigning = (
            cause
            for cause in islice(causes[None], 10 * MAX_EXPLAINERS)
            if _assigns_fault(cause, finding, is_comparison)
        )
        accused_nodes = dict.fromkeys(
            node for event in finding.evidence[:MAX_NAMING_LINES] for node in context.accused_nodes(event)
        )
        elsewhere: Iterable[Finding] = chain(
            causes.get("", ()), *(causes.get(node, ()) for node in accused_nodes), assigning
        )
    else:
        elsewhere = islice(
            causes[None], 10 * MAX_EXPLAINERS
        )  # the earliest: where they are too late, so are the others
    in_time = (
        cause
        for cause in chain(own_node, elsewhere)
        if cause.id != finding.id
        and (
            _is_hours_off(cause, finding, context.timeline)
            or not (
                _is_clearly_later(cause, finding, context.timeline)
                or _is_long_over(cause, finding, context.last_step_time)
            )
        )
    )
    return islice(in_time, 2 * MAX_EXPLAINERS)  # the near ones stand among the rest too


def _assigns_fault(cause: Finding, finding: Finding, is_comparison: bool) -> bool:
    """One fault that several nodes report alike, and of which a comparison of all nodes says whose it is."""
    is_derived = cause.evidence[0].kind is Kind.DERIVED is not finding.evidence[0].kind
    return cause.cause == finding.cause and (is_derived or (is_comparison and cause.rule != finding.rule))


@functools.lru_cache(maxsize=65536)
def _matches_any(patterns: tuple[str, ...], names: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns for name in names)


def _is_clearly_later(cause: Finding, finding: Finding, timeline: Timeline) -> bool:
    if cause.time is None or finding.time is None:
        return False
    slack = REPORT_LAG_S + _clock_error(cause, finding, timeline)
    if finding.evidence[0].inferred:  # it has the time of a line before it: that much later it may have been
        slack += UNSTAMPED_LINE_SLACK_S
    return cause.time > finding.time + slack


def _is_hours_off(cause: Finding, finding: Finding, timeline: Timeline) -> bool:
    """A machine and a program on it tell of one moment, and of its hour differently."""
    cause_event, event = cause.evidence[0], finding.evidence[0]
    if cause.node != finding.node or cause.time is None or finding.time is None or cause_event.kind is event.kind:
        return False
    zoneless_files = {cause_event.locus.file, event.locus.file} & timeline.window.zoneless_files
    return cause_event.kind is Kind.KERNEL and bool(zoneless_files) and is_whole_hours(cause.time - finding.time)


def _is_long_over(cause: Finding, finding: Finding, last_step_time: float | None) -> bool:
    """What happened long before does not answer for another cause: it would take it away and be too old itself. While
    nobody made a step, nothing is over.

    What was concluded from many lines (a hang, a slow task) is a state that lasts.
    """
    is_lasting = cause.evidence[0].kind is Kind.DERIVED
    if is_lasting or finding.role is not Role.CAUSE or cause.time is None or finding.time is None:
        return False
    return cause.time < onset_of(finding.time, last_step_time) - STALE_AFTER_S


def drop_silenced(findings: Sequence[Finding], packs: Packs) -> list[Finding]:
    """Drops a general finding where a more specific one that names it stands on the same lines or block.

    One of another node goes where all of its lines are among those of the specific one, which tells whose fault they
    report.
    """
    by_node: dict[str | None, list[Finding]] = {}
    by_line: dict[SourceLine, list[Finding]] = {}
    for finding in findings:
        by_node.setdefault(finding.node, []).append(finding)
        by_line.setdefault(_source_line(finding.evidence[0]), []).append(finding)
    silenced_ids: set[str] = set()
    for finding in findings:
        rule = packs.rules.get(finding.rule)
        if rule is None or not rule.silences:
            continue
        same_node = (
            other for other in by_node[finding.node] if _is_silenced_by(rule, other) and _overlap(finding, other)
        )
        other_nodes = (other for other in _covered_on_other_nodes(finding, by_line) if _is_silenced_by(rule, other))
        silenced_ids.update(other.id for other in chain(same_node, other_nodes) if other.id != finding.id)
    return [finding for finding in findings if finding.id not in silenced_ids]


def _covered_on_other_nodes(finding: Finding, by_line: Mapping[SourceLine, Sequence[Finding]]) -> Iterator[Finding]:
    """Those of other nodes that stand on nothing but lines of this one."""
    lines = {_source_line(event) for event in finding.evidence}
    for other in chain.from_iterable(by_line.get(place, ()) for place in lines):
        if other.node != finding.node and all(_source_line(event) in lines for event in other.evidence):
            yield other


def _source_line(event: Event) -> SourceLine:
    return event.locus.file, event.locus.line


def _is_silenced_by(rule: Rule, other: Finding) -> bool:
    return any(fnmatch.fnmatchcase(other.rule, pattern) for pattern in rule.silences)


def _overlap(first: Finding, second: Finding) -> bool:
    spans = [(e.locus.file, e.locus.line or 0, (e.locus.line or 0) + len(e.block)) for e in second.evidence]
    for event in first.evidence:
        line, end = event.locus.line or 0, (event.locus.line or 0) + len(event.block)
        if any(file == event.locus.file and line <= span_end and start <= end for file, start, span_end in spans):
            return True
    return False
