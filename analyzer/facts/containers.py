"""Pods and containers as their managers print them: `kubectl get pod -o yaml/json`, `docker inspect`.

apiVersion: v1                      one pod, a List of them, or several documents in one file
kind: Pod
metadata: {name: trainer-worker-1}
spec: {nodeName: gpu17, containers: [{env: [{name: NCCL_DEBUG, value: INFO}], resources: {limits: {memory: 64Gi}}}]}
status: {podIP: 10.2.0.7, containerStatuses: [{state: {terminated: {exitCode: 137, reason: OOMKilled}}}]}
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from analyzer.facts.settings import INET, is_setting
from analyzer.model import Setting

_KUBERNETES = re.compile(r'^\s*(?:- )?"?(?:apiVersion|kind)"?: ', re.M)
_DOCKER = re.compile(r'^\s*"(?:HostConfig|ContainerConfig|OOMKilled)":', re.M)
_LISTING = re.compile(r"(?:pod|kubectl|inspect|container)[^/]*\.(?:ya?ml|json)(?:\.\w+)?$", re.I)
MOST_LISTED = 4 << 20  # bytes of such a file
DEEPEST = 60  # levels of nesting; a pod has a dozen


@dataclass(frozen=True, slots=True)
class Ended:
    """A container that ended: `code` and `reason` as its manager says them."""

    code: int
    reason: str
    finished: str
    line: int


@dataclass(slots=True)
class Pod:
    """`name` is the pod's or container's, `hosts` are other names of where it ran. `tf_config` is its TF_CONFIG, `runs`
    are the begins and ends (or "") of its containers' lives, as they are written.
    """

    name: str
    hosts: tuple[str, ...] = ()
    tf_config: str | None = None
    line: int = 1
    uid: str = ""
    runs: list[tuple[str, str]] = field(default_factory=list)
    ended: list[Ended] = field(default_factory=list)
    settings: list[Setting] = field(default_factory=list)


def may_list_pods(path: str, size: int) -> bool:
    """Whether a file is worth reading whole for the pods in it although it is not small."""
    return size <= MOST_LISTED and bool(_LISTING.search(path))


def read_pods(text: str) -> list[Pod]:
    """Empty for any other file."""
    if len(text) > MOST_LISTED or not (_KUBERNETES.search(text) or _DOCKER.search(text)):
        return []
    return [pod for value in _load(text) for thing in _flatten(value) if (pod := _pod(thing, text)) is not None]


def _load(text: str) -> list[object]:
    try:
        return [json.loads(text)]
    except (ValueError, RecursionError):
        pass
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return list(yaml.load_all(text, loader)) if _is_plain(yaml.parse(text, loader)) else []
    except (yaml.YAMLError, RecursionError, ValueError):
        return []


def _is_plain(events: Iterable[object]) -> bool:
    """Neither deep, for libyaml's composer overflows the stack of the process, nor with aliases, which multiply."""
    import yaml

    depth = 0
    for event in events:
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST or isinstance(event, yaml.AliasEvent):
            return False
    return True


def _flatten(value: object, depth: int = 0) -> Iterator[Mapping[str, object]]:
    if isinstance(value, list):
        for one in value if depth < DEEPEST else ():
            yield from _flatten(one, depth + 1)
    elif isinstance(value, dict):
        within = value.get("items")
        yield from _flatten(within, depth + 1) if isinstance(within, list) else iter([value])


def _pod(thing: Mapping[str, object], text: str) -> Pod | None:
    if thing.get("kind") == "Pod":
        return _kubernetes(thing, text)
    return _docker(thing, text) if "Config" in thing and "State" in thing else None


