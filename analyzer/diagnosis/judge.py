"""Rules over the timeline, in two rounds: over what lines say, then over what several files say together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from analyzer.assembly.types import Assembly
from analyzer.diagnosis.blame import Blame, accusations
from analyzer.diagnosis.elsewhere import place_elsewhere
from analyzer.diagnosis.explained import Ground, drop_silenced, explain
from analyzer.diagnosis.observe import observe
from analyzer.diagnosis.scene import Scene
from analyzer.diagnosis.silence import watch_progress
from analyzer.diagnosis.stories import Story, enter, go_on, stood_since, tell
from analyzer.facts.skew import Settings, collect_settings
from analyzer.incident import Accusation, Finding
from analyzer.model import Clock, Event, Kind, Node, Role
from analyzer.rules.conditions import signals_of
from analyzer.rules.evaluate import Missing, find, move
from analyzer.rules.types import Packs, Rule
from analyzer.timeline.order import Timeline
from analyzer.timeline.progress import Progress, follow


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was found, and in which stories of nodes it stands."""

    findings: Sequence[Finding]
    missing: Sequence[Missing]
    stories: Mapping[str, Story]
    blamed: Sequence[Accusation]
    settings: Settings
    progress: Mapping[str, Progress]


def judge(assembly: Assembly, timeline: Timeline, blame: Blame, packs: Packs) -> Judgement:
    """Adds to the timeline what follows from several files."""
    derived, direct = list[Rule](), list[Rule]()
    for rule in packs.rules.values():
        several = any(name.startswith("derived.") for name in signals_of(rule.when))
        (derived if several else direct).append(rule)
    found, missing = find(direct, timeline, blame, packs)
    found = _place(drop_silenced(found, packs), timeline, assembly, blame, packs)
    found = place_elsewhere(found, _feeding("ran_on", assembly, timeline), blame, packs)
    accusing = _feeding("accuses", assembly, timeline)
    blamed = accusations([event for event in accusing if not timeline.is_outside(event)], blame)
    settings = collect_settings(timeline.events, assembly.feeds, assembly.stated)
    progress = follow(timeline, assembly.feeds)
    stories = _tell(assembly, timeline, blamed)
    enter(stories, found)
    scene = Scene(
        stories,
        assembly.registry,
        assembly.voices,
        timeline,
        vague=[event for event in accusing if not blame.accused(event)],
        members=_feeding("member", assembly, timeline),
        dumped=_feeding("stack", assembly, timeline),
        settings=settings,
        inets=assembly.inets,
        asked=frozenset(name for rule in derived for name in signals_of(rule.when)),
        progress=progress,
        spoken=_last_spoken(assembly),
    )
    concluded = [*observe(scene), *watch_progress(scene)]
    timeline.add(concluded)
    go_on(stories, concluded, timeline, assembly.feeds)
    more, lacking = find(derived, timeline, blame, packs, found)
    numbered = _number([*found, *more])  # apart: those of the second round are counted anew
    ground = Ground(timeline, blame.accused, stood_since(stories.values(), timeline))
    findings = explain(_number(drop_silenced(numbered, packs)), packs, ground)
    enter(stories, findings)
    return Judgement(findings, [*missing, *lacking], stories, blamed, settings, progress)


def _tell(assembly: Assembly, timeline: Timeline, blamed: Sequence[Accusation]) -> dict[str, Story]:
    """The nodes' stories, with who joined the cluster: the leader's word for another task, or a task's own."""
    everyone = [*assembly.nodes, Node("")]  # lines that belong to no known node have a story too
    stories = tell(timeline, everyone, assembly.feeds, blamed)
    for event in _feeding("connected", assembly, timeline):
        name = assembly.registry.task(event.captures.get("task", "")) or event.node
        if name in stories:
            stories[name].connected = stories[name].connected or event
    return stories


def _feeding(word: str, assembly: Assembly, timeline: Timeline) -> list[Event]:
    names = assembly.feeds.signals(word)
    return [event for event in timeline.events if event.signal in names]


def _place(
    findings: Sequence[Finding], timeline: Timeline, assembly: Assembly, blame: Blame, packs: Packs
) -> list[Finding]:
    """Several programs wrote into one file without a name; if its launcher names one dead node, the fault was
    that node's.
    """
    dead: dict[str, set[str]] = {}
    for event in timeline.events:
        if timeline.ours.disown(event):
            continue
        if event.captures.get("how") == "failed" or assembly.feeds.says("exit", event):
            dead.setdefault(event.locus.file, set()).update(blame.accused(event))
    placed = []
    for finding in findings:
        nodes = dead.get(finding.evidence[0].locus.file, set())
        homeless = finding.node is None and finding.role is Role.CAUSE
        placed.append(move(finding, packs.rules.get(finding.rule), *nodes) if homeless and len(nodes) == 1 else finding)
    return placed


def _number(findings: Iterable[Finding]) -> list[Finding]:
    return [replace(finding, id=f"f{number}") for number, finding in enumerate(findings, 1)]


def _last_spoken(assembly: Assembly) -> float | None:
    clocks = assembly.timeline.clocks
    times = [
        clocks.get(source.node or "", Clock()).correct(source.last_time)
        for source in assembly.sources
        if source.last_time is not None and source.kind in (Kind.WORKER, Kind.SCHEDULER, Kind.UNKNOWN)
    ]
    return max(times, default=None)
