"""The machines of pods, where the folders of a kubelet lie in the folder of its machine.

gx6/journal.txt  gx6/var/log/pods/vision_seg-worker-3_3ceb3ffd-…/trainer/0.log      seg-worker-3 ran on gx6
"""

from __future__ import annotations

from collections.abc import Iterable

from analyzer.facts.path_labels import pod_of_part
from analyzer.facts.registry import Registry
from analyzer.facts.stream_identities import StreamIdentity


def place_pods_of_kubelets(registry: Registry, identities: Iterable[StreamIdentity]) -> None:
    """Join each task's pod with the machine in whose folder its log lies, if no other task's pod lies there."""
    pods: dict[str, set[str]] = {}  # machine → the nodes with tasks whose logs lie in its folder
    for identity in identities:
        node = registry.by_stream.get((identity.file, identity.stream), "")
        machine = _machine_of_kubelet(registry, identity.file)
        if node and machine and node != machine and registry.drafts[node].tasks:
            pods.setdefault(machine, set()).add(node)
    for machine, nodes in pods.items():
        if len(nodes) == 1 and not registry.drafts[machine].tasks:
            registry.rename_to_host(next(iter(nodes)), machine, "its log lies in the folder of that machine")


def _machine_of_kubelet(registry: Registry, path: str) -> str | None:
    """Return the machine that the innermost folder above a pod's folder or file is named for."""
    parts = path.split("/")
    pod_at = next((at for at, part in enumerate(parts) if pod_of_part(part)), 0)
    folders = reversed(parts[:pod_at])
    return next((machine for folder in folders if (machine := registry.node_of_host(folder))), None)
