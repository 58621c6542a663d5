"""Root causes, ranked: who is unexplained, earliest, accused, specific; with the reasons in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from analyzer.bundle import rotation_key
from analyzer.diagnosis.stories import OLD, Story, last_run, stood_since, trouble_of
from analyzer.incident import Finding
from analyzer.model import Event, Kind, Role, Severity
from analyzer.timeline.order import Timeline
from analyzer.timeline.zones import are_hours
from analyzer.untrusted.numbers import read_whole

INTERPRETER = re.compile(
    r"python|pypy|ipython|jupyter|pt_main|pt_data|ray|java|conda", re.I
).match  # runs training code
EARLIER = -0.5  # against a cause of an earlier run, or long before the first trouble
UNNAMED = -0.15  # against a cause of a node that went on until it lost another, as all did
WARNED, FOLLOWED = -0.3, -0.6  # against a cause: the machine went on; it follows from another
MANY = 0.6  # share of nodes at which a fault belongs to the job rather than to a node

Handicaps = list[tuple[float, str]]  # points and the reason


@dataclass(slots=True)
class Candidate:
    """A cause on a node, with what speaks for and against it. `score` orders, `why` explains."""

    finding: Finding
    score: float
    why: list[str]
    others: list[Finding]  # the same cause elsewhere
    survived: bool = False
    missed: float = 0.0  # of the score, because others lost its node, or it another that they name
    against: list[str] = field(default_factory=list)  # those of `why` that lowered the score

    def add(self, points: float, reason: str) -> None:
        self.score += points
        self.why.append(reason)
        if points < 0:
            self.against.append(reason)


def rank(
    findings: Sequence[Finding], stories: Mapping[str, Story], timeline: Timeline, quiet: frozenset[str] = frozenset()
) -> list[Candidate]:
    """Candidates, best first. That training went on speaks against a cause, unless it is a `quiet` one."""
    causes = [f for f in findings if f.role is Role.CAUSE and f.cause and f.severity >= Severity.WARNING]
    onset = _onset(findings)
    if onset is None:  # nobody complained: what was long over when the job began is no cause of its end
        onset = min((story.begun for story in stories.values() if story.begun is not None), default=None)
    since = None if onset is None else trouble_of(onset, stood_since(stories.values(), timeline))
    there = [story for story in stories.values() if story.node.present and story.name]
    nodes = [story for story in there if story.node.tasks] or there  # a pod's machine names nobody
    handicaps = _handicaps(causes, findings, timeline, since, last_run(stories.values()))
    candidates = _gather(causes, handicaps)
    first, bound = _first_node(candidates, timeline)
    named = _named_by_all(stories, len(nodes))
    for candidate in candidates:
        for points, reason in handicaps[candidate.finding.id]:
            candidate.add(points, reason)
        _weigh(candidate, stories, timeline, onset, len(nodes), quiet)
        if named and _lost_another(candidate, named, stories):
            candidate.missed += UNNAMED
            candidate.add(UNNAMED, f"all others, {candidate.finding.node} too, name {named.name} as lost")
        time = candidate.finding.time
        if first and candidate.finding.node == first and time is not None and time + timeline.error(first) < bound:
            candidate.add(0.1, "it is the earliest, beyond the clocks' error")
    candidates.sort(key=lambda one: (-one.score, one.finding.time or float("inf"), one.finding.id))
    return candidates


def _named_by_all(stories: Mapping[str, Story], nodes: int) -> Story | None:
    """The one node that every other names as lost, and on which something fatal was found."""
    lost = [s for s in stories.values() if s.name and nodes > 1 and len(s.accusers() - {""}) >= nodes - 1]
    fatal = [s for s in lost if any(one.severity is Severity.FATAL for one in s.own)]
    return fatal[0] if len(lost) == len(fatal) == 1 else None


def _lost_another(one: Candidate, named: Story, stories: Mapping[str, Story]) -> bool:
    """Nobody names its node, which itself lost the one that all name, and that one's fault does not follow from it."""
    story = stories.get(one.finding.node or "")
    if story is None or story is named or story.accused or one.finding.evidence[0].kind is Kind.DERIVED:
        return False
    follows = any(one.finding.id in own.explained_by for own in named.own)
    return not follows and any(accusation.accused == named.name for accusation in story.accuses)


