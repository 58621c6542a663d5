"""Logs of pods with what the API server says of them: must-gather, `kubectl get -o yaml`, `kubectl describe`, nodes.

must-gather's layout: https://github.com/openshift/must-gather and `oc adm inspect`,
https://github.com/openshift/oc/blob/master/pkg/cli/admin/inspect/pod.go; its logs are with times.
`kubectl describe pod`: https://github.com/kubernetes/kubectl/blob/master/pkg/describe/describe.go.
`kubectl get events`: https://kubernetes.io/docs/reference/kubectl/generated/kubectl_events/.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._containers import (
    Container,
    command_of,
    containers,
    name_image,
    name_places,
    split_lines,
)
from accuracy.collectors._kernel import dmesg_ctime, is_kernel
from accuracy.collectors._kube_objects import (
    KubeEvent,
    Object,
    age,
    created_ns,
    dump_yaml,
    environment_rows,
    event_list,
    events_of,
    hosts_of,
    labels_of,
    list_of,
    node_address,
    phase_of,
    pod_address,
    pod_object,
    terminated,
    tfjob_object,
)
from accuracy.collectors._stamps import BILLION, to_utc
from accuracy.collectors.kube_logs import (
    ages,
    format_plain,
    group_age,
    group_attempt,
    name_log,
    read_kubectl,
    read_pod_files,
    render_cri,
    render_kubectl,
    survives,
)
from accuracy.identities import Identities
from accuracy.runs import Process, Run

_STAMP = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z (.*)", re.DOTALL)
_GATHERED = re.compile(r"/pods/([^/]+)/([^/]+)/\2/logs/(current|previous)\.log$")


def strip_stamps(content: bytes) -> Iterator[bytes]:
    for record in split_lines(content):
        match = _STAMP.fullmatch(record)
        if not match:
            raise ValueError(f"no time: {record[:80]!r}")
        yield match[1]


def render_must_gather(run: Run, identities: Identities, chance: random.Random) -> Files:
    """oc adm inspect namespace/NAMESPACE, which must-gather runs for each namespace it is told of."""
    root = f"inspect.local.{identities.number(10**17, 10**18, 'gather')}/namespaces/{identities.namespace}"
    files: dict[str, bytes] = {}
    for container in containers(run):
        logs = f"{root}/pods/{container.host}/{container.name}/{container.name}/logs"
        files[f"{logs}/previous.log"] = b""
        for when, process in ages(container):
            files[f"{logs}/{when}.log"] = format_plain(run.lines_of(process.name), stamped=True)
    pods = [pod_object(run, identities, host) for host in hosts_of(run)]
    for pod in pods:
        host = pod["metadata"]["name"]
        files[f"{root}/pods/{host}/{host}.yaml"] = b"---\n" + dump_yaml(pod)
    files[f"{root}/core/pods.yaml"] = b"---\n" + dump_yaml({**list_of(pods), "kind": "PodList"})
    events = {**event_list(run, identities), "kind": "EventList"}
    files[f"{root}/core/events.yaml"] = b"---\n" + dump_yaml(events)
    return files


def read_must_gather(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        if match := _GATHERED.search(path):
            yield from (("/".join(match.groups()), text) for text in strip_stamps(content))


def render_yaml(run: Run, identities: Identities, chance: random.Random) -> Files:
    """kubectl logs --timestamps, and kubectl get pods,events,tfjobs -o yaml"""
    files = {
        f"logs/{name_log(run, container, when)}": format_plain(run.lines_of(process.name), stamped=True)
        for container in containers(run)
        for when, process in ages(container)
    }
    files["pods.yaml"] = dump_yaml(list_of(pod_object(run, identities, host) for host in hosts_of(run)))
    files["events.yaml"] = dump_yaml(event_list(run, identities))
    files["tfjob.yaml"] = dump_yaml(tfjob_object(run, identities))
    return files


def read_yaml(files: Files) -> Iterator[GroupLine]:
    plain = {path: b"".join(text + b"\n" for text in strip_stamps(files[path])) for path in files if "logs/" in path}
    return read_kubectl(plain)


def format_table(rows: Sequence[tuple[str, ...]], gap: int = 3) -> str:
    """As kubectl aligns columns: https://pkg.go.dev/k8s.io/cli-runtime/pkg/printers."""
    widths = [max(len(row[at]) for row in rows) + gap for at in range(len(rows[0]))]
    lines = [
        "".join(cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)) + row[-1] for row in rows
    ]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def format_events(run: Run, events: list[KubeEvent]) -> bytes:
    """kubectl get events --sort-by=.lastTimestamp"""
    rows = [("LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE")]
    for event in events:
        name = f"{event.object_kind.lower()}/{event.object_name}"
        rows.append((age(run, event.time_ns), event.kind, event.reason, name, event.message))
    return format_table(rows).encode()


