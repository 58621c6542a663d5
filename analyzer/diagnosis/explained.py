"""Which finding follows from which cause, and which a more specific one replaces."""

from __future__ import annotations

import fnmatch
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from analyzer.diagnosis.stories import OLD, trouble_of
from analyzer.incident import Finding
from analyzer.model import Event, Kind, Role
from analyzer.rules.conditions import compares
from analyzer.rules.types import Packs, Rule
from analyzer.timeline.order import Timeline
from analyzer.timeline.zones import are_hours

Place = tuple[str, int | None]  # a file and a line of it
LAG = 5.0  # seconds by which a cause may be told of after what follows from it
UNSTAMPED = 120.0  # seconds that a line without a stamp may be later than the stamped one before it
NAMING = 3  # lines of a finding that are asked whom they name
EXPLAINERS = 20  # causes of one rule that are named for a symptom; a thousand nodes may have them all


@dataclass(frozen=True, slots=True)
class Ground:
    """What the order of findings rests on."""

    timeline: Timeline
    accused: Callable[[Event], Sequence[str]]  # whom a line names
    since: float | None = None  # when the job made its last step


def explain(findings: Sequence[Finding], packs: Packs, ground: Ground) -> list[Finding]:
    """Each finding with the ids of those that explain it. A cause explains another cause on its own node
    alone, unless it tells whose fault it is that others report too, or the other's lines name its node as the peer that
    failed.

    Of one rule's causes at most EXPLAINERS are named for a symptom: those of its own node, then the earliest.
    """
    groups: dict[str, dict[str | None, list[Finding]]] = {}  # rule → node (None: every) → causes, earliest first
    for cause in sorted((f for f in findings if f.role is Role.CAUSE and f.rule in packs.rules), key=_when):
        for node in dict.fromkeys((None, cause.node or "")):
            groups.setdefault(cause.rule, {}).setdefault(node, []).append(cause)
    order = {finding.id: place for place, finding in enumerate(findings)}
    explained = []
    for finding in findings:
        if _is_foreign(finding, packs):
            explained.append(finding)
            continue
        names = tuple(filter(None, (finding.rule, finding.cause)))
        above = packs.rules[finding.rule].explained_by if finding.rule in packs.rules else ()
        echo = packs.causes.get(finding.cause or "", {}).get("echo", "").lower() == "true"
        ids = {
            cause.id
            for rule, causes in groups.items()
            for cause in _above(packs.rules[rule], names, above, causes, finding, ground, echo)
            if cause.confidence >= finding.confidence or not _explained_back(finding, cause, packs)
            if _reaches(packs.rules[rule].reach, names, cause, finding, ground.timeline)
        }
        explained.append(replace(finding, explained_by=tuple(sorted(ids, key=order.__getitem__))))
    return explained


def _is_foreign(finding: Finding, packs: Packs) -> bool:
    """Context that its rule calls something else: it is of another time than the job, and follows from nothing here."""
    rule = packs.rules.get(finding.rule)
    return finding.role is Role.CONTEXT and rule is not None and rule.role is not Role.CONTEXT


def _reaches(
    reach: Mapping[str, float], names: tuple[str, ...], cause: Finding, other: Finding, timeline: Timeline
) -> bool:
    """Whether the finding lies in the window of the edge that leads to it."""
    spans = [seconds for edge, seconds in reach.items() if _explains((edge,), names)]
    if not spans or cause.time is None or other.time is None:
        return True
    return abs(cause.time - other.time) <= max(spans) + _clock_error(cause, other, timeline)


def _clock_error(one: Finding, other: Finding, timeline: Timeline) -> float:
    """Seconds by which the distance of two findings may be wrong: none on one node."""
    return 0.0 if one.node == other.node else timeline.error(one.node or "") + timeline.error(other.node or "")


def _above(
    rule: Rule,
    names: tuple[str, ...],
    explained_by: tuple[str, ...],
    causes: Mapping[str | None, Sequence[Finding]],
    finding: Finding,
    ground: Ground,
    echo: bool,
) -> Iterator[Finding]:
    """One rule's causes of the finding. A cause that is a template is known only once it is filled."""
    compared = compares(rule.when)
    if _explains(rule.explains, names):
        yield from _earlier(causes, finding, ground, compared, echo)
    elif explained_by:
        for cause in _earlier(causes, finding, ground, compared, echo):
            if _explains(explained_by, tuple(filter(None, (cause.rule, cause.cause)))):
                yield cause


def _explained_back(finding: Finding, cause: Finding, packs: Packs) -> bool:
    """Each could follow from the other: then the surer of the two came first."""
    rule = packs.rules.get(finding.rule)
    names = tuple(filter(None, (cause.rule, cause.cause)))
    return finding.role is Role.CAUSE and rule is not None and _explains(rule.explains, names)


def _when(finding: Finding) -> float:
    return float("-inf") if finding.time is None else finding.time