def _kubernetes(thing: Mapping[str, object], text: str) -> Pod | None:
    spec, status = _at(thing, "spec"), _at(thing, "status")
    name = str(_at(thing, "metadata").get("name") or "")
    if not name:
        return None
    pod = Pod(
        name, tuple(str(one) for one in (spec.get("hostname"), spec.get("nodeName")) if one), line=_line(text, name)
    )
    pod.uid = str(_at(thing, "metadata").get("uid") or "")
    say = _Speaker(pod, text)
    say("kubernetes node", spec.get("nodeName"))
    say(INET, status.get("podIP"))
    for container in _each(spec, "containers"):
        for variable in _each(container, "env"):
            say.variable(str(variable.get("name")), variable.get("value"))
        for kind in ("limits", "requests"):
            for what, amount in _at(_at(container, "resources"), kind).items():
                say(f"container {what} {kind.removesuffix('s')}", amount)
        say("image", container.get("image"))
    for state in [*_each(status, "initContainerStatuses"), *_each(status, "containerStatuses")]:
        say("restarts", state.get("restartCount"))
        for which in ("lastState", "state"):  # the latest word comes last
            pod.runs += _runs(_at(state, which))
            if ended := _at(_at(state, which), "terminated"):
                pod.ended += _ended(ended.get("exitCode"), ended.get("reason"), ended.get("finishedAt"), pod.line)
    return pod


def _docker(thing: Mapping[str, object], text: str) -> Pod | None:
    config, state, host = _at(thing, "Config"), _at(thing, "State"), _at(thing, "HostConfig")
    name = str(thing.get("Name") or config.get("Hostname") or "").lstrip("/")
    if not name:
        return None
    pod = Pod(name, (str(config["Hostname"]),) if config.get("Hostname") else (), line=_line(text, name))
    say = _Speaker(pod, text)
    variables = config.get("Env")
    for variable in variables if isinstance(variables, list) else ():
        said, _, value = str(variable).partition("=")
        say.variable(said, value)
    say("image", config.get("Image"))
    for key, what in (("Memory", "memory"), ("ShmSize", "shm size"), ("NanoCpus", "cpu"), ("PidsLimit", "pids")):
        say(f"container {what} limit", host.get(key) or None)
    for limit in _each(host, "Ulimits"):
        say(f"limit {limit.get('Name')}", limit.get("Soft"))
    pod.runs += [(_iso(state.get("StartedAt")), "" if state.get("Running") else _iso(state.get("FinishedAt")))]
    if state.get("Status") not in ("running", "created") and state.get("FinishedAt"):
        reason = "OOMKilled" if state.get("OOMKilled") is True else state.get("Error")
        pod.ended += _ended(state.get("ExitCode"), reason, state.get("FinishedAt"), pod.line)
    return pod


class _Speaker:
    """Adds settings of one pod, with the line where each can be read."""

    def __init__(self, pod: Pod, text: str) -> None:
        self.pod, self.text = pod, text

    def __call__(self, name: str, value: object) -> None:
        if value not in (None, ""):
            self.pod.settings.append(Setting(name, str(value)[:300], self.pod.line, self.pod.name))

    def variable(self, name: str, value: object) -> None:
        if name == "TF_CONFIG" and value:
            self.pod.tf_config = str(value)
        elif is_setting(name) and value is not None:
            self(name, str(value) or "(empty)")


def _ended(code: object, reason: object, finished: object, line: int) -> Iterable[Ended]:
    if isinstance(code, int) and not isinstance(code, bool) and -64 < code < 256:
        yield Ended(code, str(reason or ""), str(finished or ""), line)


def _runs(state: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """PyYAML reads an unquoted time as a datetime of its own."""
    for how in ("running", "terminated"):
        begin, end = (_at(state, how).get(name) for name in ("startedAt", "finishedAt"))
        if begin:
            yield _iso(begin), _iso(end)


def _iso(moment: object) -> str:
    if isinstance(moment, datetime):
        return moment.isoformat() if moment.tzinfo else f"{moment.isoformat()}Z"
    return str(moment or "")


def _at(value: Mapping[str, object], key: str) -> Mapping[str, object]:
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def _each(value: Mapping[str, object], key: str) -> list[Mapping[str, object]]:
    found = value.get(key)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _line(text: str, name: str) -> int:
    """Where the pod says its name."""
    found = re.search(rf'^\s*(?:- )?"?[nN]ame"?: ?"?/?{re.escape(name)}\b', text, re.M)
    return text.count("\n", 0, found.end()) + 1 if found else 1
