"""Pods and containers as `kubectl get pod -o yaml`, `-o json` and `docker inspect` print them.

apiVersion: v1                      one pod, a List of them, or several documents in one file
kind: Pod
metadata: {name: trainer-worker-1}
spec: {nodeName: gpu17, containers: [{env: [{name: NCCL_DEBUG, value: INFO}], resources: {limits: {memory: 64Gi}}}]}
status: {podIP: 10.2.0.7, containerStatuses: [{state: {terminated: {exitCode: 137, reason: OOMKilled}}}]}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from analyzer.facts.pod_tables import KUBERNETES_NODE
from analyzer.facts.settings import MACHINE_ADDRESS, MAX_VALUE_CHARS, is_comparable_variable
from analyzer.model import Setting
from analyzer.untrusted.documents import MAX_DOCUMENT_CHARS, MalformedError, read_json, read_yaml
from analyzer.untrusted.numbers import read_whole

_KUBERNETES_KEY = re.compile(r'^[ \t{\[]*+(?:- )?(?:"(?:apiVersion|kind)":|(?:apiVersion|kind): )', re.M)
_DOCKER_KEY = re.compile(r'^[ \t]*+"(?:HostConfig|ContainerConfig|OOMKilled)":', re.M)
_NAME_LINE = re.compile(r"""^[ \t]*+(?:- )?"?[nN]ame"?: ?["']?/?([^\s"',]++)""", re.M)
_LISTING_NAME = re.compile(r"pod|kubectl|inspect|container", re.I)
_DOCUMENT_EXTENSION = re.compile(r"\.(?:ya?ml|json)(?:\.\w+)?$", re.I)
MAX_LISTING_BYTES = MAX_DOCUMENT_CHARS


@dataclass(frozen=True, slots=True)
class ContainerExit:
    """How a container ended, as its manager states it."""

    code: int
    reason: str
    finished_at: str
    line: int


@dataclass(slots=True)
class Pod:
    """A pod or container.

    `hosts` are its host name and the name of its node. `lifetimes` are the (begin, end or "") of its containers, as the
    listing writes them. `line` is counted from 1.
    """

    name: str
    hosts: tuple[str, ...] = ()
    tf_config: str | None = None
    line: int = 1
    uid: str = ""
    container_id: str = ""  # by which Docker calls its files
    lifetimes: list[tuple[str, str]] = field(default_factory=list)
    exits: list[ContainerExit] = field(default_factory=list)
    settings: list[Setting] = field(default_factory=list)


def may_list_pods(path: str, size: int) -> bool:
    """Whether a file is read as a whole for its pods although it is not small. `size` is in bytes."""
    name = path.rpartition("/")[2]
    return size <= MAX_LISTING_BYTES and bool(_LISTING_NAME.search(name) and _DOCUMENT_EXTENSION.search(name))


def read_pods(text: str) -> Iterator[Pod]:
    """Yield the pods of a listing, none of any other file. Raises MalformedError where a listing cannot be parsed."""
    if len(text) > MAX_LISTING_BYTES or not (_KUBERNETES_KEY.search(text) or _DOCKER_KEY.search(text)):
        return
    lines = _name_lines(text)
    for document in _load_documents(text):
        for item in _iterate_objects(document):
            if (pod := _read_pod(item, lines)) is not None:
                yield pod


def _load_documents(text: str) -> Iterator[object]:
    try:
        yield read_json(text)
    except MalformedError:  # the YAML parser also reads several JSON documents in one file
        yield from read_yaml(text)


def _name_lines(text: str) -> Mapping[str, int]:
    """Return name → the first line, counted from 1, that states it."""
    lines: dict[str, int] = {}
    at, line = 0, 1
    for match in _NAME_LINE.finditer(text):
        line += text.count("\n", at, match.start(1))
        at = match.start(1)
        lines.setdefault(match[1], line)
    return lines


def _iterate_objects(value: object, depth: int = 0) -> Iterator[Mapping[str, object]]:
    """Yield the objects of lists and of `items` of a List, which are nested three deep at most."""
    if isinstance(value, dict) and isinstance(value.get("items"), list):
        value = value["items"]
    if isinstance(value, dict):
        yield value
    elif isinstance(value, list) and depth < 3:
        for item in value:
            yield from _iterate_objects(item, depth + 1)


def _read_pod(item: Mapping[str, object], lines: Mapping[str, int]) -> Pod | None:
    if item.get("kind") == "Pod" or _is_pod_of_list(item):
        return _read_kubernetes_pod(item, lines)
    return _read_docker_container(item, lines) if _is_docker_container(item) else None


def _is_docker_container(item: Mapping[str, object]) -> bool:
    """Whether an object is a container of `docker inspect`, from which `jq` may have dropped the configuration."""
    return "State" in item and ("Config" in item or ("Name" in item and "ExitCode" in _mapping_at(item, "State")))


def _is_pod_of_list(item: Mapping[str, object]) -> bool:
    """Whether an object without a kind is a pod: the items of a PodList have none, and `jq` may drop it.

    A pod that waits for a place has neither a node nor states of its containers.
    """
    status, spec = _mapping_at(item, "status"), _mapping_at(item, "spec")
    is_waiting = bool(status.get("phase") and spec.get("containers"))
    return "kind" not in item and bool(status.get("containerStatuses") or spec.get("nodeName") or is_waiting)


def _read_kubernetes_pod(item: Mapping[str, object], lines: Mapping[str, int]) -> Pod | None:
    spec, status = _mapping_at(item, "spec"), _mapping_at(item, "status")
    name = str(_mapping_at(item, "metadata").get("name") or "")
    if not name:
        return None
    pod = Pod(
        name, tuple(str(host) for host in (spec.get("hostname"), spec.get("nodeName")) if host), line=lines.get(name, 1)
    )
    pod.uid = str(_mapping_at(item, "metadata").get("uid") or "")
    collector = _SettingCollector(pod)
    collector(KUBERNETES_NODE, spec.get("nodeName"))
    collector(MACHINE_ADDRESS, status.get("podIP"))
    for container in _mappings_at(spec, "containers"):
        for variable in _mappings_at(container, "env"):
            collector.add_variable(str(variable.get("name")), variable.get("value"))
        for kind in ("limits", "requests"):
            for resource, amount in _mapping_at(_mapping_at(container, "resources"), kind).items():
                collector(f"container {resource} {kind.removesuffix('s')}", amount)
        collector("image", container.get("image"))
    for state in [*_mappings_at(status, "initContainerStatuses"), *_mappings_at(status, "containerStatuses")]:
        collector("restarts", state.get("restartCount"))
        for state_name in ("lastState", "state"):  # so the latest state comes last
            pod.lifetimes += _read_lifetimes(_mapping_at(state, state_name))
            if terminated := _mapping_at(_mapping_at(state, state_name), "terminated"):
                pod.exits += _read_exit(
                    terminated.get("exitCode"), terminated.get("reason"), terminated.get("finishedAt"), pod.line
                )
    return pod


def _read_docker_container(item: Mapping[str, object], lines: Mapping[str, int]) -> Pod | None:
    config, state, host = _mapping_at(item, "Config"), _mapping_at(item, "State"), _mapping_at(item, "HostConfig")
    name = str(item.get("Name") or config.get("Hostname") or "").lstrip("/")
    if not name:
        return None
    pod = Pod(name, (str(config["Hostname"]),) if config.get("Hostname") else (), line=lines.get(name, 1))
    collector = _SettingCollector(pod)
    variables = config.get("Env")
    for variable in variables if isinstance(variables, list) else ():
        name_in_env, _, value = str(variable).partition("=")
        collector.add_variable(name_in_env, value)
    pod.container_id = str(item.get("Id") or "")
    collector("image", config.get("Image"))
    for key, limit_name in (("Memory", "memory"), ("ShmSize", "shm size"), ("NanoCpus", "cpu"), ("PidsLimit", "pids")):
        collector(f"container {limit_name} limit", host.get(key) or None)
    for limit in _mappings_at(host, "Ulimits"):
        collector(f"limit {limit.get('Name')}", limit.get("Soft"))
    finished = "" if state.get("Running") else str(state.get("FinishedAt") or "")
    pod.lifetimes.append((str(state.get("StartedAt") or ""), finished))
    if state.get("Status") not in ("running", "created") and state.get("FinishedAt"):
        reason = "OOMKilled" if state.get("OOMKilled") is True else state.get("Error")
        pod.exits += _read_exit(state.get("ExitCode"), reason, state.get("FinishedAt"), pod.line)
    return pod


class _SettingCollector:
    """Adds settings to one pod."""

    def __init__(self, pod: Pod) -> None:
        self.pod = pod

    def __call__(self, name: str, value: object) -> None:
        if value not in (None, ""):
            self.pod.settings.append(Setting(name, str(value)[:MAX_VALUE_CHARS], self.pod.line, self.pod.name))

    def add_variable(self, name: str, value: object) -> None:
        if name == "TF_CONFIG" and value:
            self.pod.tf_config = str(value)
        elif is_comparable_variable(name) and value is not None:
            self(name, str(value) or "(empty)")


def _read_exit(stated: object, reason: object, finished: object, line: int) -> Iterable[ContainerExit]:
    code = read_whole(stated)
    if code is not None and -64 < code < 256:
        yield ContainerExit(code, str(reason or ""), str(finished or ""), line)


def _read_lifetimes(state: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for phase in ("running", "terminated"):
        begin, end = (_mapping_at(state, phase).get(name) for name in ("startedAt", "finishedAt"))
        if begin:
            yield str(begin), str(end or "")


def _mapping_at(value: Mapping[str, object], key: str) -> Mapping[str, object]:
    member = value.get(key)
    return member if isinstance(member, dict) else {}


def _mappings_at(value: Mapping[str, object], key: str) -> list[Mapping[str, object]]:
    members = value.get(key)
    return [entry for entry in members if isinstance(entry, dict)] if isinstance(members, list) else []
