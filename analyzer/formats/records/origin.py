"""The origin of a record, written as the prefix of `kubectl logs`: `[pod/trainer-0/main] `."""

from __future__ import annotations

import re

from analyzer.formats.records.record_fields import Record

POD_FIELDS = (
    "pod_name",
    "task_name",
    "pod",
    "host",
    "hostname",
    "nodename",
    "node_name",
    "instance",
)  # labels of a record

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

    A training service may name a task instead (`workerpool1-0` of Vertex AI).
    """
    labels = record.get("kubernetes")
    if not isinstance(labels, dict):
        resource = record.get("resource")
        labels = resource.get("labels") if isinstance(resource, dict) else None
    if not isinstance(labels, dict):
        labels = record.get("labels") if "line" in record else None  # logcli --output=jsonl
    if not isinstance(labels, dict):
        return ""
    pod = next((labels[key] for key in POD_FIELDS if key in labels), None)
    container = labels.get("container_name", labels.get("container"))
    if not isinstance(pod, str) or not match_writer_name(pod):
        return ""
    return f"[pod/{pod}/{container if isinstance(container, str) else '-'}] "


def host_prefix(record: Record) -> str:
    """Return the same prefix for the host of the record, or an empty text.

    The host is the machine that a shipper names (filebeat, vector, CloudWatch's agent), the container that Docker's
    fluentd driver names, or the name in the record's stream of CloudWatch Logs.
    """
    for key in ("host", "hostname", "host_name", "node_name", "agent", "container_name"):
        host = record.get(key)
        name = (host.get("name") or host.get("hostname")) if isinstance(host, dict) else host
        if isinstance(name, str) and match_writer_name(name := name.removeprefix("/")):
            return f"[pod/{name}/-] "
    name = next(
        (name_of_stream(text) for key in CLOUDWATCH_STREAM_FIELDS if isinstance(text := record.get(key), str)), ""
    )
    return f"[pod/{name}/-] " if match_writer_name(name) else ""


def name_of_stream(text: str) -> str:
    """Return the writer's name in a stream of CloudWatch Logs: the last part, which alone differs between tasks."""
    if len(text) > MAX_STREAM_NAME_CHARS:
        return ""
    name = text.rpartition("/")[2].strip()
    return pod["pod"] if (pod := _match_pod_stream(name)) else _START_TIME_SUFFIX.sub("", name)