def _is_over(finding: Finding, began: float, timeline: Timeline) -> bool:
    """All of its lines stand before the job's last start."""
    times = [timeline.time(event) for event in finding.evidence]
    late = [time for time in times if time is None or time + timeline.error(finding.node or "") >= began]
    return not late


def _onset(findings: Sequence[Finding]) -> float | None:
    """When peers first noticed: the earliest symptom."""
    return min(
        (f.time for f in findings if f.role is Role.SYMPTOM and f.time is not None and f.severity >= Severity.ERROR),
        default=None,
    )


def _gather(causes: Sequence[Finding], handicaps: Mapping[str, Handicaps]) -> list[Candidate]:
    """One candidate for each cause and node; further findings of both only raise it a little."""
    best: dict[tuple[str, str | None], Candidate] = {}
    start = {f.id: f.confidence + sum(points for points, _ in handicaps[f.id]) for f in causes}
    for finding in sorted(causes, key=lambda f: (-start[f.id], f.time or float("inf"))):
        key = (finding.cause or "", finding.node)
        if known := best.get(key):
            known.others.append(finding)
        else:
            best[key] = Candidate(finding, finding.confidence, [], [])
    return list(best.values())


def _handicaps(
    causes: Sequence[Finding],
    findings: Sequence[Finding],
    timeline: Timeline,
    onset: float | None,
    began: float | None,
) -> dict[str, Handicaps]:
    """What speaks against each from the start. Of one cause on a node the sound finding stands for all: not one that
    follows from it, nor one of an earlier failure; a warning is harmless if no error followed from it."""
    grave = {name for f in findings if f.severity >= Severity.ERROR for name in f.explained_by}
    return {one.id: list(_handicaps_of(one, one.id in grave, timeline, onset, began)) for one in causes}


def _handicaps_of(
    finding: Finding, grave: bool, timeline: Timeline, onset: float | None, began: float | None
) -> Iterator[tuple[float, str]]:
    if finding.severity is Severity.WARNING and not grave:
        yield WARNED, "it is a warning: the machine went on"
    if finding.explained_by:
        yield FOLLOWED, "another finding explains it"
    if (age := _age(finding, onset)) is not None and not _is_hours_off(finding, age, timeline):
        yield EARLIER, f"it happened {_span(age)} before the first trouble"
    if began is not None and _is_over(finding, began, timeline):
        yield EARLIER, "the job was started again after it"


def _age(finding: Finding, onset: float | None) -> float | None:
    """Seconds from it to the first trouble, where they are too many for it to be of the same failure."""
    derived = finding.evidence[0].kind is Kind.DERIVED  # put together from lines of many times
    if finding.time is None or onset is None or derived or finding.time >= onset - OLD:
        return None
    return onset - finding.time


def _is_hours_off(finding: Finding, age: float, timeline: Timeline) -> bool:
    """It would be of the moment of the first trouble, but for the hour: what no zone stands beside says no more."""
    evidence = finding.evidence[0]
    grave = evidence.kind is Kind.KERNEL and finding.severity is Severity.FATAL
    if not grave or not timeline.span.local or not are_hours(age) or finding.time is None:
        return False
    same = timeline.by_signal.get(evidence.signal, {}).get(evidence.node, ())
    return all((time := timeline.time(event)) is None or time < finding.time + age - OLD for event in same)


def _weigh(
    one: Candidate,
    stories: Mapping[str, Story],
    timeline: Timeline,
    onset: float | None,
    nodes: int,
    quiet: frozenset[str],
) -> None:
    finding = one.finding
    story = stories.get(finding.node or "")
    if story is not None:
        _weigh_story(one, story, nodes, one.finding.id in quiet)
    if finding.time is None or onset is None or _age(finding, onset) is not None:
        return
    if finding.time <= onset + timeline.error(finding.node or ""):
        one.add(0.05, "it stands before the first symptom of the others")


