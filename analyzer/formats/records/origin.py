"""The origin of a record, written as the prefix of `kubectl logs`: `[pod/trainer-0/main] `."""

from __future__ import annotations

import re
from functools import cache

from analyzer.formats.records.record_fields import Record

# The fields that name the writer of a record, the most specific first: dots stand for nested objects. The names are
# those of fluent-bit, filebeat and vector (Kubernetes), stern, Cloud Logging, Loki, and of shippers on machines.
ORIGIN_FIELDS = (
    "kubernetes.pod_name", "kubernetes.pod.name", "kubernetes.task_name", "kubernetes.pod", "kubernetes.host",
    "podName", "pod_name", "pod", "PodName",
    "resource.labels.pod_name", "resource.labels.task_name", "resource.labels.pod", "resource.labels.host",
    "resource.labels.hostname", "resource.labels.nodename", "resource.labels.node_name", "resource.labels.instance",
)  # fmt: skip
LABEL_FIELDS = ("labels.pod_name", "labels.task_name", "labels.pod", "labels.host", "labels.hostname",
    "labels.nodename", "labels.node_name", "labels.instance",
)  # fmt: skip
HOST_FIELDS = (
    "host.name", "host.hostname", "host", "hostname", "host_name", "node_name", "nodeName", "agent.name",
    "agent.hostname", "agent", "computer", "Computer", "_HOSTNAME", "instance", "node", "container_name",
)  # fmt: skip
CONTAINER_FIELDS = ("kubernetes.container_name", "kubernetes.container.name", "containerName",
    "resource.labels.container_name", "labels.container_name", "labels.container",
)  # fmt: skip

# The stream of CloudWatch Logs, as its commands and the plug-ins of its agents call it.
CLOUDWATCH_STREAM_FIELDS = ("logStreamName", "logStream", "log_stream", "@logStream")
MAX_STREAM_NAME_CHARS = 512  # the limit of the service
# SageMaker's `train-7/algo-1-1795226776` ends in its start time; Kubernetes' is `..var.log.containers.w-0_ml_tf-<id>`.
_START_TIME_SUFFIX = re.compile(r"-\d{9,}$")
_match_pod_stream = re.compile(
    r"(?:.*[.]containers[.])?(?P<pod>[a-z0-9][a-z0-9.-]*)_[a-z0-9-]+_[a-z0-9.-]+-[0-9a-f]{20,}(?:[.]log)?"
).fullmatch

match_writer_name = re.compile(r"(?=\d{0,119}[A-Za-z_])[\w.<>$/@-]{1,120}").fullmatch  # a host, pod or container
match_plain_name = re.compile(r"[A-Za-z_][\w.<>$/@-]{0,119}").fullmatch


def pod_prefix(record: Record) -> str:
    """Return the prefix for the pod that a collector (fluent-bit, Cloud Logging, Loki) names, or an empty text.

    A training service may name a task instead (`workerpool1-0` of Vertex AI). Labels of a record name its writer only
    in the output of `logcli`, which has the message in `line`.
    """
    pod = _first_name(record, ORIGIN_FIELDS) or ("line" in record and _first_name(record, LABEL_FIELDS)) or ""
    return f"[pod/{pod}/{_first_name(record, CONTAINER_FIELDS) or '-'}] " if pod else ""


def host_prefix(record: Record) -> str:
    """Return the same prefix for the host of the record, or an empty text.

    The host is the machine that a shipper names (filebeat, vector, CloudWatch's agent), the container that Docker's
    fluentd driver names, or the name in the record's stream of CloudWatch Logs.
    """
    name = _first_name(record, HOST_FIELDS) or next(
        (name_of_stream(text) for key in CLOUDWATCH_STREAM_FIELDS if isinstance(text := record.get(key), str)), ""
    )
    return f"[pod/{name}/-] " if match_writer_name(name) else ""


def _first_name(record: Record, fields: tuple[str, ...]) -> str:
    paths, first_keys = _split_fields(fields)
    if first_keys.isdisjoint(record):
        return ""
    for path in paths:
        value: object = record
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, str) and match_writer_name(name := value.removeprefix("/")):
            return name
    return ""


@cache
def _split_fields(fields: tuple[str, ...]) -> tuple[tuple[tuple[str, ...], ...], frozenset[str]]:
    """Return the keys of each field, and the first keys of all."""
    paths = tuple(tuple(field.split(".")) for field in fields)
    return paths, frozenset(path[0] for path in paths)


def name_of_stream(text: str) -> str:
    """Return the writer's name in a stream of CloudWatch Logs: the last part, which alone differs between tasks."""
    if len(text) > MAX_STREAM_NAME_CHARS:
        return ""
    name = text.rpartition("/")[2].strip()
    return pod["pod"] if (pod := _match_pod_stream(name)) else _START_TIME_SUFFIX.sub("", name)