def _date(time_ns: int) -> str:
    return f"{to_utc(time_ns):%a, %d %b %Y %H:%M:%S} +0000"


def _describe_state(label: str, state: Object) -> list[str]:
    """`state` is what `terminated` gives."""
    from_api = {key: state[key] for key in ("reason", "exitCode")}
    return [
        f"    {label + ':':<16}Terminated",
        f"      Reason:       {from_api['reason']}",
        f"      Exit Code:    {from_api['exitCode']}",
    ]


def _describe_container(run: Run, identities: Identities, container: Container) -> list[str]:
    process, before = container.last, container.attempts[:-1]
    image = name_image(run)
    lines = [
        f"  {container.name}:",
        f"    Container ID:  containerd://{identities.container(process)}",
        f"    Image:         {image}",
        f"    Image ID:      docker.io/{image.partition(':')[0]}@sha256:{identities.digest('image', run.tensorflow)}",
        "    Port:          2222/TCP",
        "    Host Port:     0/TCP",
        "    Command:",
        *(f"      {word}" for word in command_of(process)),
    ]
    if process.ended_ns is None:
        lines += ["    State:          Running", f"      Started:      {_date(process.started_ns)}"]
    else:
        lines += [*_describe_state("State", terminated(run, identities, process)), *_describe_times(process)]
    if before:
        lines += [*_describe_state("Last State", terminated(run, identities, before[-1])), *_describe_times(before[-1])]
    lines += [f"    Ready:          {process.ended_ns is None}", f"    Restart Count:  {len(before)}"]
    rows = environment_rows(run, container)
    lines.append("    Environment:" if rows else "    Environment:    <none>")
    width = max((len(name) for name, _ in rows), default=0) + 1
    lines += [f"      {f'{name}:':<{width}}  {value}" for name, value in rows]
    token = identities.digest("token", container.host, length=5)
    return [
        *lines,
        "    Mounts:",
        f"      /var/run/secrets/kubernetes.io/serviceaccount from kube-api-access-{token} (ro)",
    ]


def _describe_times(process: Process) -> list[str]:
    return [
        f"      Started:      {_date(process.started_ns)}",
        f"      Finished:     {_date(process.ended_ns or process.started_ns)}",
    ]


def describe_pod(run: Run, identities: Identities, host: str) -> bytes:
    pod = hosts_of(run)[host]
    process = pod[0].last
    labels = [f"{key}={value}" for key, value in labels_of(identities, process).items()]
    address, phase = pod_address(run, host), phase_of(pod)
    lines = [
        f"Name:             {host}",
        f"Namespace:        {identities.namespace}",
        "Priority:         0",
        "Service Account:  default",
        f"Node:             {identities.machine(process)}/{node_address(identities, process)}",
        f"Start Time:       {_date(created_ns(pod))}",
        *(f"{'Labels:' if at == 0 else '':<18}{label}" for at, label in enumerate(labels)),
        "Annotations:      <none>",
        f"Status:           {phase}",
        f"IP:               {address}",
        "IPs:",
        f"  IP:           {address}",
        f"Controlled By:  TFJob/{identities.job}",
        "Containers:",
    ]
    for container in pod:
        lines += _describe_container(run, identities, container)
    ready = phase == "Running"
    token = identities.digest("token", host, length=5)
    lines += [
        "Conditions:",
        "  Type              Status",
        "  Initialized       True ",
        f"  Ready             {ready} ",
        f"  ContainersReady   {ready} ",
        "  PodScheduled      True ",
        "Volumes:",
        f"  kube-api-access-{token}:",
        "    Type:                    Projected (a volume that contains injected data from multiple sources)",
        "    TokenExpirationSeconds:  3607",
        "    ConfigMapName:           kube-root-ca.crt",
        "    ConfigMapOptional:       <nil>",
        "    DownwardAPI:             true",
        "QoS Class:                   BestEffort",
        "Node-Selectors:              <none>",
        "Tolerations:                 node.kubernetes.io/not-ready:NoExecute op=Exists for 300s",
        "                             node.kubernetes.io/unreachable:NoExecute op=Exists for 300s",
        *_describe_events(run, [event for event in events_of(run, identities) if event.object_name == host]),
    ]
    return ("\n".join(lines) + "\n").encode()


