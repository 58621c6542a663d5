"""Members that are gone, cut off, stopped, or never came."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from analyzer.diagnosis.scene import SLACK, Scene, task_of
from analyzer.diagnosis.stories import Story
from analyzer.facts.cluster import read_task
from analyzer.incident import Accusation
from analyzer.model import Event, Locus

_GONE = frozenset({"lost", "refused"})  # what peers say of a process that is not there


def lost_peers(scene: Scene) -> Iterator[Event]:
    """An accused node that shows no cause of its own: gone, cut off, stopped, or never reachable."""
    for story in scene.stories.values():
        if not (story.accused or story.died_by_signal or _failed_silently(story)) or story.own:
            continue
        seen = _how(story.accused)
        signal = _fate(story, seen, scene)
        if signal is None:
            continue
        logged = story.last if story.node.present else None
        proofs = [*([logged] if logged else []), *_one_each(seen, scene)]
        yield from scene.derive(
            signal,
            story.name,
            proofs,
            task=task_of(story),
            step=str(story.steps) if story.progress else None,
            code=str(story.exit_code) if story.exit_code is not None else None,
            exit_signal=story.died_by_signal,
            log="stops" if logged else None,
            left=None if logged else "no line",
        )


def _how(accusations: Iterable[Accusation]) -> dict[str, list[Event]]:
    seen: dict[str, list[Event]] = {}
    for accusation in accusations:
        seen.setdefault(accusation.event.captures.get("how", "lost"), []).append(accusation.event)
    return seen


def _failed_silently(story: Story) -> bool:
    """Its exit status says that it failed, and neither it nor anybody else says a word."""
    return story.exit_code not in (None, 0) and not (story.errors or story.symptoms or story.accuses)


def _fate(story: Story, seen: Mapping[str, list[Event]], scene: Scene) -> str | None:
    if _left_for_a_peer(story, seen, scene) or _named_beside_another(story, scene):
        return None
    died = bool(story.died_by_signal) or (story.exit_code not in (None, 0) and not story.accuses)
    if not died and _never_answered(story, seen, scene):
        return "derived.never_started"
    if "lost" in seen or died or ("refused" in seen and story.node.present):
        if story.ended_well:
            return "derived.finished_early"
        if _never_reached(story, seen, scene) or _cut_off(story, seen, scene):
            return "derived.unreachable"
        if story.errors and not died:
            return None  # it said why, in words that no rule knows: not a silent end
        if _goes_on(story, seen, scene):
            return None  # it outlived its accusers: it lost its own peer, or was cut off
        return "derived.vanished"
    if "unresolved" in seen:
        return None  # a rule of its own says so
    if "silent" in seen:
        if story.ended_well:
            return "derived.finished_early"
        if _stepped_on(story, seen["silent"], scene):
            return None  # it was late and came: the others wait for it no longer
        return "derived.isolated" if _goes_on(story, seen, scene) else "derived.stalled"
    if "unanswered" in seen:  # who cannot reach the leader may be cut off itself
        awake = _goes_on(story, seen, scene) or any(one.event.captures.get("how") != "late" for one in story.accuses)
        return "derived.stalled" if story.node.present and not awake else None
    if "unreachable" in seen or "refused" in seen:  # who refuses and left no log may never have come up
        return "derived.unreachable" if story.node.present else "derived.never_started"
    if "late" in seen and not story.connected:
        if not story.node.present or story.last is None:
            return "derived.never_started"
        return "derived.never_connected"
    return None


def _never_answered(story: Story, seen: Mapping[str, list[Event]], scene: Scene) -> bool:
    """Nothing of it is here, nobody made a step, and all that is said of it is that no connection could be made."""
    said = [event.captures for events in seen.values() for event in events]
    if story.node.present or story.connected or any(other.progress for other in scene.stories.values()):
        return False
    return bool(said) and all("attempt" in captures or captures.get("how") == "refused" for captures in said)


def _never_reached(story: Story, seen: Mapping[str, list[Event]], scene: Scene) -> bool:
    """It joined, nobody ever made a step, no node shows a fault of its own, and it lived on until those who had not
    reached it were gone: only then it missed them."""
    everyone = scene.stories.values()
    if any(other.own or other.died_by_signal for other in everyone):
        return False
    if any(pace.captures.get("step") for other in everyone for pace in other.paces):
        return False
    return bool(story.node.present and story.connected and story.accuses) and _goes_on(story, seen, scene)


def _cut_off(story: Story, seen: Mapping[str, list[Event]], scene: Scene) -> bool:
    """Its connections broke while it lived on: what it complains of came later, no node shows a fault of its own, and
    all others that are missed had lost a peer before.
    """
    everyone = [other for other in scene.stories.values() if other is not story]
    if any(other.own or other.died_by_signal for other in everyone) or not story.node.present or not story.accuses:
        return False
    first = min(_missed(seen, scene), default=None)
    complaints = [scene.timeline.time(event) for event in (*story.errors, *(one.event for one in story.accuses))]
    if first is None or story.name not in scene.timeline.clocks:
        return False
    behind = first + SLACK + scene.timeline.error(story.name)
    later = all(time is not None and time > behind for time in complaints)
    return later and all(_left_for_a_peer(other, _how(other.accused), scene) for other in everyone if other.accused)


def _left_for_a_peer(story: Story, seen: Mapping[str, list[Event]], scene: Scene) -> bool:
    """It had lost a peer itself before anybody missed it: it ended for that, and says so."""
    lost = [
        time
        for one in story.accuses
        if one.event.captures.get("how", "lost") in _GONE and (time := scene.timeline.time(one.event)) is not None
    ]
    missed = _missed(seen, scene)
    if not lost and not missed:  # no time anywhere: a closed connection is seen at once, missing heartbeats much later
        return _GONE.isdisjoint(seen) and any(one.event.captures.get("how", "lost") in _GONE for one in story.accuses)
    return bool(lost and missed) and min(lost) <= min(missed) + scene.timeline.error(story.name)


def _missed(seen: Mapping[str, list[Event]], scene: Scene) -> list[float]:
    """When others said that they miss it, as far as it is known; corrected."""
    return [time for events in seen.values() for event in events if (time := scene.timeline.time(event)) is not None]


def _named_beside_another(story: Story, scene: Scene) -> bool:
    """All who name it have it from what it raised, and say at that time of another, whom they saw themselves, that it
    is gone: a coordinator counts a worker as failed when that one cannot reach a parameter server."""
    if not story.accused or story.exited or not story.node.present:
        return False
    for one in story.accused:
        when = scene.timeline.time(one.event)
        if when is None or not one.event.captures.get("hearsay") or one.accuser not in scene.stories:
            return False
        others = (other.event for other in scene.stories[one.accuser].accuses if other.accused != story.name)
        seen = (event for event in others if event.captures.get("how") in _GONE and not event.captures.get("hearsay"))
        if not any((time := scene.timeline.time(event)) is not None and time <= when + SLACK for event in seen):
            return False
    return True


def _goes_on(story: Story, seen: Mapping[str, list[Event]], scene: Scene) -> bool:
    """It still logged, or complained of others itself, after it was first accused."""
    first = min(_missed(seen, scene), default=None)
    if first is None or story.last_time is None:
        return bool(story.accuses)
    error = scene.timeline.error(story.name) if story.name in scene.timeline.clocks else 0.0
    end = _word_of_its_end(story)
    complaints = [scene.timeline.time(one.event) for one in story.accuses]
    complaints += [one.time for one in story.symptoms if one.evidence[0].locus != end]
    lately = first - SLACK - error
    complains = any(time is None or time > lately for time in complaints)  # not of a start that is long over
    return story.last_time > first + SLACK + error or (complains and story.last_time > lately)


def _stepped_on(story: Story, complaints: Iterable[Event], scene: Scene) -> bool:
    """It made a step after the last complaint: further down in the same file, or later beyond the clocks' error."""
    step = story.progress
    return step is not None and all(_is_behind(step, one, scene) for one in complaints)


