"""The last leg: rules over the timeline, what follows from several files, rank, verdict, incident."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from analyzer.assemble import Assembly
from analyzer.diagnosis.blame import accusations, settle
from analyzer.diagnosis.differences import describe_facts, note_oddities
from analyzer.diagnosis.explained import explain, silence
from analyzer.diagnosis.fold import fold_crashes
from analyzer.diagnosis.limits import tell_limits
from analyzer.diagnosis.masks import masker
from analyzer.diagnosis.observe import observe
from analyzer.diagnosis.rank import rank
from analyzer.diagnosis.rivals import compare
from analyzer.diagnosis.scene import Scene
from analyzer.diagnosis.signature import sign
from analyzer.diagnosis.silence import watch_progress
from analyzer.diagnosis.stories import Story, tell
from analyzer.diagnosis.templates import Known
from analyzer.diagnosis.unknown import find_unknown, fold_unknown, scope_of
from analyzer.diagnosis.verdict import decide, quiet_ones
from analyzer.facts.skew import collect_settings, describe_common, describe_skew
from analyzer.incident import Finding, Incident
from analyzer.model import Clock, Event, Kind, Locus, Node, Reach, Role
from analyzer.rules.conditions import signals_of
from analyzer.rules.evaluate import Missing, find, move
from analyzer.rules.types import Packs
from analyzer.timeline.lifetime import find_span
from analyzer.timeline.order import Timeline
from analyzer.timeline.ours import find_ours
from analyzer.timeline.progress import Progress, follow

KEPT = 20_000  # events that the incident carries for the timeline


def conclude(assembly: Assembly, packs: Packs, notes: Sequence[str] = (), good: Known | None = None) -> Incident:
    registry = assembly.registry
    settled = settle(assembly.timeline.events, assembly.blame)
    timeline = assembly.timeline = assembly.timeline.without(settled, assembly.sources)
    kinds = {source.file: source.kind for source in assembly.sources}
    timeline.ours = find_ours(timeline.events, assembly.feeds, assembly.nodes, kinds)
    workers = (node.name for node in assembly.nodes if node.present and node.tasks)
    timeline.span = find_span(timeline, assembly.feeds, workers, assembly.vague)
    derived = [
        rule for rule in packs.rules.values() if any(name.startswith("derived.") for name in signals_of(rule.when))
    ]
    direct = [rule for rule in packs.rules.values() if rule not in derived]
    asked = frozenset(name for rule in derived for name in signals_of(rule.when))
    found, missing = find(direct, timeline, assembly.blame, packs)
    found = _place(silence(found, packs), timeline, assembly, packs)
    blamed = accusations([event for event in timeline.events if not timeline.is_outside(event)], assembly.blame)
    everyone = [*assembly.nodes, Node("")]  # lines that belong to no known node have a story too
    stories = tell(timeline, everyone, assembly.feeds, blamed, found)
    _join(stories, assembly)
    settings = collect_settings(timeline.events, assembly.feeds, assembly.stated)
    progress = follow(timeline, assembly.feeds)
    scene = Scene(
        stories,
        registry,
        assembly.voices,
        timeline,
        vague=_feeding(assembly, "accuses", unresolved=True),
        members=_feeding(assembly, "member"),
        dumped=_feeding(assembly, "stack"),
        settings=settings,
        inets=assembly.inets,
        asked=asked,
        progress=progress,
        spoken=_last_spoken(assembly),
    )
    timeline.add([*observe(scene), *watch_progress(scene)])
    more, lacking = find(derived, timeline, assembly.blame, packs, found)
    numbered = _number([*found, *more])  # apart: those of the second round are counted anew
    findings = explain(_number(silence(numbered, packs)), packs, timeline, assembly.blame.accused)
    stories = tell(timeline, everyone, assembly.feeds, blamed, findings)
    _join(stories, assembly)
    strange = find_unknown(timeline, findings, packs)
    quiet = quiet_ones(findings, packs.causes)
    candidates = rank(findings, stories, timeline, quiet)
    verdict, roots = decide(candidates, findings, stories, packs, len(strange), quiet)
    of_finding = {one.finding.id: one for one in candidates}
    roots, undecided = compare(roots, [of_finding[root.finding.id] for root in roots], stories, assembly.sources)
    findings = _settle(findings, roots[0].finding.id if roots else None)
    findings = [_count(finding, assembly) for finding in findings]
    findings, roots = fold_crashes(findings, roots)
    mask = masker(name for node in assembly.nodes for name in (node.name, *node.hosts))
    scope = scope_of(stories, findings, roots, good)
    unknown = fold_unknown(strange, timeline, scope, mask, assembly.shapes)
    return Incident(
        verdict=verdict,
        root_causes=tuple(note_oddities(roots, settings)),
        findings=tuple(findings),
        nodes=tuple(_silent(story, progress.get(story.name)) for story in stories.values() if story.name),
        sources=tuple(assembly.sources),
        events=tuple(_sampled(timeline.events)),
        accusations=tuple(blamed),
        cores=tuple(assembly.cores),
        skew=(*describe_facts(stories, assembly.voices, registry), *describe_skew(settings)),
        settings=describe_common(settings),
        unclassified=tuple(unknown),
        not_evaluated=(*_lacks([*missing, *lacking], packs), *_sourceless(packs, timeline)),
        noise=tuple(_noise(assembly, packs)),
        signatures=sign(verdict, roots, findings, unknown, mask),
        notes=(
            *notes,
            *assembly.notes,
            *undecided,
            *_slow([*missing, *lacking]),
            *tell_limits(stories, progress, roots, timeline),
        ),
        rule_packs=tuple({"name": p.name, "version": p.version, "rules": len(p.rules)} for p in packs.packs),
        series=tuple(assembly.series),
        causes=packs.causes,
        context={Locus(file, line): around for (file, line), around in assembly.context.items()},
    )


def _feeding(assembly: Assembly, word: str, unresolved: bool = False) -> list[Event]:
    return [
        event
        for event in assembly.timeline.events
        if word in assembly.feeds.get(event.signal, frozenset()) and not (unresolved and assembly.blame.accused(event))
    ]


def _place(findings: Sequence[Finding], timeline: Timeline, assembly: Assembly, packs: Packs) -> list[Finding]:
    """Several programs wrote into one file without a name; if its launcher names one dead node, the fault was
    that node's.
    """
    dead: dict[str, set[str]] = {}
    for event in timeline.events:
        if timeline.ours.disown(event):
            continue
        if event.captures.get("how") == "failed" or "exit" in assembly.feeds.get(event.signal, frozenset()):
            dead.setdefault(event.locus.file, set()).update(assembly.blame.accused(event))
    placed = []
    for finding in findings:
        nodes = dead.get(finding.evidence[0].locus.file, set())
        homeless = finding.node is None and finding.role is Role.CAUSE
        placed.append(move(finding, packs.rules.get(finding.rule), *nodes) if homeless and len(nodes) == 1 else finding)
    return placed


def _join(stories: Mapping[str, Story], assembly: Assembly) -> None:
    """Who joined the cluster: the leader's word for another task, or a task's own."""
    for event in assembly.timeline.events:
        good_for = assembly.feeds.get(event.signal, frozenset())
        if "connected" in good_for:
            name = assembly.registry.task(event.captures.get("task", "")) or event.node
            if name in stories:
                stories[name].connected = stories[name].connected or event


def _number(findings: Iterable[Finding]) -> list[Finding]:
    return [replace(finding, id=f"f{number}") for number, finding in enumerate(findings, 1)]


def _settle(findings: Sequence[Finding], top: str | None) -> list[Finding]:
    """Every symptom follows from the first root cause, before any other: symptoms never stand alone beside one."""
    if top is None:
        return list(findings)
    return [
        replace(f, explained_by=tuple(dict.fromkeys((top, *f.explained_by))))
        if f.role is Role.SYMPTOM and f.id != top
        else f
        for f in findings
    ]


def _count(finding: Finding, assembly: Assembly) -> Finding:
    """Where events were dropped, the exact number of lines stands in the source's counts."""
    signal = finding.evidence[0].signal
    exact = assembly.counts[signal, finding.evidence[0].node]
    kept = len(assembly.timeline.by_signal.get(signal, {}).get(finding.evidence[0].node, ()))
    return replace(finding, count=exact) if finding.count == kept < exact else finding


