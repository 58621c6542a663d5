"""Where a record is from, as the prefix that kubectl writes before a pod's line: `[pod/trainer-0/main] `."""

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
)  # labels of a line

# The stream of CloudWatch Logs that a line stood in, as its commands and its agents' plug-ins call it.
CLOUDWATCH_STREAM_FIELDS = ("logStreamName", "logStream", "log_stream", "@logStream")
MAX_STREAM_NAME_CHARS = 512  # characters that the service allows
# `train-7/algo-1-1795226776` of SageMaker ends in when it began; `..var.log.containers.w-0_ml_tf-<id>` is Kubernetes'.
_START_TIME_SUFFIX = re.compile(r"-\d{9,}$")
_match_pod_stream = re.compile(
    r"(?:.*[.]containers[.])?(?P<pod>[a-z0-9][a-z0-9.-]*)_[a-z0-9-]+_[a-z0-9.-]+-[0-9a-f]{20,}(?:[.]log)?"
).fullmatch

match_plain_name = re.compile(r"[A-Za-z_][\w.<>$/@-]{0,119}").fullmatch


def pod_prefix(record: Record) -> str:
    """kubectl's prefix for the pod that a collector (fluent-bit, Cloud Logging, Loki) says the line is from, or the
    task of a training service (`workerpool1-0` of Vertex AI).
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
    if not isinstance(pod, str) or not match_plain_name(pod):
        return ""
    return f"[pod/{pod}/{container if isinstance(container, str) else '-'}] "


def host_prefix(record: Record) -> str:
    """The same prefix for the machine that a shipper (filebeat, vector, CloudWatch's agent) names beside the line, for
    the container that Docker's fluentd driver does, or for whom the line's stream in CloudWatch Logs is named.
    """
    for key in ("host", "hostname", "host_name", "node_name", "agent", "container_name"):
        host = record.get(key)
        name = (host.get("name") or host.get("hostname")) if isinstance(host, dict) else host
        if isinstance(name, str) and match_plain_name(name := name.removeprefix("/")):
            return f"[pod/{name}/-] "
    name = next(
        (name_of_stream(text) for key in CLOUDWATCH_STREAM_FIELDS if isinstance(text := record.get(key), str)), ""
    )
    return f"[pod/{name}/-] " if match_plain_name(name) else ""


def name_of_stream(text: str) -> str:
    """Whom a stream of CloudWatch Logs is named for: its last part, which alone differs between the tasks of a job."""
    if len(text) > MAX_STREAM_NAME_CHARS:
        return ""
    name = text.rpartition("/")[2].strip()
    return pod["pod"] if (pod := _match_pod_stream(name)) else _START_TIME_SUFFIX.sub("", name)
