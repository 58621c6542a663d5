"""Objects of the Kubernetes API as `kubectl get -o yaml` prints them, built from what a run says.

Pod and its status: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/.
TFJob and its labels: https://github.com/kubeflow/training-operator/tree/v1.7.0/pkg/controller.v1/tensorflow.
Events of the kubelet: https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/events/event.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import yaml

from accuracy.collectors._containers import (
    Container,
    command_of,
    containers,
    environment_of,
    name_image,
    was_oom_killed,
)
from accuracy.collectors._stamps import BILLION, collected_ns, first_ns, iso
from accuracy.identities import Identities
from accuracy.runs import Process, Run

Object = dict[str, Any]
JOB_NAME = "training.kubeflow.org/job-name"


class _Dumper(yaml.SafeDumper):
    """As kubectl writes YAML: strings that would be taken for something else are in double quotes."""


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    ambiguous = dumper.resolve(yaml.ScalarNode, text, (True, False)) != "tag:yaml.org,2002:str"  # type: ignore[no-untyped-call]
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if ambiguous else None)


_Dumper.add_representer(str, _represent_text)
_Dumper.ignore_aliases = lambda self, data: True  # type: ignore[method-assign]


def dump_yaml(value: Object) -> bytes:
    return str(yaml.dump(value, Dumper=_Dumper, allow_unicode=True)).encode()


def list_of(items: Iterable[Object]) -> Object:
    return {"apiVersion": "v1", "items": list(items), "kind": "List", "metadata": {"resourceVersion": ""}}


def second(time_ns: int) -> str:
    return iso(time_ns, 0)


def hosts_of(run: Run) -> dict[str, list[Container]]:
    """Pods, which are named like hosts, with their containers."""
    by_host: dict[str, list[Container]] = {}
    for container in containers(run):
        by_host.setdefault(container.host, []).append(container)
    return by_host


def created_ns(pod: list[Container]) -> int:
    """A second or two before its first process was started."""
    return min(container.attempts[0].started_ns for container in pod) - 2 * BILLION


def terminated(run: Run, identities: Identities, process: Process) -> Object:
    assert process.ended_ns is not None
    reason = "OOMKilled" if was_oom_killed(run, process) else "Error" if process.shell_status else "Completed"
    return {
        "containerID": f"containerd://{identities.container(process)}",
        "exitCode": process.shell_status or 0,
        "finishedAt": second(process.ended_ns),
        "reason": reason,
        "startedAt": second(process.started_ns),
    }


def state_of(run: Run, identities: Identities, process: Process) -> Object:
    if process.ended_ns is None:
        return {"running": {"startedAt": second(process.started_ns)}}
    return {"terminated": terminated(run, identities, process)}


def phase_of(pod: list[Container]) -> str:
    if any(container.last.ended_ns is None for container in pod):
        return "Running"
    return "Failed" if any(container.last.shell_status for container in pod) else "Succeeded"


def _status_of(run: Run, identities: Identities, container: Container) -> Object:
    process, before = container.last, container.attempts[:-1]
    running = process.ended_ns is None
    image = name_image(run)
    return {
        "containerID": f"containerd://{identities.container(process)}",
        "image": f"docker.io/{image}",
        "imageID": f"docker.io/{image.partition(':')[0]}@sha256:{identities.digest('image', run.tensorflow)}",
        "lastState": {"terminated": terminated(run, identities, before[-1])} if before else {},
        "name": container.name,
        "ready": running,
        "restartCount": len(before),
        "started": running,
        "state": state_of(run, identities, process),
    }


def _conditions(pod: list[Container]) -> list[Object]:
    created = created_ns(pod)
    ends = [container.last.ended_ns for container in pod]
    rows = [("Initialized", created, ""), ("Ready", created + BILLION, ""), ("ContainersReady", created + BILLION, "")]
    if None not in ends:
        late = max(end for end in ends if end is not None)
        reason = "PodCompleted" if phase_of(pod) == "Succeeded" else "PodFailed"
        rows = [("Initialized", created, ""), ("Ready", late, reason), ("ContainersReady", late, reason)]
    rows.append(("PodScheduled", created, ""))
    return [
        {
            "lastProbeTime": None,
            "lastTransitionTime": second(time_ns),
            **({"reason": reason} if reason else {}),
            "status": "False" if reason else "True",
            "type": kind,
        }
        for kind, time_ns, reason in rows
    ]


def labels_of(identities: Identities, process: Process) -> dict[str, str]:
    kind, _, index = process.task.partition(":")
    return {
        JOB_NAME: identities.job,
        "training.kubeflow.org/operator-name": "tfjob-controller",
        "training.kubeflow.org/replica-index": index,
        "training.kubeflow.org/replica-type": kind,
    }


def node_address(identities: Identities, process: Process) -> str:
    return identities.machine(process).removeprefix("ip-").replace("-", ".")


def pod_address(run: Run, host: str) -> str:
    return next(candidate.address for candidate in run.hosts if candidate.name == host)


def restart_policy(pod: list[Container]) -> str:
    return "OnFailure" if any(len(container.attempts) > 1 for container in pod) else "Never"


def environment_rows(run: Run, container: Container) -> list[tuple[str, str]]:
    return list(environment_of(run, container.last).items())


def _spec_of(run: Run, container: Container) -> Object:
    environment = [{"name": name, "value": value} for name, value in environment_rows(run, container)]
    return {
        "command": command_of(container.last),
        **({"env": environment} if environment else {}),
        "image": name_image(run),
        "imagePullPolicy": "IfNotPresent",
        "name": container.name,
        "ports": [{"containerPort": 2222, "name": "tfjob-port", "protocol": "TCP"}],
        "resources": {},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
    }


def pod_object(run: Run, identities: Identities, host: str) -> Object:
    pod = hosts_of(run)[host]
    process = pod[0].last
    address = pod_address(run, host)
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "creationTimestamp": second(created_ns(pod)),
            "labels": labels_of(identities, process),
            "name": host,
            "namespace": identities.namespace,
            "ownerReferences": [_owner(identities)],
            "resourceVersion": str(identities.number(10_000_000, 900_000_000, "resource", host)),
            "uid": identities.pod_uid(process),
        },
        "spec": {
            "containers": [_spec_of(run, container) for container in pod],
            "dnsPolicy": "ClusterFirst",
            "enableServiceLinks": True,
            "nodeName": identities.machine(process),
            "preemptionPolicy": "PreemptLowerPriority",
            "priority": 0,
            "restartPolicy": restart_policy(pod),
            "schedulerName": "default-scheduler",
            "securityContext": {},
            "serviceAccount": "default",
            "serviceAccountName": "default",
            "terminationGracePeriodSeconds": 30,
        },
        "status": {
            "conditions": _conditions(pod),
            "containerStatuses": [_status_of(run, identities, container) for container in pod],
            "hostIP": node_address(identities, process),
            "phase": phase_of(pod),
            "podIP": address,
            "podIPs": [{"ip": address}],
            "qosClass": "BestEffort",
            "startTime": second(created_ns(pod)),
        },
    }


def job_uid(identities: Identities) -> str:
    digits = identities.digest("tfjob", length=32)
    return "-".join((digits[:8], digits[8:12], f"4{digits[13:16]}", f"b{digits[17:20]}", digits[20:]))


def _owner(identities: Identities) -> Object:
    return {
        "apiVersion": "kubeflow.org/v1",
        "blockOwnerDeletion": True,
        "controller": True,
        "kind": "TFJob",
        "name": identities.job,
        "uid": job_uid(identities),
    }


@dataclass(frozen=True, slots=True)
class KubeEvent:
    time_ns: int
    kind: str  # Normal or Warning
    reason: str
    object_kind: str
    object_name: str
    field_path: str
    component: str
    node: str
    message: str
    count: int = 1
    first_ns: int = 0  # of several that are the same; 0 for a single one

    @property
    def began_ns(self) -> int:
        return self.first_ns or self.time_ns


def events_of(run: Run, identities: Identities) -> list[KubeEvent]:
    """In the order of their last times. Those that differ in time alone are one, as the API server keeps them."""
    events: list[KubeEvent] = []
    for host, pod in hosts_of(run).items():
        events += _pod_events(run, identities, host, pod)
    events += _job_events(run, identities)
    return sorted(_merge(sorted(events, key=lambda event: event.time_ns)), key=lambda event: event.time_ns)


def _merge(events: list[KubeEvent]) -> Iterable[KubeEvent]:
    same: dict[tuple[str, str, str], list[KubeEvent]] = {}
    for event in events:
        same.setdefault((event.object_name, event.reason, event.message), []).append(event)
    for some in same.values():
        first_ns = some[0].time_ns if len(some) > 1 else 0
        yield replace(some[-1], count=len(some), first_ns=first_ns)


def _pod_events(run: Run, identities: Identities, host: str, pod: list[Container]) -> list[KubeEvent]:
    node, image = identities.machine(pod[0].last), name_image(run)
    assigned = f"Successfully assigned {identities.namespace}/{host} to {node}"
    events = [KubeEvent(created_ns(pod), "Normal", "Scheduled", "Pod", host, "", "default-scheduler", "", assigned)]
    for container in pod:
        path = f"spec.containers{{{container.name}}}"
        for number, process in enumerate(container.attempts):
            for reason, message in (
                ("Pulled", f'Container image "{image}" already present on machine'),
                ("Created", f"Created container: {container.name}"),
                ("Started", f"Started container {container.name}"),
            ):
                events.append(
                    KubeEvent(process.started_ns, "Normal", reason, "Pod", host, path, "kubelet", node, message)
                )
            if number:
                before = container.attempts[number - 1].ended_ns or process.started_ns
                message = (
                    f"Back-off restarting failed container {container.name} in pod "
                    f"{host}_{identities.namespace}({identities.pod_uid(process)})"
                )
                events.append(
                    KubeEvent(before + BILLION, "Warning", "BackOff", "Pod", host, path, "kubelet", node, message)
                )
    return events


def _job_events(run: Run, identities: Identities) -> list[KubeEvent]:
    def say(time_ns: int, kind: str, reason: str, message: str) -> KubeEvent:
        return KubeEvent(time_ns, kind, reason, "TFJob", identities.job, "", "tfjob-controller", "", message)

    events = []
    for host, pod in hosts_of(run).items():
        events.append(say(created_ns(pod), "Normal", "SuccessfulCreatePod", f"Created pod: {host}"))
        events.append(say(created_ns(pod), "Normal", "SuccessfulCreateService", f"Created service: {host}"))
        for container in pod:
            process = container.last
            if process.ended_ns is not None:
                message = f"Pod: {identities.namespace}.{host} exited with code {process.shell_status or 0}"
                events.append(say(process.ended_ns, "Normal", "ExitedWithCode", message))
    if (failed := first_failure(run)) is not None and failed.ended_ns is not None:
        events.append(say(failed.ended_ns + BILLION, "Normal", "TFJobFailed", failure_message(run, identities, failed)))
    return events


def first_failure(run: Run) -> Process | None:
    """Among the last attempts of all tasks."""
    failed = [
        container.last
        for container in containers(run)
        if container.last.ended_ns is not None and container.last.shell_status
    ]
    return min(failed, key=lambda process: process.ended_ns or 0, default=None)


def failure_message(run: Run, identities: Identities, failed: Process) -> str:
    kind = replica_type(failed)
    return f"TFJob {identities.namespace}/{identities.job} has failed because 1 {kind} replica(s) failed."


def replica_type(process: Process) -> str:
    kind = process.task.partition(":")[0]
    return {"ps": "PS", "chief": "Chief", "evaluator": "Evaluator", "worker": "Worker"}.get(kind, kind.capitalize())


def event_object(identities: Identities, event: KubeEvent, number: int) -> Object:
    uid = identities.digest("event", str(number), length=32)
    name = f"{event.object_name}.{identities.digest('event name', str(number), length=16)}"
    involved: Object = {
        "apiVersion": "v1" if event.object_kind == "Pod" else "kubeflow.org/v1",
        **({"fieldPath": event.field_path} if event.field_path else {}),
        "kind": event.object_kind,
        "name": event.object_name,
        "namespace": identities.namespace,
    }
    source = {"component": event.component, **({"host": event.node} if event.node else {})}
    return {
        "apiVersion": "v1",
        "count": event.count,
        "eventTime": None,
        "firstTimestamp": second(event.began_ns),
        "involvedObject": involved,
        "kind": "Event",
        "lastTimestamp": second(event.time_ns),
        "message": event.message,
        "metadata": {
            "creationTimestamp": second(event.began_ns),
            "name": name,
            "namespace": identities.namespace,
            "uid": "-".join((uid[:8], uid[8:12], uid[12:16], uid[16:20], uid[20:])),
        },
        "reason": event.reason,
        "reportingComponent": event.component,
        "reportingInstance": event.node,
        "source": source,
        "type": event.kind,
    }


def event_list(run: Run, identities: Identities) -> Object:
    return list_of(event_object(identities, event, at) for at, event in enumerate(events_of(run, identities)))


def tfjob_object(run: Run, identities: Identities) -> Object:
    pods = hosts_of(run)
    created = second(min((created_ns(pod) for pod in pods.values()), default=first_ns(run)) - BILLION)
    running = second(min((process.started_ns for process in run.tasks), default=first_ns(run)))
    groups: dict[str, list[Container]] = {}
    for container in containers(run):
        groups.setdefault(replica_type(container.last), []).append(container)
    failed = first_failure(run)
    alive = any(container.last.ended_ns is None for some in groups.values() for container in some)
    name = f"{identities.namespace}/{identities.job}"
    conditions = [
        _condition("Created", "TFJobCreated", f"TFJob {name} is created.", created, True),
        _condition("Running", "TFJobRunning", f"TFJob {name} is running.", running, failed is None and alive),
    ]
    ended: Object = {}
    if failed is not None:
        late = second((failed.ended_ns or 0) + BILLION)
        conditions.append(_condition("Failed", "TFJobFailed", failure_message(run, identities, failed), late, True))
        ended = {"completionTime": late}
    elif not alive:
        late = second(max((process.ended_ns or 0 for process in run.tasks), default=first_ns(run)) + BILLION)
        message = f"TFJob {name} successfully completed."
        conditions.append(_condition("Succeeded", "TFJobSucceeded", message, late, True))
        ended = {"completionTime": late}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "TFJob",
        "metadata": {
            "creationTimestamp": created,
            "generation": 1,
            "name": identities.job,
            "namespace": identities.namespace,
            "resourceVersion": str(identities.number(10_000_000, 900_000_000, "tfjob")),
            "uid": job_uid(identities),
        },
        "spec": {
            "runPolicy": {"cleanPodPolicy": "None", "suspend": False},
            "tfReplicaSpecs": {kind: _replica_spec(run, some) for kind, some in groups.items()},
        },
        "status": {
            **ended,
            "conditions": conditions,
            "replicaStatuses": {kind: _replica_status(identities, kind, some) for kind, some in groups.items()},
            "startTime": created,
        },
    }


def _condition(kind: str, reason: str, message: str, time: str, holds: bool) -> Object:
    return {
        "lastTransitionTime": time,
        "lastUpdateTime": time,
        "message": message,
        "reason": reason,
        "status": "True" if holds else "False",
        "type": kind,
    }


def _replica_spec(run: Run, some: list[Container]) -> Object:
    container = {"command": command_of(some[0].last), "image": name_image(run), "name": "tensorflow", "resources": {}}
    return {
        "replicas": len(some),
        "restartPolicy": restart_policy(some),
        "template": {"spec": {"containers": [container]}},
    }


def _replica_status(identities: Identities, kind: str, some: list[Container]) -> Object:
    ended = [container.last for container in some if container.last.ended_ns is not None]
    counts = {
        "active": len(some) - len(ended),
        "failed": sum(1 for process in ended if process.shell_status),
        "selector": f"{JOB_NAME}={identities.job},training.kubeflow.org/operator-name=tfjob-controller,"
        f"training.kubeflow.org/replica-type={kind.lower()}",
        "succeeded": sum(1 for process in ended if not process.shell_status),
    }
    return {key: value for key, value in counts.items() if value}


def age(run: Run, time_ns: int) -> str:
    """As kubectl abbreviates the time since then: https://github.com/kubernetes/apimachinery/blob/master/pkg/util/duration."""
    seconds = (collected_ns(run) - time_ns) // BILLION
    minutes, hours = seconds // 60, seconds // 3600
    if seconds < 120:
        return f"{seconds}s"
    if minutes < 10:
        return f"{minutes}m{seconds % 60}s" if seconds % 60 else f"{minutes}m"
    if minutes < 180:
        return f"{minutes}m"
    if hours < 8:
        return f"{hours}h{minutes % 60}m" if minutes % 60 else f"{hours}h"
    return f"{hours}h" if hours < 48 else f"{hours // 24}d"