def _sampled(events: Sequence[Event]) -> Sequence[Event]:
    """The whole timeline if it is small; else every error and an even sample of the rest."""
    if len(events) <= KEPT:
        return events
    loud = [event for event in events if event.severity >= 3][: KEPT // 2]
    rest = [event for event in events if event.severity < 3]
    return [*loud, *rest[:: len(rest) // (KEPT // 2) + 1]]


def _lacks(missing: Iterable[Missing], packs: Packs) -> Iterable[Mapping[str, object]]:
    for lack in (one for one in missing if not one.slow):
        kinds = packs.signals[lack.signal].kinds if lack.signal in packs.signals else frozenset[Kind]()
        yield {
            "rule": lack.rule,
            "lacks": sorted(kind.value for kind in kinds) or ["any log"],
            "nodes": sorted(lack.nodes),
        }


def _slow(missing: Iterable[Missing]) -> Iterable[str]:
    for lack in missing:
        if lack.slow:
            yield f"rule {lack.rule} was not judged: its test {lack.slow!r} takes too long on what a line says"


def _sourceless(packs: Packs, timeline: Timeline) -> Iterable[Mapping[str, object]]:
    """Cause rules that rest on a kind of source of which the bundle holds nothing."""
    present = {kind for kinds in timeline.kinds.values() for kind in kinds}
    for rule in packs.rules.values():
        wanted = [packs.signals[name].kinds for name in signals_of(rule.when) if name in packs.signals]
        if rule.role is Role.CAUSE and wanted and all(kinds and not kinds & present for kinds in wanted):
            yield {"rule": rule.id, "lacks": sorted({kind.value for kinds in wanted for kind in kinds}), "nodes": []}


def _noise(assembly: Assembly, packs: Packs) -> Iterable[Mapping[str, object]]:
    totals: Counter[str] = Counter()
    for (signal, _), count in assembly.counts.items():
        if packs.signals[signal].noise:
            totals[signal] += count
    examples = {event.signal: event.text[:300] for event in reversed(assembly.timeline.events)}
    return [
        {"signal": signal, "count": count, "example": examples.get(signal)} for signal, count in totals.most_common()
    ]


def _last_spoken(assembly: Assembly) -> float | None:
    clocks = assembly.timeline.clocks
    times = [
        clocks.get(source.node or "", Clock()).correct(source.last_time)
        for source in assembly.sources
        if source.last_time is not None and source.kind in (Kind.WORKER, Kind.SCHEDULER, Kind.UNKNOWN)
    ]
    return max(times, default=None)


def _silent(story: Story, progress: Progress | None) -> Node:
    reach = None
    if progress:
        reach = Reach(progress.position[0] or None, progress.position[1], progress.time, progress.pace)
    node = replace(story.node, reach=reach)
    if story.accused and not story.ended_well and story.last_time is not None and story.accuses == []:
        return replace(node, silent_since=story.last_time)
    return node
