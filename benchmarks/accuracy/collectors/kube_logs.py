"""Logs of pods as the kubelet keeps them, and as `kubectl logs` prints them.

The kubelet's files are /var/log/pods/NAMESPACE_POD_UID/CONTAINER/RESTARTS.log:
https://kubernetes.io/docs/concepts/cluster-administration/logging/. Their lines are `TIME STREAM P|F TEXT`:
https://github.com/kubernetes/design-proposals-archive/blob/main/node/kubelet-cri-logging.md. containerd cuts a line
after 16 KiB: max_container_log_line_size in https://github.com/containerd/containerd/blob/main/docs/cri/config.md.
`kubectl logs`: https://kubernetes.io/docs/reference/kubectl/generated/kubectl_logs/. Its `--timestamps` prints all nine
digits, in UTC. The kubelet keeps one dead container beside the current one, so logs of earlier attempts are gone.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._containers import (
    Container,
    attempts_of,
    containers,
    count_restarts,
    is_task,
    name_container,
    name_places,
    split_lines,
)
from accuracy.collectors._stamps import iso, local_go_nano
from accuracy.identities import Identities
from accuracy.runs import Process, ReceivedLine, Run

MAX_RECORD_BYTES = 16 * 1024
_CRI = re.compile(rb"(\S+) (stdout|stderr) ([PF]) (.*)", re.DOTALL)
_POD_FILE = re.compile(r"pods/[^/_]+_([^/_]+)_[^/]+/([^/]+)/(\d+)\.log$")
_PREFIXED = re.compile(rb"\[pod/([^/]+)/([^\]]+)\] (\S+) (.*)", re.DOTALL)


def survives(run: Run, process: Process) -> bool:
    """The current container of a pod, and the one before it."""
    return is_task(run, process) and process in attempts_of(run, process)[-2:]


def is_current(run: Run, process: Process) -> bool:
    return is_task(run, process) and process == attempts_of(run, process)[-1]


def group_attempt(run: Run, process: Process) -> str:
    return f"{process.host}/{name_container(run, process)}/{count_restarts(run, process)}"


def group_age(run: Run, process: Process) -> str:
    return f"{process.host}/{name_container(run, process)}/{'current' if is_current(run, process) else 'previous'}"


def group_container(run: Run, process: Process) -> str:
    return f"{process.host}/{name_container(run, process)}"


def format_cri(run: Run, host: str, lines: list[ReceivedLine]) -> bytes:
    return b"".join(_cut(local_go_nano(run, host, line.time_ns), line) for line in lines)


def _cut(stamp: str, line: ReceivedLine) -> bytes:
    head = f"{stamp} std{line.stream} ".encode()
    parts = [line.text[at : at + MAX_RECORD_BYTES] for at in range(0, len(line.text), MAX_RECORD_BYTES)] or [b""]
    return b"".join(head + b"P " + part + b"\n" for part in parts[:-1]) + head + b"F " + parts[-1] + b"\n"


def read_cri(content: bytes) -> Iterator[bytes]:
    pending: dict[bytes, bytes] = {}
    for record in content.split(b"\n")[:-1]:
        match = _CRI.fullmatch(record)
        if not match:
            raise ValueError(f"no CRI line: {record[:80]!r}")
        stream, text = match[2], pending.pop(match[2], b"") + match[4]
        if match[3] == b"P":
            pending[stream] = text
        else:
            yield text


def pod_folder(identities: Identities, container: Container) -> str:
    process = container.last
    return f"{identities.namespace}_{identities.pod(process)}_{identities.pod_uid(process)}/{container.name}"


def render_cri(run: Run, identities: Identities, chance: random.Random) -> Files:
    files = {}
    for container in containers(run):
        node = identities.machine(container.last)
        for process in container.attempts[-2:]:
            path = f"{node}/var/log/pods/{pod_folder(identities, container)}/{count_restarts(run, process)}.log"
            files[path] = format_cri(run, process.host, run.lines_of(process.name))
    return files


def read_pod_files(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        if match := _POD_FILE.search(path):
            yield from (("/".join(match.groups()), text) for text in read_cri(content))


def format_plain(lines: list[ReceivedLine], stamped: bool) -> bytes:
    """As the API server gives a log: a line feed ends each line, even one that its process did not end."""
    return b"".join((f"{iso(line.time_ns)} ".encode() if stamped else b"") + line.text + b"\n" for line in lines)


def ages(container: Container) -> list[tuple[str, Process]]:
    """The attempts whose logs the kubelet still has."""
    return list(zip(("current", "previous"), reversed(container.attempts), strict=False))


def name_log(run: Run, container: Container, age: str) -> str:
    """As people call the file: the pod, and the container where the pod has several."""
    several = "" if container.name == "tensorflow" else f"_{container.name}"
    return f"{container.host}{several}{'.previous' if age == 'previous' else ''}.log"


def render_kubectl(run: Run, identities: Identities, chance: random.Random) -> Files:
    """for pod in $(kubectl get pods -o name); do kubectl logs $pod; kubectl logs --previous $pod; done"""
    return {
        f"logs/{name_log(run, container, age)}": format_plain(run.lines_of(process.name), stamped=False)
        for container in containers(run)
        for age, process in ages(container)
    }


def read_kubectl(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        if not path.startswith("logs/"):
            continue
        pod, _, several = path.removeprefix("logs/").removesuffix(".log").removesuffix(".previous").partition("_")
        age = "previous" if path.endswith(".previous.log") else "current"
        yield from ((f"{pod}/{several or 'tensorflow'}/{age}", text) for text in split_lines(content))


def render_prefixed(run: Run, identities: Identities, chance: random.Random) -> Files:
    """kubectl logs -l training.kubeflow.org/job-name=JOB --tail=-1 --all-containers --prefix --timestamps"""
    parts = []
    for container in sorted(containers(run), key=lambda container: (container.host, container.name)):
        head = f"[pod/{container.host}/{container.name}] ".encode()
        for line in run.lines_of(container.last.name):
            parts.append(head + format_plain([line], stamped=True))
    return {f"{identities.job}.log": b"".join(parts)}


def read_prefixed(files: Files) -> Iterator[GroupLine]:
    for content in files.values():
        for record in split_lines(content):
            match = _PREFIXED.fullmatch(record)
            if not match:
                raise ValueError(f"no line of --prefix --timestamps: {record[:80]!r}")
            yield f"{match[1].decode()}/{match[2].decode()}", match[4]


COLLECTORS = (
    Collector(
        "kube-pod-files",
        render_cri,
        read_pod_files,
        keeps=survives,
        group=group_attempt,
        names=name_places,
    ),
    Collector(
        "kubectl-logs",
        render_kubectl,
        read_kubectl,
        keeps=survives,
        group=group_age,
        names=name_places,
        stamps=False,
    ),
    Collector(
        "kubectl-logs-prefix",
        render_prefixed,
        read_prefixed,
        keeps=is_current,
        group=group_container,
        names=name_places,
    ),
)
