"""Who claims to be which task, where, and in which cluster."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from analyzer.diagnosis.scene import Scene
from analyzer.facts.cluster import LOCAL, ClusterSpec, split_address
from analyzer.model import Event
from analyzer.untrusted.numbers import read_whole


def duplicates(scene: Scene) -> Iterator[Event]:
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
    numbered = [
        owner for owner in owners if (found := re.search(r"(?<!\d)(\d{1,18})$", owner)) and int(found[1]) == index
    ]
    whole = scene.registry.cluster is not None and len(order) >= scene.registry.cluster.size  # else places have shifted
    tries = (seated, numbered) if whole else (numbered, seated)
    return next((fitting[0] for fitting in tries if len(fitting) == 1), owners[0])


def clusters(scene: Scene) -> Iterator[Event]:
    common = scene.registry.cluster
    if common is None:
        return
    told = [
        (node, *voice.clusters[-1])
        for voice in scene.voices
        if voice.clusters and (node := scene.registry.by_voice.get((voice.file, voice.stream))) is not None
    ]
    # Who leads joins itself; where another came to a cluster at localhost, all of them are of one machine.
    leaders = {scene.registry.by_voice.get((voice.file, voice.stream)) for voice in scene.voices if voice.leads}
    joined = any(
        _at_home(cluster) and scene.stories[node].connected for node, cluster, _ in told if node not in leaders
    )
    several = not joined and len(set(scene.registry.by_voice.values())) > 1
    for node, cluster, proof in told:
        local = _at_home(cluster) or _foreign_home(cluster, common, node, scene) if several else None
        local = local or _beside_others(cluster, scene.stories[node].node.tasks)
        if local and not scene.stories[node].progress:  # a step takes all members
            yield from scene.derive("derived.localhost_cluster", node, [proof], address=local)
        if differs(cluster.jobs, common.jobs):
            yield from scene.derive(
                "derived.cluster_differs", node, [proof], key="cluster", value=str(dict(cluster.jobs))[:300]
            )


def _at_home(cluster: ClusterSpec) -> str | None:
    """The one name of this machine itself that a cluster of several members is told to meet at."""
    hosts = [split_address(address)[0] for address in cluster.tasks().values()]
    local = {host for host in hosts if LOCAL.match(host)}
    return min(local) if len(local) == 1 and 1 < len(hosts) > len(set(hosts)) else None


def _foreign_home(cluster: ClusterSpec, common: ClusterSpec, node: str, scene: Scene) -> str | None:
    """This machine's own name in the place of a task that is of another, to which the others give a true address."""
    own = scene.stories[node].node.tasks
    for task, address in cluster.tasks().items():
        host, truth = split_address(address)[0], common.address(task)
        foreign = bool(own) and task not in own and scene.registry.task(task) not in (None, node)
        if foreign and LOCAL.match(host) and truth and not LOCAL.match(split_address(truth)[0]):
            return host
    return None


def _beside_others(cluster: ClusterSpec, own: Collection[str]) -> str | None:
    """This machine's own name in the place of another task, while its own task has a true address."""
    hosts = {task: split_address(address)[0] for task, address in cluster.tasks().items()}
    named = [hosts[task] for task in own if task in hosts]
    local = {host for task, host in hosts.items() if task not in own and LOCAL.match(host)}
    return min(local) if local and named and not any(map(LOCAL.match, named)) else None


def local_servers(scene: Scene) -> Iterator[Event]:
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


def lone_members(scene: Scene) -> Iterator[Event]:
    """Trains by itself while others wait for a member that nobody else is: it was not told of the cluster."""
    waiting = [task for story in scene.stories.values() if not story.node.present for task in story.node.tasks]
    for voice in scene.voices if waiting else ():
        node = scene.registry.by_voice.get((voice.file, voice.stream), "")
        if voice.alone and node and not voice.clusters and not scene.stories[node].node.tasks:
            task = waiting[0] if len(waiting) == 1 else None
            yield from scene.derive("derived.trains_alone", node, [voice.alone], task=task)


def differs(one: Mapping[str, tuple[str | None, ...]], other: Mapping[str, tuple[str | None, ...]]) -> bool:
    """Disagree on a member that both name; TensorFlow 1 writes the own address as localhost, which is no difference."""
    for job in one.keys() & other.keys():
        if len(one[job]) != len(other[job]):
            return True
        for mine, theirs in zip(one[job], other[job], strict=True):
            if mine and theirs and mine != theirs and not any(LOCAL.match(split_address(a)[0]) for a in (mine, theirs)):
                return True
    return False


def repeated_addresses(scene: Scene) -> Iterator[Event]:
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


def foreign_addresses(scene: Scene) -> Iterator[Event]:
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


def wrong_addresses(scene: Scene) -> Iterator[Event]:
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


def same_address(scene: Scene) -> Iterator[Event]:
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