def _is_behind(step: Event, complaint: Event, scene: Scene) -> bool:
    if step.locus.file == complaint.locus.file:
        return (step.locus.line or 0) > (complaint.locus.line or 0)
    return scene.timeline.is_before(complaint, step) is True


def _word_of_its_end(story: Story) -> Locus | None:
    """What its parent says of its end, also below its own last line, is no word of its own."""
    if story.exited:
        return story.exited.locus
    return story.last.locus if story.last and "code" in story.last.captures else None


def _one_each(seen: Mapping[str, list[Event]], scene: Scene) -> list[Event]:
    """The first accusing line of each accuser."""
    first: dict[str, Event] = {}
    for event in sorted(
        (event for events in seen.values() for event in events), key=lambda event: scene.timeline.time(event) or 0
    ):
        first.setdefault(event.node, event)
    return list(first.values())


def never_seen(scene: Scene) -> Iterator[Event]:
    """Ran, but the leader lists others as connected and never this one; accused or not."""
    # Who came is in the leader's log alone: an agent's own line says nothing of the others.
    lists = [s.connected for s in scene.stories.values() if s.connected and read_task(s.connected.captures.get("task"))]
    joined = [story.connected for story in scene.stories.values() if story.connected]
    for story in scene.stories.values():
        if story.accused or story.own or story.connected or not joined or story.progress:
            continue
        if (not story.started and not story.node.tasks) or (not story.node.present and not lists):
            continue
        proofs = [event for event in (story.last, *joined[:1]) if event]
        signal = "derived.never_connected" if story.node.present and story.last else "derived.never_started"
        yield from scene.derive(signal, story.name, proofs, task=task_of(story))


def absent_peers(scene: Scene) -> Iterator[Event]:
    """Lines that say a peer is lost without a name that leads to a node of the bundle."""
    by_node: dict[str | None, list[Event]] = {}
    for event in scene.vague:
        by_node.setdefault(event.node, []).append(event)
    for node, story in scene.stories.items():
        if story.own:
            continue
        vague = by_node.get(node, [])
        named = [
            one.event for one in story.accuses if not scene.stories[one.accused].node.present and one.event not in vague
        ]
        if vague and not story.accuses:
            yield from scene.derive("derived.absent_peer", node, vague[:3], how=vague[0].captures.get("how"))
        elif named and not any(scene.stories[one.accused].node.present for one in story.accuses):
            yield from scene.derive("derived.absent_peer", node, named[:3], how=named[0].captures.get("how"))


def absent_member(scene: Scene) -> Iterator[Event]:
    """All are up, nobody joined, nobody trains, and the task that all must join, or the only other, left nothing."""
    leaders = [scene.registry.task(task) for task in ("chief:0", "worker:0")]
    leader = next((name for name in leaders if name), None)
    absent = [story.name for story in scene.stories.values() if story.name and not story.node.present]
    awaited = leader if leader in absent else absent[0] if len(absent) == 1 else None
    others = [story for story in scene.stories.values() if story.node.present and story.started]
    if awaited is None or not scene.stories[awaited].node.tasks or scene.stories[awaited].accused or not others:
        return
    if any(story.connected or story.progress or story.own or story.accuses for story in scene.stories.values()):
        return
    proofs = [story.last or story.started for story in others if story.started]
    yield from scene.derive(
        "derived.never_started", awaited, filter(None, proofs), task=task_of(scene.stories[awaited])
    )
