"""What became of each node: started, trained, spoke last, ended how, named whom, was named by whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from analyzer.feeds import Feeds
from analyzer.incident import Accusation, Finding
from analyzer.model import Event, Kind, Node, Role, Severity
from analyzer.timeline.order import Timeline
from analyzer.untrusted.numbers import read_whole

WAITED = 7200.0  # seconds that members may wait before they complain
AGAIN = 2.0  # seconds that lie between two starts of one task at least
OLD = 600.0  # seconds before the first trouble at which an event is taken for an old one

_TELLING = frozenset(
    ("started", "identity", "connected", "progress", "finished", "succeeded", "traceback", "fatal", "exit")
)
_PERHAPS = ("input", "epoch", "closed", "trained")  # ends that a step behind them takes back
SPEAKING = (Kind.WORKER, Kind.UNKNOWN, Kind.SCHEDULER)  # by whose lines a task is heard


@dataclass(slots=True)
class Story:
    """Facts of one node, in corrected time (UTC seconds). `last` is its latest kept event."""

    node: Node
    started: Event | None = None
    starts: dict[str, list[float]] = field(default_factory=dict)  # by the signal that says so: corrected times
    begun: float | None = None  # when it was first seen at work
    connected: Event | None = None  # somebody, or it itself, says that it joined
    progress: Event | None = None  # its last step
    paces: list[Event] = field(default_factory=list)  # all steps that were kept, in corrected order
    steps: int = 0  # highest step or epoch seen
    finished: Event | None = None
    final: bool = False  # in the last of its epochs
    completed: Event | None = None  # the last step of the last epoch
    exited: Event | None = None
    succeeded: Event | None = None  # what ran the job says that all of it ended well
    last: Event | None = None
    last_time: float | None = None
    accuses: list[Accusation] = field(default_factory=list)
    accused: list[Accusation] = field(default_factory=list)
    own: list[Finding] = field(default_factory=list)  # causes found on it
    symptoms: list[Finding] = field(default_factory=list)
    errors: list[Event] = field(default_factory=list)  # tracebacks and fatal lines of its own
    pids: set[int] = field(default_factory=set)  # of its processes and their threads, as the job's own lines state them

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def exit_code(self) -> int | None:
        code = self.exited.captures.get("code") if self.exited else None
        return read_whole(code)

    @property
    def died_by_signal(self) -> str | None:
        return self.exited.captures.get("signal") if self.exited else None

    @property
    def ended_well(self) -> bool:
        if self.exit_code is not None:
            return self.exit_code == 0
        if self.finished is not None and self.finished.captures.get("how") == "epoch":
            # It went, and hangs not.
            return any(one.event.captures.get("how", "lost") == "lost" for one in self.accused)
        return self.finished is not None or self.completed is not None

    def accusers(self) -> set[str]:
        return {accusation.accuser for accusation in self.accused}


def tell(timeline: Timeline, nodes: Iterable[Node], feeds: Feeds, blamed: Sequence[Accusation]) -> dict[str, Story]:
    """A story for every node, also for those that left nothing, by what lines say."""
    stories = {node.name: Story(node) for node in nodes}
    go_on(stories, timeline.events, timeline, feeds)
    for accusation in blamed:
        if accusation.accuser in stories:
            stories[accusation.accuser].accuses.append(accusation)
        if accusation.accused in stories:
            stories[accusation.accused].accused.append(accusation)
    return stories


def go_on(stories: Mapping[str, Story], events: Iterable[Event], timeline: Timeline, feeds: Feeds) -> None:
    """With further events, in corrected order."""
    for event in events:
        if (story := stories.get(event.node)) and not timeline.ours.disown(event):
            _note(story, event, feeds.of(event), timeline)


def enter(stories: Mapping[str, Story], findings: Iterable[Finding]) -> None:
    """What was found on each node, in the place of what was found before."""
    for each in stories.values():
        each.own, each.symptoms = [], []
    for finding in findings:
        if (story := stories.get(finding.node or "")) and finding.severity >= Severity.ERROR:
            if finding.role is Role.CAUSE and not _is_old(finding, story):
                story.own.append(finding)
            elif finding.role is Role.SYMPTOM:
                story.symptoms.append(finding)


def _is_old(finding: Finding, story: Story) -> bool:
    """Long over when the task began to work: nothing that it could have died of."""
    return finding.time is not None and story.begun is not None and finding.time < story.begun - OLD


def _note(story: Story, event: Event, good_for: frozenset[str], timeline: Timeline) -> None:
    if not good_for.isdisjoint(_TELLING):  # few events say more than that somebody speaks
        _note_facts(story, event, good_for, timeline)
    if event.kind is Kind.WORKER:
        story.pids.update(filter(None, (event.pid, event.tid)))
    if event.kind in SPEAKING:
        story.last = _later(story.last, event)
    if event.kind is not Kind.KERNEL and (time := timeline.time(event)) is not None:
        story.last_time = time if story.last_time is None else max(story.last_time, time)


def _note_facts(story: Story, event: Event, good_for: frozenset[str], timeline: Timeline) -> None:
    if story.begun is None and good_for & {"started", "identity", "connected", "progress"}:
        story.begun = timeline.time(event)
    if "started" in good_for or ("identity" in good_for and event.captures.get("address")):
        story.started = story.started or event
    if "started" in good_for and not event.inferred and (time := timeline.time(event)) is not None:
        story.starts.setdefault(event.signal, []).append(time)
        if _restarts(story, time, timeline):
            story.finished = story.completed = None  # that was an earlier run
    if "progress" in good_for:
        story.progress = _later(story.progress, event)
        story.paces.append(event)
        if story.finished and story.finished.captures.get("how") in _PERHAPS:
            story.finished = None  # only an epoch had ended, or a script
        _count_down(story, event.captures)
        if story.final and event.captures.get("steps") == event.captures.get("step", ""):
            story.completed = event
        story.steps = max(
            story.steps,
            *(value for name in ("step", "epoch") if (value := read_whole(event.captures.get(name))) is not None),
            0,
        )
    if "finished" in good_for and (story.progress or event.captures.get("how") != "trained"):
        story.finished = event
    if "succeeded" in good_for:
        story.succeeded = event
    if good_for & {"traceback", "fatal"}:
        story.errors.append(event)
    if "exit" in good_for:
        story.exited = event


def _restarts(story: Story, time: float, timeline: Timeline) -> bool:
    """Its one task begins after it had ended."""
    ended = story.finished or story.completed
    before = timeline.time(ended) if ended else None
    return bool(story.name) and len(story.node.tasks) <= 1 and before is not None and time > before


def last_run(stories: Iterable[Story]) -> float | None:
    """When the job was started for the last time: most of its tasks say more than once that they begin, one task each.

    None where it was started once, or only some of its tasks were.
    """
    alone = [story for story in stories if story.node.present and story.starts and len(story.node.tasks) <= 1]
    again = [
        max(times[-1] for times in story.starts.values() if times[-1] > times[0] + AGAIN)
        for story in alone
        if any(times[-1] > times[0] + AGAIN for times in story.starts.values())
    ]
    return min(again) if again and 2 * len(again) > len(alone) else None


def stood_since(stories: Iterable[Story], timeline: Timeline) -> float | None:
    """When the last step of all was made: who waits in a collective complains long after (NCCL's half an hour)."""
    steps = (timeline.time(story.progress) for story in stories if story.progress is not None)
    return max((time for time in steps if time is not None), default=None)


def trouble_of(complaint: float, since: float | None) -> float:
    """When that began of which somebody complains: at once, or when the last step was made."""
    return since if since is not None and complaint - WAITED < since < complaint else complaint


def _count_down(story: Story, said: Mapping[str, str]) -> None:
    """Keras says "Epoch 3/3", then how many of its steps are done. A further `fit` starts at its first epoch again."""
    if said.get("epochs"):
        story.final, story.completed = said["epochs"] == said.get("epoch"), None


def _later(known: Event | None, event: Event) -> Event:
    """The event that stands further down; events come in corrected order, files break ties by line."""
    if known is not None and known.locus.file == event.locus.file and (known.locus.line or 0) > (event.locus.line or 0):
        return known
    return event
