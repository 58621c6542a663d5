"""Facts that differ between nodes, in addition to settings: cluster specification, clock, exit code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from analyzer.diagnosis.derivations.cluster_checks import clusters_differ
from analyzer.diagnosis.derivations.stated_facts import SOFTWARE_COMPONENTS
from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.facts.cluster_spec import ClusterSpec
from analyzer.facts.registry import Registry
from analyzer.facts.skew import SettingTable, find_odd_nodes
from analyzer.facts.stream_identities import StreamIdentity
from analyzer.incident import RootCause, Skew

NOTABLE_CLOCK_DIFFERENCE_S = 1.0  # smaller differences of clocks are not listed
MAX_ODD_SETTINGS = 3  # settings of the culprit alone that are given as reasons


def describe_fact_skew(
    activities: Mapping[str, NodeActivity], identities: Iterable[StreamIdentity], registry: Registry
) -> list[Skew]:
    """Return a row of `skew` for each of cluster, clock and exit code in which nodes differ."""
    facts = {
        "cluster": _cluster_texts(identities, registry),
        "clock ahead": _clock_texts(activities.values()),
        "exit code": {
            activity.name: str(activity.exit_code)
            for activity in activities.values()
            if activity.exit_code is not None and activity.name
        },
    }
    rows: list[Skew] = []
    for key, by_node in facts.items():
        values: dict[str, list[str]] = {}
        for node, value in sorted(by_node.items()):
            values.setdefault(value, []).append(node)
        if len(values) > 1:
            rows.append({"key": key, "values": dict(sorted(values.items(), key=lambda pair: -len(pair[1])))})
    return rows


def _cluster_texts(identities: Iterable[StreamIdentity], registry: Registry) -> dict[str, str]:
    """Return node → its cluster specification in words.

    TensorFlow 1 writes a node's own address as localhost; such a specification counts as equal to the others.
    """
    common = registry.cluster
    if common is None:
        return {}
    texts: dict[str, str] = {}
    for identity in identities:
        node = registry.by_stream.get((identity.file, identity.stream))
        if node and identity.clusters:
            own_cluster = identity.clusters[-1][0]
            texts[node] = _describe_cluster(own_cluster if clusters_differ(own_cluster.jobs, common.jobs) else common)
    return texts


def _describe_cluster(cluster: ClusterSpec) -> str:
    members = "; ".join(f"{job}: {', '.join(map(str, addresses))}" for job, addresses in sorted(cluster.jobs.items()))
    return f"{cluster.task_count} members ({members})"


def _clock_texts(activities: Iterable[NodeActivity]) -> dict[str, str]:
    nodes = [
        activity.node
        for activity in activities
        if activity.name and activity.node.present and activity.node.clock.error is not None
    ]
    offsets = [node.clock.offset for node in nodes]
    if not offsets or max(offsets) - min(offsets) <= NOTABLE_CLOCK_DIFFERENCE_S + 2 * max(
        node.clock.error or 0.0 for node in nodes
    ):
        return {}
    return {
        node.name: f"{node.clock.offset:+.0f} s" if abs(node.clock.offset) > NOTABLE_CLOCK_DIFFERENCE_S else "0 s"
        for node in nodes
    }


def add_odd_settings(roots: Sequence[RootCause], settings: SettingTable) -> list[RootCause]:
    """Return the root causes, with versions and settings that only the culprit has among the reasons.

    Such a setting may be why the failure hit this node.
    """
    return [replace(root, why=(*root.why, *_odd_settings(root.finding.node, settings))) for root in roots]


def _odd_settings(node: str | None, settings: SettingTable) -> list[str]:
    reasons: list[tuple[bool, str]] = []
    for key, by_value in settings.items():
        common, odd = find_odd_nodes(by_value) if len(by_value) > 1 else ("", {})
        if node is not None and node in odd and len(odd) == 1:
            reasons.append(
                (
                    key not in SOFTWARE_COMPONENTS,
                    f"only this node has {key} {odd[node][:80]}; the others have {common[:80]}",
                )
            )
    return [text for _, text in sorted(reasons)[:MAX_ODD_SETTINGS]]
