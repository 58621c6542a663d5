"""Decide which findings follow from which causes, and which findings a more specific one replaces."""

from __future__ import annotations

import fnmatch
import functools
import logging
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice

from analyzer.diagnosis.node_activity import onset_of
from analyzer.diagnosis.process_owner import owner_of_process
from analyzer.incident import UNKNOWN_CAUSE, Finding
from analyzer.model import Event, Kind, Role
from analyzer.rules.conditions import compares_nodes
from analyzer.rules.types import Packs, Rule
from analyzer.timeline.precedence import REPORT_LAG_S, STALE_AFTER_S, UNSTAMPED_LINE_S, Order, compare_times
from analyzer.timeline.timeline import Timeline
from analyzer.timeline.zone_errors import is_whole_hours

_log = logging.getLogger("analyzer.diagnosis")

SourceLine = tuple[str, int | None]  # file, line
_has_wildcard = re.compile(r"[*?\[]").search
MAX_NAMING_LINES = 3  # only the nodes that the first lines of a finding accuse count
MAX_EXPLAINERS = 20  # causes of one rule that are listed for a symptom; a thousand nodes may all have one
MAX_COMPARED_CAUSES = 10 * MAX_EXPLAINERS  # the earliest causes of one rule: if they are too late, so are the others


@dataclass(frozen=True, slots=True)
class CausalContext:
    """The data that determines the order of findings."""

    timeline: Timeline
    accused_nodes: Callable[[Event], Sequence[str]]  # the nodes that a line accuses
    pids: Mapping[str, Collection[int]] = field(default_factory=dict)  # node → pids of the job's processes
    last_step_time: float | None = None  # when the job made its last step, corrected
    lasting_causes: Collection[str] = ()  # ids of causes that stay until somebody repairs them
    explained_by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # rule → the causes that it names
    last_times: dict[str, float | None] = field(default_factory=dict)  # id of a cause → what `_last_time_of` returned


@dataclass(slots=True)
class _CausesOfRule:
    """The causes that one rule found, earliest first, and indexes of them that are built after the last one is added.

    `is_comparison`: the rule compares nodes.
    """

    is_comparison: bool
    causes: list[Finding] = field(default_factory=list)
    by_node: dict[str, list[Finding]] = field(default_factory=dict)
    _assigning: dict[str | None, list[Finding]] = field(default_factory=dict)  # answers of `may_assign_fault`
    _names: dict[tuple[str, ...], None] = field(default_factory=dict)

    def add(self, cause: Finding) -> None:
        """Add the next cause."""
        self.causes.append(cause)
        self.by_node.setdefault(cause.node or "", []).append(cause)
        self._names[_names_of(cause)] = None

    def are_named(self, patterns: tuple[str, ...]) -> bool:
        """Return whether one of the patterns names one of the causes."""
        return any(_matches_any(patterns, names) for names in self._names)

    def may_assign_fault(self, cause_id: str | None) -> list[Finding]:
        """Return the early causes for which `_assigns_fault` may hold with a finding of the cause `cause_id`."""
        if cause_id not in self._assigning:
            self._assigning[cause_id] = [
                cause for cause in self.causes[:MAX_COMPARED_CAUSES] if cause.cause == cause_id or _listed_nodes(cause)
            ]
        return self._assigning[cause_id]


