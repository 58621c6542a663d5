"""The last leg: what was found is ranked, the verdict given, the incident written down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from analyzer.assembly.types import Assembly
from analyzer.diagnosis.blame import Blame
from analyzer.diagnosis.differences import describe_facts, note_oddities
from analyzer.diagnosis.fold import fold_crashes
from analyzer.diagnosis.framing import frame
from analyzer.diagnosis.gaps import find_gaps, tell_slow
from analyzer.diagnosis.judge import judge
from analyzer.diagnosis.limits import tell_limits
from analyzer.diagnosis.masks import masker
from analyzer.diagnosis.rank import rank
from analyzer.diagnosis.rivals import compare
from analyzer.diagnosis.signature import sign
from analyzer.diagnosis.stories import Story
from analyzer.diagnosis.templates import Known
from analyzer.diagnosis.unknown import MOST, find_unknown, fold_unknown, scope_of, tell_overflow
from analyzer.diagnosis.verdict import decide, quiet_ones
from analyzer.diagnosis.witnesses import call_witnesses
from analyzer.facts.skew import describe_common, describe_skew
from analyzer.incident import Finding, Incident, Noise, RuleChange, RulePack
from analyzer.model import Event, Locus, Node, Reach, Role, Severity
from analyzer.redact.cut import cut
from analyzer.rules.types import Packs
from analyzer.timeline.order import Timeline
from analyzer.timeline.progress import Progress

KEPT = 20_000  # events that the incident carries for the timeline


def conclude(assembly: Assembly, packs: Packs, notes: Sequence[str] = (), good: Known | None = None) -> Incident:
    blame = Blame(assembly.registry, assembly.feeds)
    timeline = frame(assembly, blame)
    judged = judge(assembly, timeline, blame, packs)
    findings, stories = judged.findings, judged.stories
    strange = find_unknown(timeline, findings, packs)
    quiet = quiet_ones(findings, packs.causes)
    candidates = rank(findings, stories, timeline, quiet)
    verdict, roots = decide(candidates, findings, stories, packs, len(strange), quiet)
    if verdict == "no-failure" and not any(source.status in ("read", "partly-read") for source in assembly.sources):
        verdict = "undiagnosed"  # nothing was understood that could show how the job ended
    of_finding = {one.finding.id: one for one in candidates}
    roots, undecided = compare(roots, [of_finding[root.finding.id] for root in roots], stories, assembly.sources)
    findings = _settle(findings, roots[0].finding.id if roots else None)
    findings = [_count(finding, assembly.counts, timeline) for finding in findings]
    findings, roots = fold_crashes(findings, roots)
    roots = call_witnesses(roots, findings, stories)
    mask = masker(name for node in assembly.nodes for name in (node.name, *node.hosts))
    scope = scope_of(stories, findings, roots, good)
    unknown = fold_unknown(strange, timeline, scope, mask, assembly.shapes)
    return Incident(
        verdict=verdict,
        root_causes=tuple(note_oddities(roots, judged.settings)),
        findings=tuple(findings),
        nodes=tuple(_silent(story, judged.progress.get(story.name)) for story in stories.values() if story.name),
        sources=tuple(assembly.sources),
        events=tuple(_sampled(timeline.events)),
        accusations=tuple(judged.blamed),
        cores=tuple(assembly.cores),
        skew=(*describe_facts(stories, assembly.voices, assembly.registry), *describe_skew(judged.settings)),
        settings=describe_common(judged.settings),
        unclassified=tuple(unknown[:MOST]),
        not_evaluated=tuple(find_gaps(judged.missing, packs, timeline)),
        noise=tuple(_noise(assembly.counts, timeline, packs)),
        signatures=sign(verdict, roots, findings, unknown, mask),
        notes=(
            *notes,
            *(f"{change}." for change in packs.changes),
            *assembly.notes,
            *undecided,
            *tell_slow(judged.missing),
            *tell_limits(stories, judged.progress, roots, timeline),
            *tell_overflow(unknown, assembly.shapes),
        ),
        rule_packs=tuple(RulePack(name=p.name, version=p.version, rules=len(p.rules)) for p in packs.packs),
        rule_changes=tuple(
            RuleChange(file=change.file, switched_off=list(change.off), replaced=list(change.replaced))
            for change in packs.changes
        ),
        series=tuple(assembly.series),
        causes=packs.causes,
        context={Locus(file, line): around for (file, line), around in assembly.context.items()},
    )


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


def _count(finding: Finding, counts: Counter[tuple[str, str]], timeline: Timeline) -> Finding:
    """Where events were dropped, the exact number of lines stands in the source's counts."""
    signal, node = finding.evidence[0].signal, finding.evidence[0].node
    kept = len(timeline.by_signal.get(signal, {}).get(node, ()))
    return replace(finding, count=counts[signal, node]) if finding.count == kept < counts[signal, node] else finding


def _sampled(events: Sequence[Event]) -> Sequence[Event]:
    """The whole timeline if it is small; else every error and an even sample of the rest."""
    if len(events) <= KEPT:
        return events
    loud = [event for event in events if event.severity >= Severity.ERROR][: KEPT // 2]
    rest = [event for event in events if event.severity < Severity.ERROR]
    return [*loud, *rest[:: len(rest) // (KEPT // 2) + 1]]


def _noise(counts: Counter[tuple[str, str]], timeline: Timeline, packs: Packs) -> Iterable[Noise]:
    totals: Counter[str] = Counter()
    for (signal, _), count in counts.items():
        if packs.signals[signal].noise:
            totals[signal] += count
    examples = {event.signal: cut(event.text, 300) for event in reversed(timeline.events)}
    return [
        {"signal": signal, "count": count, "example": examples.get(signal)} for signal, count in totals.most_common()
    ]


def _silent(story: Story, progress: Progress | None) -> Node:
    reach = None
    if progress:
        reach = Reach(progress.position[0] or None, progress.position[1], progress.time, progress.pace)
    node = replace(story.node, reach=reach)
    if story.accused and not story.ended_well and story.last_time is not None and story.accuses == []:
        return replace(node, silent_since=story.last_time)
    return node
