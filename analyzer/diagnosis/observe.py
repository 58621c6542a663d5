"""What no line says but several files together do, as events of kind `derived`; rules give them causes.

`how` of an accusation (set by the signal) says what the accuser saw: `lost` (closed, reset, refused), `silent` (no
heartbeats), `unanswered` (a leader that answers none), `unreachable` (connecting timed out), `unresolved` (no such
name), `late` (missing at a barrier), `duplicate` (a second incarnation of a task).
"""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from analyzer.diagnosis.stories import Story
from analyzer.facts.cluster import LOCAL, read_task, split_address
from analyzer.facts.nodes import Registry
from analyzer.facts.numbers import read_decimal, read_whole
from analyzer.facts.skew import Settings, odd_nodes, proof_of
from analyzer.facts.voices import Voice
from analyzer.model import Accusation, Event, Kind, Severity
from analyzer.timeline.order import Timeline
from analyzer.timeline.progress import Progress

SLACK = 2.0  # seconds that a dying process may still log after its peers saw it go
SLOW = 20.0  # milliseconds: steps that are shorter differ for no reason
_GONE = frozenset({"lost", "refused"})  # what peers say of a process that is not there
SETTING, EXITED = "derived.setting", "derived.exited"
DIFFERS = "derived.version_differs"
# Software of which a job must have one version, or of which it is at least worth knowing.
COMPONENTS = frozenset(
    """
    tensorflow tf-nightly keras python numpy protobuf horovod nccl cudnn cuda cudart driver kernel glibc jax jaxlib
    grpcio cuda-of-the-driver cuda-toolkit nvidia-nccl-cu11 nvidia-nccl-cu12 nvidia-cudnn-cu11 nvidia-cudnn-cu12
    """.split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that an observation may look at."""

    stories: Mapping[str, Story]
    registry: Registry
    voices: Sequence[Voice]
    timeline: Timeline
    vague: Sequence[Event] = ()  # accusations that name nobody known
    members: Sequence[Event] = ()  # what members of a collective brought
    settings: Settings = field(default_factory=dict)
    inets: Mapping[str, frozenset[str]] = field(default_factory=dict)  # node → its own IP addresses
    asked: frozenset[str] = frozenset()  # derived signals that rules name
    progress: Mapping[str, Progress] = field(default_factory=dict)  # of nodes that say their steps
    spoken: float | None = None  # corrected time of the last line of any training or scheduler log

    def derive(self, signal: str, node: str, proofs: Iterable[Event], **captures: str | None) -> Iterator[Event]:
        """One event for each proof, placed on `node` but pointing at the proof's line."""
        said = {name: value for name, value in captures.items() if value}
        for proof in proofs:
            time = self.timeline.time(proof)
            own = None if time is None else self.timeline.own_time(node, time)
            yield replace(
                proof,
                signal=signal,
                node=node,
                time=own,
                kind=Kind.DERIVED,
                severity=Severity.ERROR,
                block=(),
                captures={**proof.captures, **said},
                task=said.get("task") or (proof.task if proof.node == node else None),
            )


def observe(scene: Scene) -> list[Event]:
    """All derived events."""
    return [event for watch in _WATCHES for event in watch(scene)]


def _how(accusations: Iterable[Accusation]) -> dict[str, list[Event]]:
    seen: dict[str, list[Event]] = {}
    for accusation in accusations:
        seen.setdefault(accusation.event.captures.get("how", "lost"), []).append(accusation.event)
    return seen


def _task(story: Story) -> str | None:
    return story.node.tasks[0] if len(story.node.tasks) == 1 else None


def _lost_peers(scene: Scene) -> Iterator[Event]:
    """An accused node that shows no cause of its own: gone, cut off, stopped, or never reachable."""
    for story in scene.stories.values():
        if not (story.accused or story.died_by_signal or _failed_silently(story)) or story.own:
            continue
        seen = _how(story.accused)
        signal = _fate(story, seen, scene)
        if signal is None:
            continue
        proofs = [*([story.last] if story.last and story.node.present else []), *_one_each(seen, scene)]
        yield from scene.derive(
            signal,
            story.name,
            proofs,
            task=_task(story),
            step=str(story.steps) if story.progress else None,
            code=str(story.exit_code) if story.exit_code is not None else None,
            exit_signal=story.died_by_signal,
        )


def _failed_silently(story: Story) -> bool:
    """Its exit status says that it failed, and neither it nor anybody else says a word."""
    return story.exit_code not in (None, 0) and not (story.errors or story.symptoms or story.accuses)


def _fate(story: Story, seen: Mapping[str, list[Event]], scene: Scene) -> str | None:
    if _left_for_a_peer(story, seen, scene):
        return None
    died = bool(story.died_by_signal) or (story.exit_code not in (None, 0) and not story.accuses)
    if "lost" in seen or died or ("refused" in seen and story.node.present):
        if story.ended_well:
            return "derived.finished_early"
        if story.errors and not died:
            return None  # it said why, in words that no rule knows: not a silent end
        if _goes_on(story, seen, scene):
            return None  # it outlived its accusers: it lost its own peer, or was cut off
        return "derived.vanished"
    if "unresolved" in seen:
        return None  # a rule of its own says so
    if "silent" in seen:
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


def _left_for_a_peer(story: Story, seen: Mapping[str, list[Event]], scene: Scene) -> bool:
    """It had lost a peer itself before anybody missed it: it ended for that, and says so."""
    lost = [
        time
        for one in story.accuses
        if one.event.captures.get("how", "lost") in _GONE and (time := scene.timeline.time(one.event)) is not None
    ]
    missed = [time for events in seen.values() for event in events if (time := scene.timeline.time(event)) is not None]
    if not lost and not missed:  # no time anywhere: a closed connection is seen at once, missing heartbeats much later
        return _GONE.isdisjoint(seen) and any(one.event.captures.get("how", "lost") in _GONE for one in story.accuses)
    return bool(lost and missed) and min(lost) <= min(missed) + scene.timeline.error(story.name)


def _goes_on(story: Story, seen: Mapping[str, list[Event]], scene: Scene) -> bool:
    """It still logged, or complained of others itself, after it was first accused."""
    first = min(
        (time for events in seen.values() for event in events if (time := scene.timeline.time(event)) is not None),
        default=None,
    )
    if first is None or story.last_time is None:
        return bool(story.accuses)
    error = scene.timeline.error(story.name) if story.name in scene.timeline.clocks else 0.0
    complains = bool(story.accuses or story.symptoms)
    return story.last_time > first + SLACK + error or (complains and story.last_time > first - SLACK - error)


def _one_each(seen: Mapping[str, list[Event]], scene: Scene) -> list[Event]:
    """The first accusing line of each accuser."""
    first: dict[str, Event] = {}
    for event in sorted(
        (event for events in seen.values() for event in events), key=lambda event: scene.timeline.time(event) or 0
    ):
        first.setdefault(event.node, event)
    return list(first.values())


def _duplicates(scene: Scene) -> Iterator[Event]:
    for task, owners in scene.registry.owners.items():
        if len(owners) < 2:
            continue
        rightful = _rightful(task, owners, scene)
        for owner in owners:
            if owner == rightful:
                continue
            proofs = [
                event
                for voice in scene.voices
                if scene.registry.by_voice.get((voice.file, voice.stream)) == owner
                for _, event in voice.clusters[:1]
            ] or [event for event in [scene.stories[owner].started] if event]
            yield from scene.derive("derived.duplicate_task", owner, proofs, task=task, nodes=", ".join(sorted(owners)))


def _rightful(task: str, owners: Sequence[str], scene: Scene) -> str | None:
    """The claimant whose place among the machines is the task's index, or whose number is; else the first by name."""
    index = read_whole(task.rpartition(":")[2])
    order = [name for name, story in scene.stories.items() if name and story.node.present]  # natural order
    seated = [owner for owner in owners if order.index(owner) == index]
    numbered = [owner for owner in owners if (found := re.search(r"(\d+)$", owner)) and int(found[1]) == index]
    whole = scene.registry.cluster is not None and len(order) >= scene.registry.cluster.size  # else places have shifted
    tries = (seated, numbered) if whole else (numbered, seated)
    return next((fitting[0] for fitting in tries if len(fitting) == 1), owners[0])


def _clusters(scene: Scene) -> Iterator[Event]:
    common = scene.registry.cluster
    if common is None:
        return
    several = len(set(scene.registry.by_voice.values())) > 1
    for voice in scene.voices:
        node = scene.registry.by_voice.get((voice.file, voice.stream))
        if node is None or not voice.clusters:
            continue
        cluster, proof = voice.clusters[-1]
        hosts = [split_address(address)[0] for address in cluster.tasks().values()]
        local = [host for host in hosts if LOCAL.match(host)]
        if several and local and len(hosts) > 1 and len(set(hosts)) < len(hosts) and len(set(local)) == 1:
            yield from scene.derive("derived.localhost_cluster", node, [proof], address=local[0])
        if differs(cluster.jobs, common.jobs):
            yield from scene.derive(
                "derived.cluster_differs", node, [proof], key="cluster", value=str(dict(cluster.jobs))[:300]
            )


def _local_servers(scene: Scene) -> Iterator[Event]:
    """One serves at localhost, the others at names, and never meets them: its cluster is of its own machine alone."""
    servers = {story.name: story for story in scene.stories.values() if story.name and story.started}
    hosts = {
        name: split_address(address)[0]
        for name, story in servers.items()
        if story.started and (address := story.started.captures.get("address"))
    }
    local = {name for name, host in hosts.items() if LOCAL.match(host) and host != "0.0.0.0"}  # which is every address
    for name in local if len(local) < len(hosts) else ():
        story = servers[name]
        if story.node.present and story.started and not story.connected and not story.progress:
            yield from scene.derive("derived.localhost_cluster", name, [story.started], address=hosts[name])


def differs(one: Mapping[str, tuple[str | None, ...]], other: Mapping[str, tuple[str | None, ...]]) -> bool:
    """Disagree on a member that both name; TensorFlow 1 writes the own address as localhost, which is no difference."""
    for job in one.keys() & other.keys():
        if len(one[job]) != len(other[job]):
            return True
        for mine, theirs in zip(one[job], other[job], strict=True):
            if mine and theirs and mine != theirs and not any(LOCAL.match(split_address(a)[0]) for a in (mine, theirs)):
                return True
    return False


def _never_seen(scene: Scene) -> Iterator[Event]:
    """Ran, but the leader lists others as connected and never this one; accused or not."""
    # Who came is in the leader's log alone: an agent's own line says nothing of the others.
    lists = [s.connected for s in scene.stories.values() if s.connected and read_task(s.connected.captures.get("task"))]
    joined = {name for name, story in scene.stories.items() if story.connected}
    for story in scene.stories.values():
        if story.accused or story.own or story.connected or not joined or story.progress:
            continue
        if (not story.started and not story.node.tasks) or (not story.node.present and not lists):
            continue
        leader = next((scene.stories[name] for name in joined if scene.stories[name].connected), None)
        proofs = [event for event in (story.last, leader.connected if leader else None) if event]
        signal = "derived.never_connected" if story.node.present and story.last else "derived.never_started"
        yield from scene.derive(signal, story.name, proofs, task=_task(story))


def _absent_peers(scene: Scene) -> Iterator[Event]:
    """Lines that say a peer is lost without a name that leads to a node of the bundle."""
    for node, story in scene.stories.items():
        if story.own:
            continue
        vague = [event for event in scene.vague if event.node == node]
        named = [
            one.event for one in story.accuses if not scene.stories[one.accused].node.present and one.event not in vague
        ]
        if vague and not story.accuses:
            yield from scene.derive("derived.absent_peer", node, vague[:3], how=vague[0].captures.get("how"))
        elif named and not any(scene.stories[one.accused].node.present for one in story.accuses):
            yield from scene.derive("derived.absent_peer", node, named[:3], how=named[0].captures.get("how"))


def _odd_members(scene: Scene) -> Iterator[Event]:
    """A collective that members call differently: each line tells what one member has; the odd one is who is left.

    `member` signals capture task (whose line it is), value (what it has) and other (what another has).
    """
    told: dict[str, tuple[str, Event]] = {}
    others: set[str] = set()
    for event in scene.members:
        if (task := read_task(event.captures.get("task"))) and (value := event.captures.get("value")):
            told.setdefault(task, (value, event))
            if other := event.captures.get("other"):
                others.add(other)
    values = Counter(value for value, _ in told.values())
    if not values:
        return
    common, votes = values.most_common(1)[0]
    odd = [task for task, (value, _) in told.items() if value != common]
    if not odd and others - {common}:
        everyone = set(scene.registry.owners) | set(told)
        odd = [
            task
            for task in everyone
            if task not in told and task.partition(":")[0] in {t.partition(":")[0] for t in told}
        ]
    # The first to come sets what is expected, and one other is quoted: of three or more that is the odd one most often.
    alone = len(told) == 1 and bool(others - {common}) and len(scene.registry.owners) > 2
    odd = list(told) if alone else odd
    sure = len(odd) == 1 and (votes > 1 or alone)
    proofs = [event for _, event in told.values()][:4]
    node = scene.registry.task(odd[0]) if sure else None
    # Whose log ends before the others failed may have been left out for that reason alone.
    seen = min((time for proof in proofs if (time := scene.timeline.time(proof)) is not None), default=None)
    last = scene.stories[node].last_time if node else None
    if node and (seen is None or last is None or last >= seen - SLACK - scene.timeline.error(node)):
        yield from scene.derive(
            "derived.odd_member",
            node,
            proofs,
            task=odd[0],
            value=common if alone else ", ".join(sorted(others - {common})) or None,
            common=", ".join(sorted(others)) if alone else common,
            quoted=str(len(told)),
        )


def _versions(scene: Scene) -> Iterator[Event]:
    """A node whose component or setting differs from what most have."""
    for key, by_value in scene.settings.items():
        signal = DIFFERS if key in COMPONENTS else "derived.setting_differs"
        if len(by_value) < 2 or signal not in scene.asked:
            continue
        common, odd = odd_nodes(by_value)
        for node, value in odd.items():
            proof = proof_of(by_value[value][node])
            yield from scene.derive(signal, node, [proof], key=key, value=value, common=common)


def _settings(scene: Scene) -> Iterator[Event]:
    """What each node says of its versions and settings; only for rules that ask, because every node has dozens."""
    if SETTING not in scene.asked:
        return
    for key, by_value in scene.settings.items():
        for value, proofs in by_value.items():
            for node, said in proofs.items():
                proof = proof_of(said)
                for event in scene.derive(SETTING, node, [proof], key=key, value=value):
                    yield replace(event, severity=proof.severity)


def _repeated_addresses(scene: Scene) -> Iterator[Event]:
    """A cluster that gives one address to two tasks; port 0 and no port mean that each takes a free one."""
    if scene.registry.cluster is None:
        return
    tasks: dict[str, list[str]] = {}
    for task, address in scene.registry.cluster.tasks().items():
        if split_address(address)[1] not in (None, "0"):
            tasks.setdefault(address, []).append(task)
    told = next((voice.clusters[-1][1] for voice in scene.voices if voice.clusters), None)
    for address, twins in tasks.items():
        if len(twins) > 1 and told is not None:
            yield from scene.derive(
                "derived.repeated_address", told.node, [told], address=address, task=twins[1], other=twins[0]
            )


def _foreign_addresses(scene: Scene) -> Iterator[Event]:
    """A task whose address in the cluster is, by what `ip` says there, another machine's."""
    owners: dict[str, set[str]] = {}
    for node, addresses in scene.inets.items():
        for address in addresses:
            owners.setdefault(address, set()).add(node)
    for voice in scene.voices:
        node = scene.registry.by_voice.get((voice.file, voice.stream), "")
        if not voice.clusters or len(voice.tasks) != 1 or node not in scene.inets:
            continue
        (cluster, proof), (task,) = voice.clusters[-1], voice.tasks
        address = split_address(cluster.address(task) or "")[0]
        others = owners.get(address, set()) - {node}
        if len(others) == 1 and address not in scene.inets[node]:
            yield from scene.derive(
                "derived.address_mismatch", node, [proof], address=address, task=task, host=next(iter(others))
            )


def _exits(scene: Scene) -> Iterator[Event]:
    """How each node's task ended, whichever file or line says it; only for rules that ask."""
    for story in scene.stories.values() if EXITED in scene.asked else ():
        if story.exited:
            for event in scene.derive(EXITED, story.name, [story.exited], task=_task(story)):
                yield replace(event, severity=story.exited.severity)


def _wrong_addresses(scene: Scene) -> Iterator[Event]:
    """A server that listens on an address which the cluster gives to another task."""
    if scene.registry.cluster is None:
        return
    owners = {address: task for task, address in scene.registry.cluster.tasks().items()}
    for voice in scene.voices:
        node = scene.registry.by_voice.get((voice.file, voice.stream))
        for address in voice.addresses:
            task = owners.get(address)
            if (
                node
                and task
                and len(voice.tasks) == 1
                and task not in voice.tasks
                and (story := scene.stories[node]).started
            ):
                yield from scene.derive(
                    "derived.address_mismatch", node, [story.started], address=address, task=next(iter(voice.tasks))
                )


def _same_address(scene: Scene) -> Iterator[Event]:
    """Two nodes say that they serve one address: all but its owner were given another's task."""
    claims: dict[str, dict[str, Event]] = {}
    for story in scene.stories.values():
        address = story.started.captures.get("address") if story.started else None
        if story.started and address and story.node.present and not LOCAL.match(split_address(address)[0]):
            claims.setdefault(address, {})[story.name] = story.started
    for address, nodes in claims.items():
        owner = scene.registry.host(split_address(address)[0])
        if len(nodes) < 2 or owner not in nodes or any(len(o) > 1 for o in scene.registry.owners.values()):
            continue
        tasks = scene.stories[owner].node.tasks
        for node, proof in nodes.items():
            if node != owner:
                names = ", ".join(sorted(nodes))
                task = tasks[0] if len(tasks) == 1 else address
                yield from scene.derive("derived.duplicate_task", node, [proof], task=task, nodes=names)


def _absent_member(scene: Scene) -> Iterator[Event]:
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
    yield from scene.derive("derived.never_started", awaited, filter(None, proofs), task=_task(scene.stories[awaited]))


def _stragglers(scene: Scene) -> Iterator[Event]:
    """In synchronous training the slow task waits for nobody: its own step is short while all others' grow."""
    spans: dict[str, list[tuple[float, Event]]] = {}
    for event in scene.timeline.events:
        if event.node and (span := _span_of(event)) is not None:
            spans.setdefault(event.node, []).append((span, event))
    usual = {
        node: statistics.median(span for span, _ in found[len(found) // 2 :])
        for node, found in spans.items()
        if len(found) >= 6
    }
    if len(usual) < 2:
        return
    ranked = sorted(usual, key=lambda node: usual[node])
    fast, next_one = ranked[0], usual[ranked[1]]
    if next_one > 4 * usual[fast] and (_pace(scene.stories[ranked[1]], scene.timeline) or next_one) >= SLOW:
        proofs = [spans[fast][-1][1], max(spans[ranked[-1]][-3:], key=lambda pair: pair[0])[1]]
        yield from scene.derive(
            "derived.straggler",
            fast,
            proofs,
            task=_task(scene.stories[fast]),
            step=str(scene.stories[fast].steps),
            own_ms=f"{usual[fast]:.0f}",
            others_ms=f"{next_one:.0f}",
        )


def _pace(story: Story, timeline: Timeline) -> float | None:
    """Milliseconds from one step to the next by the clock; None where the steps have no times of their own."""
    seen = [
        (time, step)
        for event in story.paces
        if not event.inferred
        and (time := timeline.time(event)) is not None
        and (step := read_whole(event.captures.get("step"))) is not None
    ]
    made = seen[-1][1] - seen[0][1] if len(seen) > 1 else 0
    return 1000.0 * (seen[-1][0] - seen[0][0]) / made if made > 0 else None


def _span_of(event: Event) -> float | None:
    """What a step took by its own words, in ms; of a rate what one unit took, which tells tasks apart as well."""
    if (span := read_decimal(event.captures.get("duration_ms", ""))) is not None:
        return span
    rate = read_decimal(event.captures.get("rate", ""))
    return 1000.0 / rate if rate else None


_WATCHES = (
    _lost_peers,
    _duplicates,
    _clusters,
    _never_seen,
    _absent_peers,
    _odd_members,
    _versions,
    _settings,
    _exits,
    _wrong_addresses,
    _same_address,
    _absent_member,
    _local_servers,
    _repeated_addresses,
    _foreign_addresses,
    _stragglers,
)