def _earlier(
    causes: Mapping[str | None, Sequence[Finding]],
    other: Finding,
    ground: Ground,
    compared: bool,
    echo: bool,
) -> Iterator[Finding]:
    """Causes of one rule that are not clearly later than `other`, those of its own node first.

    `compared`: the rule compares the nodes. `echo`: the other stands on nodes that did nothing, as symptoms do.
    """
    near = causes.get(other.node or "", ())
    if other.role is Role.CAUSE and other.node and not echo:
        told = (cause for cause in islice(causes[None], 10 * EXPLAINERS) if _tells_whose(cause, other, compared))
        named = dict.fromkeys(node for event in other.evidence[:NAMING] for node in ground.accused(event))
        rest: Iterable[Finding] = chain(causes.get("", ()), *(causes.get(node, ()) for node in named), told)
    else:
        rest = islice(causes[None], 10 * EXPLAINERS)  # the earliest: where they are too late, so are the others
    fitting = (
        cause
        for cause in chain(near, rest)
        if cause.id != other.id
        and (
            _hours_off(cause, other, ground.timeline)
            or not (_clearly_later(cause, other, ground.timeline) or _long_over(cause, other, ground.since))
        )
    )
    return islice(fitting, 2 * EXPLAINERS)  # the near ones stand among the rest too


def _tells_whose(cause: Finding, other: Finding, compared: bool) -> bool:
    """One fault that several nodes report alike, and of which a comparison of all nodes says whose it is."""
    derived = cause.evidence[0].kind is Kind.DERIVED is not other.evidence[0].kind
    return cause.cause == other.cause and (derived or (compared and cause.rule != other.rule))


@functools.lru_cache(maxsize=65536)
def _explains(patterns: tuple[str, ...], names: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns for name in names)


def _clearly_later(cause: Finding, other: Finding, timeline: Timeline) -> bool:
    if cause.time is None or other.time is None:
        return False
    slack = LAG + _clock_error(cause, other, timeline)
    if other.evidence[0].inferred:  # it has the time of a line before it: that much later it may have been
        slack += UNSTAMPED
    return cause.time > other.time + slack


def _hours_off(cause: Finding, other: Finding, timeline: Timeline) -> bool:
    """A machine and a program on it tell of one moment, and of its hour differently."""
    one, another = cause.evidence[0], other.evidence[0]
    if cause.node != other.node or cause.time is None or other.time is None or one.kind is another.kind:
        return False
    vague = {one.locus.file, another.locus.file} & timeline.span.local
    return one.kind is Kind.KERNEL and bool(vague) and are_hours(cause.time - other.time)


def _long_over(cause: Finding, other: Finding, since: float | None) -> bool:
    """What happened long before does not answer for another cause: it would take it away and be too old itself. While
    nobody made a step, nothing is over.

    What was concluded from many lines (a hang, a slow task) is a state that lasts.
    """
    lasts = cause.evidence[0].kind is Kind.DERIVED
    if lasts or other.role is not Role.CAUSE or cause.time is None or other.time is None:
        return False
    return cause.time < trouble_of(other.time, since) - OLD


def drop_silenced(findings: Sequence[Finding], packs: Packs) -> list[Finding]:
    """Drops a general finding where a more specific one that names it stands on the same lines or block.

    One of another node goes where all of its lines are among those of the specific one, which tells whose fault they
    report.
    """
    by_node: dict[str | None, list[Finding]] = {}
    by_place: dict[Place, list[Finding]] = {}
    for finding in findings:
        by_node.setdefault(finding.node, []).append(finding)
        by_place.setdefault(_place(finding.evidence[0]), []).append(finding)
    gone: set[str] = set()
    for finding in findings:
        rule = packs.rules.get(finding.rule)
        if rule is None or not rule.silences:
            continue
        near = (other for other in by_node[finding.node] if _named(rule, other) and _overlap(finding, other))
        far = (other for other in _elsewhere(finding, by_place) if _named(rule, other))
        gone.update(other.id for other in chain(near, far) if other.id != finding.id)
    return [finding for finding in findings if finding.id not in gone]


def _elsewhere(finding: Finding, by_place: Mapping[Place, Sequence[Finding]]) -> Iterator[Finding]:
    """Those of other nodes that stand on nothing but lines of this one."""
    places = {_place(event) for event in finding.evidence}
    for other in chain.from_iterable(by_place.get(place, ()) for place in places):
        if other.node != finding.node and all(_place(event) in places for event in other.evidence):
            yield other


def _place(event: Event) -> Place:
    return event.locus.file, event.locus.line


def _named(rule: Rule, other: Finding) -> bool:
    return any(fnmatch.fnmatchcase(other.rule, pattern) for pattern in rule.silences)


def _overlap(one: Finding, other: Finding) -> bool:
    spans = [(e.locus.file, e.locus.line or 0, (e.locus.line or 0) + len(e.block)) for e in other.evidence]
    for event in one.evidence:
        line, end = event.locus.line or 0, (event.locus.line or 0) + len(event.block)
        if any(file == event.locus.file and line <= stop and start <= end for file, start, stop in spans):
            return True
    return False