def explain(findings: Sequence[Finding], packs: Packs, context: CausalContext) -> list[Finding]:
    """Return the findings, each with the ids of the causes that explain it.

    A cause explains another cause on its own node, or on no known node. It explains one on another node only if it
    identifies the faulty node when several nodes report the same error, or if the lines of the other cause accuse its
    node or were all written by it.
    Of the causes of one rule, at most `2 * MAX_EXPLAINERS` are tried for each finding: those of its own node, then the
    earliest.
    """
    groups: dict[str, _CausesOfRule] = {}  # by rule
    for cause in sorted((f for f in findings if f.role is Role.CAUSE and f.rule in packs.rules), key=_time_or_first):
        groups.setdefault(cause.rule, _CausesOfRule(compares_nodes(packs.rules[cause.rule].when))).add(cause)
    order = {finding.id: index for index, finding in enumerate(findings)}

    @functools.cache  # many findings are of few rules
    def find_explaining_rules(names: tuple[str, ...], patterns: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(
            rule
            for rule, causes in groups.items()
            if _matches_any(packs.rules[rule].explains, names) or causes.are_named(patterns)
        )

    explained = []
    for finding in findings:
        if _is_context_of_another_time(finding, packs):
            explained.append(finding)
            continue
        names = _names_of(finding)
        explaining_patterns = packs.rules[finding.rule].explained_by if finding.rule in packs.rules else ()
        propagated = packs.causes.get(finding.cause or "", UNKNOWN_CAUSE).propagated
        cause_ids: set[str] = set()
        for rule_id in find_explaining_rules(names, explaining_patterns):
            rule = packs.rules[rule_id]
            reach = rule.explains_within_s
            cause_ids.update(
                cause.id
                for cause in _explaining_causes(
                    rule, names, explaining_patterns, groups[rule_id], finding, context, propagated
                )
                if (cause.confidence >= finding.confidence or not _explains_in_turn(finding, cause, packs))
                and (not reach or _is_within_reach(reach, names, cause, finding, context.timeline))
            )
        explained.append(replace(finding, explained_by=tuple(sorted(cause_ids, key=order.__getitem__))))
    return explained


def _is_context_of_another_time(finding: Finding, packs: Packs) -> bool:
    """Return whether the finding became context because it belongs to another job or time, so nothing explains it."""
    rule = packs.rules.get(finding.rule)
    return finding.role is Role.CONTEXT and rule is not None and rule.role is not Role.CONTEXT


def _is_within_reach(
    reach: Mapping[str, float], names: tuple[str, ...], cause: Finding, finding: Finding, timeline: Timeline
) -> bool:
    """Return whether the finding is within the time window in which the cause may explain it.

    `reach` maps patterns of rules and causes to seconds. True if there is no window or a time is unknown.
    """
    windows = [seconds for pattern, seconds in reach.items() if _matches_any((pattern,), names)]
    if not windows or cause.time is None or finding.time is None:
        return True
    return abs(cause.time - finding.time) <= max(windows) + _error_between(cause, finding, timeline)


def _error_between(first: Finding, second: Finding, timeline: Timeline) -> float:
    """Return the possible error, in seconds, of the time between two findings."""
    return 0.0 if first.node == second.node else timeline.error_between(first.node or "", second.node or "")


def _explaining_causes(
    rule: Rule,
    names: tuple[str, ...],
    patterns: tuple[str, ...],
    causes: _CausesOfRule,
    finding: Finding,
    context: CausalContext,
    propagated: bool,
) -> Iterable[Finding]:
    """Return the findings of one rule (`causes`) that may explain `finding`.

    Args:
        rule: the rule of the causes.
        names: rule and cause of the finding; the `explains` of `rule` may name either.
        patterns: `explained_by` of the finding's rule. Its templates are filled before they are compared.
        causes: the findings of `rule`.
        finding: the finding to explain.
        context: the data that determines the order of findings.
        propagated: the finding's cause spreads to nodes that did nothing, as symptoms do (`Cause.propagated`).
    """
    if _matches_any(rule.explains, names):
        return _causes_in_time(causes, finding, context, propagated)
    if not patterns:
        return ()
    in_time = _causes_in_time(causes, finding, context, propagated)
    return (cause for cause in in_time if _matches_any(patterns, _names_of(cause)))


def _explains_in_turn(finding: Finding, cause: Finding, packs: Packs) -> bool:
    """Return whether the finding could also explain the cause. If so, the more certain of the two came first."""
    rule = packs.rules.get(finding.rule)
    return finding.role is Role.CAUSE and rule is not None and _matches_any(rule.explains, _names_of(cause))


def _names_of(finding: Finding) -> tuple[str, ...]:
    """Return the names by which a pattern can match a finding: its rule and its cause."""
    return (finding.rule, finding.cause) if finding.cause else (finding.rule,)


def _time_or_first(finding: Finding) -> float:
    return float("-inf") if finding.time is None else finding.time


def _causes_in_time(
    causes: _CausesOfRule, finding: Finding, context: CausalContext, propagated: bool
) -> Iterator[Finding]:
    """Yield the causes that are neither clearly later than the finding nor long over; those of its own node come first.

    `propagated`: see `_explaining_causes`.
    """
    own_node = causes.by_node.get(finding.node or "", ())
    if finding.role is Role.CAUSE and finding.node and not propagated:
        assigning = (
            cause
            for cause in causes.may_assign_fault(finding.cause)
            if _assigns_fault(cause, finding, causes.is_comparison)
        )
        accused_nodes = dict.fromkeys(
            node for event in finding.evidence[:MAX_NAMING_LINES] for node in context.accused_nodes(event)
        )
        linked_nodes = dict.fromkeys([*accused_nodes, *_sole_reporter(finding)])
        elsewhere: Iterable[Finding] = chain(
            causes.by_node.get("", ()), *(causes.by_node.get(node, ()) for node in linked_nodes), assigning
        )
    else:
        elsewhere = islice(causes.causes, MAX_COMPARED_CAUSES)
    is_about_end = (finding.cause or "").startswith("process.")
    candidates = (
        cause
        for cause in chain(own_node, elsewhere)
        if cause.id != finding.id and not (is_about_end and _ended_another_process(cause, context))
    )
    time, is_cause = finding.time, finding.role is Role.CAUSE
    in_time = (
        candidates
        if time is None  # nothing is clearly later than it, nor over before it
        else (
            cause
            for cause in candidates
            if not (
                (cause.time is not None and cause.time > time and _is_clearly_later(cause, finding, context.timeline))
                or (is_cause and _is_long_over(cause, finding, context))
            )
            or _is_hours_off(cause, finding, context.timeline)
        )
    )
    return islice(in_time, 2 * MAX_EXPLAINERS)  # twice, because those of its own node are among the others too


def _ended_another_process(cause: Finding, context: CausalContext) -> bool:
    """Return whether the cause names the process that it ended and that process does not belong to the job."""
    return owner_of_process(cause, context.pids.get(cause.node or "", ())) == "other"


def _sole_reporter(finding: Finding) -> set[str]:
    """Return the node if it alone wrote the lines that blame another node: the fault may be its own.

    A node that has a wrong address for a peer, or no network link, reports the peer as unreachable.
    """
    writers = {event.node for event in finding.evidence[:MAX_NAMING_LINES]}
    return writers if len(writers) == 1 and writers != {finding.node} and writers != {""} else set()


def _split_names(names: str | None) -> list[str]:
    """Return the names in a list such as `a, b and c`."""
    return re.split(r", | and ", names) if names else []


def _listed_nodes(cause: Finding) -> set[str]:
    """Return the names of the nodes that a cause of several nodes lists."""
    return {name for capture in ("nodes", "waiting") for name in _split_names(cause.captures.get(capture))}


def _assigns_fault(cause: Finding, finding: Finding, is_comparison: bool) -> bool:
    """Return whether several nodes report the same fault and the cause names the faulty one.

    It does if it compares nodes, or if other nodes wrote its lines. A cause of several nodes counts for each of them.
    """
    named = _listed_nodes(cause)
    if named and (finding.node in named or {event.node for event in finding.evidence[:MAX_NAMING_LINES]} <= named):
        return True  # two nodes claim one task: the errors of both follow from that, also those about other nodes
    is_derived = cause.evidence[0].kind is Kind.DERIVED is not finding.evidence[0].kind
    blames_another = cause.node not in (None, cause.evidence[0].node)
    return cause.cause == finding.cause and (
        is_derived or (cause.rule != finding.rule and (is_comparison or blames_another or cause.is_servers_own))
    )


@functools.lru_cache(maxsize=65536)
def _matches_any(patterns: tuple[str, ...], names: tuple[str, ...]) -> bool:
    whole_names, wildcards = _split_patterns(patterns)
    return not whole_names.isdisjoint(names) or any(
        fnmatch.fnmatchcase(name, pattern) for pattern in wildcards for name in names
    )


@functools.lru_cache(maxsize=65536)
def _split_patterns(patterns: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the patterns that are whole names, and those with wildcards."""
    wildcards = tuple(pattern for pattern in patterns if _has_wildcard(pattern))
    return frozenset(patterns).difference(wildcards), wildcards


def _is_clearly_later(cause: Finding, finding: Finding, timeline: Timeline) -> bool:
    if cause.time is None or finding.time is None or cause.time <= finding.time:
        return False
    slack = REPORT_LAG_S + _error_between(cause, finding, timeline)
    if finding.evidence[0].inferred:  # its time is that of an earlier line
        slack += UNSTAMPED_LINE_S
    return compare_times(cause.time, finding.time, slack) is Order.AFTER


def _is_hours_off(cause: Finding, finding: Finding, timeline: Timeline) -> bool:
    """Return whether the kernel and a program of one machine log the same moment with times whole hours apart."""
    cause_event, event = cause.evidence[0], finding.evidence[0]
    if cause.node != finding.node or cause.time is None or finding.time is None or cause_event.kind is event.kind:
        return False
    zoneless_files = {cause_event.locus.file, event.locus.file} & timeline.window.zoneless_files
    return cause_event.kind is Kind.KERNEL and bool(zoneless_files) and is_whole_hours(cause.time - finding.time)


def _is_long_over(cause: Finding, finding: Finding, context: CausalContext) -> bool:
    """Return whether the cause was over long before the trouble behind the finding began.

    Such a cause explains no other cause: it would replace the other as the answer, but is itself too old to be one. As
    long as no node makes a step, no cause is over. A derived cause (a hang, a slow task) is a lasting state. Any other
    cause is not over while its lines recur. A state that lasts until somebody repairs it explains the findings that
    name it as their cause, as a read-only file system explains a failed checkpoint.
    """
    if finding.time is None or cause.evidence[0].kind is Kind.DERIVED:
        return False
    if _is_named_lasting(cause, context.explained_by.get(finding.rule, ()), context.lasting_causes):
        return False
    if cause.id not in context.last_times:
        context.last_times[cause.id] = _last_time_of(cause, context.timeline)
    onset = onset_of(finding.time, context.last_step_time)
    return compare_times(context.last_times[cause.id], onset, STALE_AFTER_S) is Order.BEFORE


def list_lasting_causes(packs: Packs) -> frozenset[str]:
    """Return the ids of causes that last until somebody repairs them."""
    return frozenset(name for name, cause in packs.causes.items() if cause.lasting)


def _is_named_lasting(cause: Finding, explained_by: tuple[str, ...], lasting_causes: Collection[str]) -> bool:
    """Return whether the cause lasts until somebody repairs it, and `explained_by` names it."""
    return cause.cause in lasting_causes and _matches_any(explained_by, _names_of(cause))


def find_lasting(findings: Sequence[Finding], packs: Packs) -> frozenset[str]:
    """Return the ids of lasting causes (somebody must repair them) that an error of their own node names.

    They are not over, however old they are, even if the job made progress since.
    """
    by_id = {finding.id: finding for finding in findings if finding.role is Role.CAUSE}
    lasting_causes = list_lasting_causes(packs)
    return frozenset(
        name
        for error in findings
        if error.rule in packs.rules
        for name in error.explained_by
        if (cause := by_id.get(name))
        and cause.node == error.node
        and _is_named_lasting(cause, packs.rules[error.rule].explained_by, lasting_causes)
    )


def _last_time_of(cause: Finding, timeline: Timeline) -> float | None:
    """Return the time of the last line of the cause's signal on its node; the finding has only the first lines."""
    event = cause.evidence[0]
    last_events = timeline.by_signal.get(event.signal, {}).get(event.node, ())[-1:]
    times = (cause.time, *map(timeline.corrected_time, last_events))
    return max((time for time in times if time is not None), default=None)


def drop_silenced(findings: Sequence[Finding], packs: Packs) -> list[Finding]:
    """Return the findings except those that a more specific one silences.

    A finding silences those that its rule names (`silences`) and that rest on the same lines or block of its node. On
    another node, it silences those whose lines are all among its own, since it tells which node they are about.
    """
    by_node: dict[str | None, dict[str, list[Finding]]] = {}  # node → rule → findings
    by_line: dict[SourceLine, list[Finding]] = {}
    for finding in findings:
        by_node.setdefault(finding.node, {}).setdefault(finding.rule, []).append(finding)
        by_line.setdefault(_source_line(finding.evidence[0]), []).append(finding)
    silenced_by: dict[str, list[Finding]] = {}
    for finding in findings:
        rule = packs.rules.get(finding.rule)
        if rule is None or not rule.silences:
            continue
        same_node = (
            other
            for name, others in by_node[finding.node].items()
            if _matches_any(rule.silences, (name,))
            for other in others
            if _overlap(finding, other)
        )
        other_nodes = (
            other for other in _covered_on_other_nodes(finding, by_line) if _matches_any(rule.silences, (other.rule,))
        )
        for other in chain(same_node, other_nodes):
            if other.id != finding.id:
                silenced_by.setdefault(other.id, []).append(finding)
    for survivor in _survivors_of_cycles(findings, silenced_by):
        del silenced_by[survivor.id]
    _log_silenced(findings, silenced_by)
    return [finding for finding in findings if finding.id not in silenced_by]


def _survivors_of_cycles(
    findings: Sequence[Finding], silenced_by: Mapping[str, Sequence[Finding]]
) -> Iterator[Finding]:
    """Yield the most confident finding of each group that silence each other, so that one of each group stays.

    A finding may be dropped only if a finding that stays silences it, directly or through others.
    """
    silenced: dict[str, list[str]] = {}
    for name, silencers in silenced_by.items():
        for silencer in silencers:
            silenced.setdefault(silencer.id, []).append(name)
    reached = _reach((finding.id for finding in findings if finding.id not in silenced_by), silenced, set())
    for finding in sorted(findings, key=lambda finding: -finding.confidence):
        if finding.id not in reached:
            yield finding
            _reach([finding.id], silenced, reached)


def _reach(starts: Iterable[str], edges: Mapping[str, Sequence[str]], reached: set[str]) -> set[str]:
    """Add all nodes of the graph that can be reached from `starts` to `reached`, and return it."""
    pending = list(starts)
    while pending:
        name = pending.pop()
        if name not in reached:
            reached.add(name)
            pending += edges.get(name, ())
    return reached


def _log_silenced(findings: Sequence[Finding], silenced_by: Mapping[str, Sequence[Finding]]) -> None:
    if silenced_by:
        _log.info("%d findings are dropped, because more specific ones rest on the same lines", len(silenced_by))
    for finding in findings if silenced_by and _log.isEnabledFor(logging.DEBUG) else ():
        if winners := silenced_by.get(finding.id):
            file, line = finding.evidence[0].locus
            _log.debug(
                "finding %s on %s (%s:%s) is silenced by %s", finding.rule, finding.node, file, line, winners[-1].rule
            )


def _covered_on_other_nodes(finding: Finding, by_line: Mapping[SourceLine, Sequence[Finding]]) -> Iterator[Finding]:
    """Yield the findings of other nodes all of whose lines are lines of this finding."""
    for line in {_source_line(event) for event in finding.evidence}:
        for other in by_line.get(line, ()):
            if other.node != finding.node and all(
                any(_is_same_record(event, of_other) for event in finding.evidence) for of_other in other.evidence
            ):
                yield other


def _source_line(event: Event) -> SourceLine:
    return event.locus.file, event.locus.line


def _overlap(first: Finding, second: Finding) -> bool:
    """Return whether any two of their records, with their blocks, overlap."""
    return any(_overlap_in_file(event, other) for event in first.evidence for other in second.evidence)


def _overlap_in_file(event: Event, other: Event) -> bool:
    """Return whether two events rest on the same record, or one lies in the other's block."""
    if event.locus.file != other.locus.file:
        return False
    if event.locus.line == other.locus.line:
        return _is_same_record(event, other)
    begin, end = _line_span(event)
    other_begin, other_end = _line_span(other)
    return begin <= other_end and other_begin <= end


def _is_same_record(event: Event, other: Event) -> bool:
    """Return whether two events rest on the same record.

    One line may hold many records: an export that is one JSON document has all of them on line 1. A stream or a time
    that only one of the events has is not compared.
    """
    return (
        event.locus == other.locus
        and (not event.stream or not other.stream or event.stream == other.stream)
        and (event.time is None or other.time is None or event.time == other.time)
    )


def _line_span(event: Event) -> tuple[int, int]:
    line = event.locus.line or 0
    return line, line + len(event.block)