def _describe_events(run: Run, events: list[KubeEvent]) -> list[str]:
    rows = [("  Type", "Reason", "Age", "From", "Message"), ("  ----", "------", "----", "----", "-------")]
    for event in events:
        since = age(run, event.time_ns)
        if event.count > 1:
            since = f"{since} (x{event.count} over {age(run, event.began_ns)})"
        rows.append((f"  {event.kind}", event.reason, since, event.component, event.message))
    return ["Events:", *format_table(rows, gap=2).splitlines()]


def render_describe(run: Run, identities: Identities, chance: random.Random) -> Files:
    """kubectl logs, kubectl describe pod, kubectl get events and kubectl get tfjob -o yaml"""
    files = dict(render_kubectl(run, identities, chance))
    for host in hosts_of(run):
        files[f"describe/{host}.txt"] = describe_pod(run, identities, host)
    files["events.txt"] = format_events(run, events_of(run, identities))
    files["tfjob.yaml"] = dump_yaml(tfjob_object(run, identities))
    return files


def render_nodes(run: Run, identities: Identities, chance: random.Random) -> Files:
    """What an administrator takes from each node: its pods' files and `dmesg -T`; with `kubectl get pods -o wide`."""
    files = dict(render_cri(run, identities, chance))
    rows = [("NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE", "NOMINATED NODE", "READINESS GATES")]
    for host, pod in hosts_of(run).items():
        process = pod[0].last
        if log := dmesg_ctime(run, host):
            files[f"{identities.machine(process)}/dmesg.txt"] = log
        ready = sum(1 for container in pod if container.last.ended_ns is None)
        rows.append(
            (
                host,
                f"{ready}/{len(pod)}",
                _status(run, identities, pod),
                _restarts(run, pod),
                age(run, created_ns(pod)),
                pod_address(run, host),
                identities.machine(process),
                "<none>",
                "<none>",
            )
        )
    return {**files, "pods.txt": format_table(rows).encode()}


def _status(run: Run, identities: Identities, pod: list[Container]) -> str:
    if phase_of(pod) == "Running":
        return "Running"
    return str(terminated(run, identities, pod[0].last)["reason"])


def _restarts(run: Run, pod: list[Container]) -> str:
    count = sum(len(container.attempts) - 1 for container in pod)
    if not count:
        return "0"
    late = max(container.last.started_ns for container in pod)
    return f"{count} ({age(run, late - BILLION)} ago)"


def _keeps_node(run: Run, process: Process) -> bool:
    hosts = {task.host for task in run.tasks}
    return survives(run, process) or (is_kernel(run, process) and process.host in hosts)


def _group_node(run: Run, process: Process) -> str:
    if process.role != "kernel":
        return group_attempt(run, process)
    identities = Identities(run)
    return f"{identities.machine(process)}/kernel"


def read_nodes(files: Files) -> Iterator[GroupLine]:
    yield from read_pod_files(files)
    for path, content in files.items():
        if path.endswith("/dmesg.txt"):
            node = path.partition("/")[0]
            yield from ((f"{node}/kernel", record.partition(b"] ")[2]) for record in split_lines(content))


COLLECTORS = (
    Collector(
        "kube-must-gather",
        render_must_gather,
        read_must_gather,
        carries=frozenset({"lines", "exit", "environment"}),
        keeps=survives,
        ends=survives,
        group=group_age,
        names=name_places,
    ),
    Collector(
        "kube-yaml",
        render_yaml,
        read_yaml,
        carries=frozenset({"lines", "exit", "environment"}),
        keeps=survives,
        ends=survives,
        group=group_age,
        names=name_places,
    ),
    Collector(
        "kube-describe",
        render_describe,
        read_kubectl,
        carries=frozenset({"lines", "exit", "environment"}),
        keeps=survives,
        ends=survives,
        group=group_age,
        names=name_places,
        stamps=False,
    ),
    Collector(
        "kube-nodes",
        render_nodes,
        read_nodes,
        carries=frozenset({"lines", "kernel"}),
        keeps=_keeps_node,
        group=_group_node,
        names=name_places,
    ),
)
