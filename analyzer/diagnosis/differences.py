"""Facts of the job that differ between nodes beside what they state: the cluster they were told, clocks, ends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from analyzer.diagnosis.claims import differs
from analyzer.diagnosis.stated import COMPONENTS
from analyzer.diagnosis.stories import Story
from analyzer.facts.cluster import ClusterSpec
from analyzer.facts.nodes import Registry
from analyzer.facts.skew import Settings, odd_nodes
from analyzer.facts.voices import Voice
from analyzer.incident import RootCause, Skew

SETTLED = 1.0  # seconds by which clocks may differ without a word
ODD = 3  # settings of the culprit alone that are named as reasons


def describe_facts(stories: Mapping[str, Story], voices: Iterable[Voice], registry: Registry) -> list[Skew]:
    """Rows of `skew`: cluster, clock, exit code; only what differs."""
    told = {
        "cluster": _clusters(voices, registry),
        "clock ahead": _clocks(stories.values()),
        "exit code": {
            story.name: str(story.exit_code) for story in stories.values() if story.exit_code is not None and story.name
        },
    }
    rows: list[Skew] = []
    for key, by_node in told.items():
        values: dict[str, list[str]] = {}
        for node, value in sorted(by_node.items()):
            values.setdefault(value, []).append(node)
        if len(values) > 1:
            rows.append({"key": key, "values": dict(sorted(values.items(), key=lambda pair: -len(pair[1])))})
    return rows


def _clusters(voices: Iterable[Voice], registry: Registry) -> dict[str, str]:
    """TensorFlow 1 writes a node's own address as localhost: such a cluster is the common one."""
    common = registry.cluster
    if common is None:
        return {}
    said: dict[str, str] = {}
    for voice in voices:
        node = registry.by_voice.get((voice.file, voice.stream))
        if node and voice.clusters:
            own = voice.clusters[-1][0]
            said[node] = _write(own if differs(own.jobs, common.jobs) else common)
    return said


def _write(cluster: ClusterSpec) -> str:
    members = "; ".join(f"{job}: {', '.join(map(str, found))}" for job, found in sorted(cluster.jobs.items()))
    return f"{cluster.size} members ({members})"


def _clocks(stories: Iterable[Story]) -> dict[str, str]:
    nodes = [
        story.node for story in stories if story.name and story.node.present and story.node.clock.error is not None
    ]
    offsets = [node.clock.offset for node in nodes]
    if not offsets or max(offsets) - min(offsets) <= SETTLED + 2 * max(node.clock.error or 0.0 for node in nodes):
        return {}
    return {node.name: f"{node.clock.offset:+.0f} s" if abs(node.clock.offset) > SETTLED else "0 s" for node in nodes}


def note_oddities(roots: Sequence[RootCause], settings: Settings) -> list[RootCause]:
    """A culprit that alone has a version or setting: said beside its cause, because it may be why it was this node."""
    return [replace(root, why=(*root.why, *_oddities(root.finding.node, settings))) for root in roots]


def _oddities(node: str | None, settings: Settings) -> list[str]:
    found: list[tuple[bool, str]] = []
    for key, by_value in settings.items():
        common, odd = odd_nodes(by_value) if len(by_value) > 1 else ("", {})
        if node is not None and node in odd and len(odd) == 1:
            found.append((key not in COMPONENTS, f"it alone has {key} {odd[node][:80]}; the others have {common[:80]}"))
    return [text for _, text in sorted(found)[:ODD]]