def _first_node(candidates: Sequence[Candidate], timeline: Timeline) -> tuple[str | None, float]:
    """The node of the earliest candidate, and before when one of its own must stand to precede those of all others.

    None where a clock is unknown: then nothing is known to be first.
    """
    timed = [(one.finding.time, one.finding.node) for one in candidates if one.finding.time is not None]
    if any(node not in timeline.clocks for _, node in timed):
        return None, 0.0
    node = min(timed)[1] if timed else None
    rivals = [time - timeline.error(other or "") for time, other in timed if other != node]
    return (node, min(rivals)) if rivals else (None, 0.0)


def _weigh_story(one: Candidate, story: Story, nodes: int, quiet: bool) -> None:
    name = story.name or "the job"
    if accusers := story.accusers() - {""}:
        others = max(len(accusers), nodes - 1)
        points = 0.25 * len(accusers) / others
        one.missed += points
        one.add(points, f"{_share(len(accusers), others)} {name} as lost")
    elif story.accused:
        one.add(0.2, f"what started the job names {name} as lost")
    if story.died_by_signal and one.finding.evidence[0].kind is Kind.DERIVED:
        one.add(0.15, f"the exit status of {name} says signal {story.died_by_signal}")
    evidence = one.finding.evidence[0]
    _weigh_pid(one, evidence, story)
    if quiet:
        return
    if _went_on(evidence, story):
        one.survived = True
        one.add(-0.5, f"training on {name} went on after it")
        if one.finding.evidence[-1] is not evidence and _went_on(one.finding.evidence[-1], story):
            one.add(-0.2, "as after it came again")
    earlier = [
        s
        for s in story.symptoms
        if s.time is not None and one.finding.time is not None and s.time < one.finding.time - 0.5
    ]
    if earlier and story.accuses and not story.accused:
        one.add(-0.3, f"{name} had already lost a peer when it appeared")
    if story.ended_well and evidence.kind not in (Kind.KERNEL, Kind.DERIVED):
        one.survived = True
        one.add(-0.4, f"{name} ended well")


def _share(accusers: int, others: int) -> str:
    if others == 1:
        return "the only other node names"
    return f"{accusers} of {others} other nodes {'names' if accusers == 1 else 'name'}"


def _weigh_pid(one: Candidate, evidence: Event, story: Story) -> None:
    """Whose process the kernel speaks of. A helper of the job may be in no log, but is an interpreter as the job is."""
    pid, comm = read_whole(evidence.captures.get("pid")), evidence.captures.get("comm", "")
    if evidence.kind is not Kind.KERNEL or pid is None or not comm:
        return
    if pid in story.pids:
        one.add(0.05, f"pid {pid} is the job's own")
    elif not INTERPRETER(comm):
        one.add(-0.25, f"nothing says that {comm} (pid {pid}) is a process of the job")


def _went_on(event: Event, story: Story) -> bool:
    """A step was made behind the event, as far as order can be trusted."""
    last = story.progress
    if last is None or event.kind is Kind.DERIVED:
        return False
    if last.locus.file == event.locus.file and last.stream == event.stream:
        return (last.locus.line or 0) > (event.locus.line or 0) + len(event.block) and not _is_flushed(event, story)
    (log, place), (other, before) = rotation_key(last.locus.file), rotation_key(event.locus.file)
    if log == other and last.locus.file != event.locus.file:
        return place > before  # a later part of the same rotated log
    return event.time is not None and last.time is not None and last.time > event.time + 30.0


def _is_flushed(event: Event, story: Story) -> bool:
    """Steps printed without a time stand behind an error although they were made before it: Python keeps what goes to
    a file or pipe in a buffer until the process ends, and a progress bar ends its line then.

    Such steps were either all printed at the end, or the last one is no further than those before the error. Only of a
    task that was lost this is believed.
    """
    line = event.locus.line or 0
    near = [one for one in story.paces if one.locus.file == event.locus.file and one.stream == event.stream]
    before = [one for one in near if (one.locus.line or 0) < line]
    after = [one for one in near if (one.locus.line or 0) > line + len(event.block)]
    if not story.accused or not after or any(not one.inferred and one.time is not None for one in after):
        return False
    return not before or len(after) == 1


def _span(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
