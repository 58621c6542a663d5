"""Pods as `kubectl describe pod` prints them, and machines of `kubectl describe node`, whose events are read as lines.

Name:             trainer-worker-1
Namespace:        ml
Node:             gpu17/10.128.0.41
IP:               10.2.0.7
Containers:
    Last State:     Terminated
      Exit Code:    137
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from analyzer.facts.pod_listings import MAX_LISTING_BYTES, ContainerExit, Pod
from analyzer.facts.pod_tables import KUBERNETES_NODE
from analyzer.facts.settings import MACHINE_ADDRESS
from analyzer.model import Setting

_POD_HEADER = re.compile(r"^Name:[ \t]+(?P<name>[a-z0-9][a-z0-9.-]{0,252})[ \t]*\r?\nNamespace:[ \t]", re.M)
_NODE_HEADER = re.compile(r"^Name:[ \t]+(?P<name>[a-z0-9][a-z0-9.-]{0,252})[ \t]*\r?\nRoles:[ \t]", re.M)
_POD_FIELD = re.compile(r"^(?:Containers|Init Containers|Node|QoS Class):", re.M)
_NODE_LINE = re.compile(r"^Node:[ \t]+(?P<node>[\w][\w.-]*)", re.M)
_ADDRESS_LINE = re.compile(r"^IP:[ \t]+(?P<address>[\d.]+)[ \t]*$", re.M)
_STATE = re.compile(
    r"^[ \t]+(?P<last>Last )?State:[ \t]+Terminated[^\r\n]*$"
    r"(?P<told>(?:\r?\n(?![ \t]+(?:Last )?State:)[ \t]{4,}[^\r\n]*){1,6})",
    re.M,
)
_CODE = re.compile(r"Exit Code:[ \t]+(\d{1,3})")
_REASON = re.compile(r"Reason:[ \t]+(\w+)")
_FINISHED = re.compile(r"Finished:[ \t]+(\S[^\r\n]*)")


def read_described_pods(text: str) -> list[Pod]:
    """Return the pods and machines of the text; [] for any other file, such as the description of a TFJob."""
    if len(text) > MAX_LISTING_BYTES:
        return []
    machines = [
        Pod(match["name"], line=text.count("\n", 0, match.start()) + 1) for match in _NODE_HEADER.finditer(text)
    ]
    starts = [match.start() for match in _POD_HEADER.finditer(text)]
    parts = ((text[start:end], start) for start, end in pairwise([*starts, len(text)]))
    pods = [_read_pod_section(part, text.count("\n", 0, start) + 1) for part, start in parts if _POD_FIELD.search(part)]
    return sorted([*machines, *pods], key=lambda pod: pod.line)


def _read_pod_section(text: str, line: int) -> Pod:
    name = _POD_HEADER.search(text)
    assert name is not None
    node, address = _NODE_LINE.search(text), _ADDRESS_LINE.search(text)
    pod = Pod(name["name"], (node["node"],) if node else (), line=line)
    if node:
        pod.settings.append(Setting(KUBERNETES_NODE, node["node"], line, pod.name))
    if address:
        pod.settings.append(Setting(MACHINE_ADDRESS, address["address"], line, pod.name))
    pod.exits += _read_exits(text, line)
    return pod


def _read_exits(text: str, line: int) -> Iterator[ContainerExit]:
    """Yield the exits of a pod's containers: those of `Last State` first, so that the latest comes last."""
    for match in sorted(_STATE.finditer(text), key=lambda match: match["last"] is None):
        if code := _CODE.search(match["told"]):
            reason, finished = _REASON.search(match["told"]), _FINISHED.search(match["told"])
            yield ContainerExit(int(code[1]), reason[1] if reason else "", finished[1] if finished else "", line)
