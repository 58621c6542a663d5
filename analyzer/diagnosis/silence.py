"""What nobody says: training that stands still, that slows down, and who stopped first."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from itertools import islice

from analyzer.diagnosis.scene import Scene
from analyzer.diagnosis.stories import Story
from analyzer.facts.cluster import APART
from analyzer.model import Event, Kind, Severity
from analyzer.timeline.progress import Progress, common_position

STILL = 30.0  # seconds without a step, and …
PACES = 10  # … times the usual step, that are no mere pause
SLOWER = 2.0  # times
PROOFS = 4
_BEFORE = ((0, 0), (1, 0))  # where nobody has made a step yet


def watch_progress(scene: Scene) -> Iterator[Event]:
    """`derived.stood_still`, `derived.stopped_first` and `derived.slowed`."""
    training = {
        node: progress
        for node, progress in scene.progress.items()
        if (story := scene.stories.get(node)) and not all(task.startswith(APART) for task in story.node.tasks or ("",))
    }
    yield from _stood_at_start(scene)
    if training:
        yield from _stood_still(scene, training)
        yield from _hung_and_ended(scene, training)
        yield from _stopped_first(scene, training)
        yield from _slowed(scene, training)


def _stood_still(scene: Scene, training: dict[str, Progress]) -> Iterator[Event]:
    """All tasks stop at the same step, none has ended, and none says why.

    `how` is `stands` where lines behind it show that time went by, `ends` where the logs just stop there: then nobody
    can tell a hang from logs that were cut or copied while the job ran.
    """
    stories = [scene.stories[node] for node in training]
    if any(_speaks(story) for story in scene.stories.values()) or any(story.ended_well for story in stories):
        return
    if any(_complains(event, training) for event in scene.timeline.events):
        return
    if (where := common_position(list(training.values()))) is None or where[0] in _BEFORE:
        return
    still, pace = _still_for(scene, training), _pace(training)
    stands = still is not None and still >= max(STILL, PACES * (pace or 0.0))
    if not stands and (len(training) < 2 or any(story.exited for story in stories)):
        return
    behind = [node for node, progress in training.items() if progress in where[1]]
    proofs = [progress.last for progress in islice(training.values(), PROOFS)]
    yield from scene.derive(
        "derived.stood_still",
        behind[0] if len(behind) == 1 else "",
        proofs[:1] if not behind else [training[behind[0]].last, *proofs],
        how="stands" if stands else "ends",
        where=max(training.values(), key=lambda one: one.position).step,
        seconds=f"{still:.0f}" if still is not None else None,
        tasks=str(len(training)),
    )


def _stood_at_start(scene: Scene) -> Iterator[Event]:
    """All tasks that are known joined, none says a step or an error, and time went by: `how` is `start`. Programs that
    say their steps in words which nobody knows look alike."""
    stories = [story for story in scene.stories.values() if story.name]
    tasks = [story for story in stories if story.node.tasks]
    if len(tasks) < 2 or any(not story.node.present or story.begun is None for story in tasks):
        return
    if any(_speaks(story) or story.progress or story.ended_well for story in scene.stories.values()):
        return
    begun = max(story.begun for story in tasks if story.begun is not None)
    if scene.spoken is None or scene.spoken - begun < STILL:
        return
    yield from scene.derive(
        "derived.stood_still",
        "",
        [story.last for story in islice(tasks, PROOFS) if story.last],
        how="start",
        where="its start",
        seconds=f"{scene.spoken - begun:.0f}",
        tasks=str(len(tasks)),
    )


def _hung_and_ended(scene: Scene, training: dict[str, Progress]) -> Iterator[Event]:
    """Nobody made a step for long, and only then a connection broke: the job hung before somebody ended it."""
    steps = [progress.dated for progress in training.values() if progress.dated is not None]
    if len(steps) < 2 or any(story.own or story.ended_well for story in scene.stories.values()):
        return
    behind = [
        (time, one.event)
        for story in scene.stories.values()
        for one in story.accuses
        if (time := scene.timeline.time(one.event)) is not None and time > max(steps)
    ]
    if not behind or any(event.captures.get("how", "lost") != "lost" for _, event in behind):
        return  # missing heartbeats and timeouts tell who it was
    first, proof = min(behind, key=lambda pair: pair[0])
    error = 2 * max(scene.timeline.error(node) for node in training)
    if first - max(steps) < max(STILL, PACES * (_pace(training) or STILL)) + error:
        return
    yield from scene.derive(
        "derived.stood_still",
        "",
        [*(progress.last for progress in islice(training.values(), PROOFS)), proof],
        how="broken",
        where=max(training.values(), key=lambda one: one.position).step,
        seconds=f"{first - max(steps):.0f}",
        tasks=str(len(training)),
    )


def _speaks(story: Story) -> bool:
    """It names an error, a lost peer, or is named. How a launcher ended its tasks is no word of theirs."""
    symptoms = [one for one in story.symptoms if one.evidence[0].kind is not Kind.SCHEDULER]
    return bool(story.errors or symptoms or story.accuses or story.accused)


def _complains(event: Event, training: dict[str, Progress]) -> bool:
    """An error behind a task's last step, whether a rule knows it or not: that is not silence."""
    last = training[event.node].last if event.node in training else None
    if last is None or event.severity < Severity.ERROR or event.kind not in (Kind.WORKER, Kind.UNKNOWN):
        return False
    if event.locus.file == last.locus.file:
        return (event.locus.line or 0) > (last.locus.line or 0)
    return event.time is None or last.time is None or event.time >= last.time


def _still_for(scene: Scene, training: dict[str, Progress]) -> float | None:
    """Seconds from the last step of all to the last line of all; None where steps have no times."""
    steps = [progress.dated for progress in training.values() if progress.dated is not None]
    return scene.spoken - max(steps) if steps and scene.spoken is not None else None


def _pace(training: dict[str, Progress]) -> float | None:
    paces = [pace for progress in training.values() if (pace := progress.pace) is not None]
    return statistics.median(paces) if paces else None


def _stopped_first(scene: Scene, training: dict[str, Progress]) -> Iterator[Event]:
    """The one task whose last step is earlier than that of all others, beyond the clocks' error and a few steps."""
    timed = sorted((progress.time, node) for node, progress in training.items() if progress.time is not None)
    if len(timed) < 2 or len(timed) < len(training):
        return
    (first, node), (second, other) = timed[:2]
    error = scene.timeline.error(node) + scene.timeline.error(other)
    gap = second - first - error
    if scene.stories[node].ended_well or gap <= 3 * (_pace(training) or 1.0):
        return
    yield from scene.derive(
        "derived.stopped_first",
        node,
        [training[node].last],
        where=training[node].step,
        others=training[timed[-1][1]].step,
        seconds=f"{second - first:.1f}",
        within=f"{error:.1f}",
    )


def _slowed(scene: Scene, training: dict[str, Progress]) -> Iterator[Event]:
    """The pace of most tasks at the end is a fraction of what it was."""
    found = [(change, progress) for progress in training.values() if (change := progress.slowing()) is not None]
    slow = [(change, progress) for change, progress in found if change[1] > SLOWER * change[0]]
    if found and 2 * len(slow) > len(found):
        before, after = (statistics.median(change[side] for change, _ in slow) for side in (0, 1))
        yield from scene.derive(
            "derived.slowed", "", [slow[0][1].last], before=f"{before:.3g}", after=f"{after:.3g}", tasks=str(len(slow))
        )
