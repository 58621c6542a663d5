"""Where a record is from, as the prefix that kubectl writes before a pod's line: `[pod/trainer-0/main] `."""

from __future__ import annotations

import re

from analyzer.formats.unwrap_record import Record

PLACES = ("pod_name", "task_name", "pod", "host", "hostname", "nodename", "node_name", "instance")  # labels of a line

# The stream of CloudWatch Logs that a line stood in, as its commands and its agents' plug-ins call it.
STREAMS = ("logStreamName", "logStream", "log_stream", "@logStream")
LONGEST_STREAM = 512  # characters that the service allows
# `train-7/algo-1-1795226776` of SageMaker ends in when it began; `..var.log.containers.w-0_ml_tf-<id>` is Kubernetes'.
_BEGAN = re.compile(r"-\d{9,}$")
_OF_POD = re.compile(
    r"(?:.*[.]containers[.])?(?P<pod>[a-z0-9][a-z0-9.-]*)_[a-z0-9-]+_[a-z0-9.-]+-[0-9a-f]{20,}(?:[.]log)?"
).fullmatch

NAME = re.compile(r"[A-Za-z_][\w.<>$/@-]{0,119}").fullmatch


def pod_of(record: Record) -> str:
    """kubectl's prefix for the pod that a collector (fluent-bit, Cloud Logging, Loki) says the line is from, or the
    task of a training service (`workerpool1-0` of Vertex AI).
    """
    place = record.get("kubernetes")
    if not isinstance(place, dict):
        resource = record.get("resource")
        place = resource.get("labels") if isinstance(resource, dict) else None
    if not isinstance(place, dict):
        place = record.get("labels") if "line" in record else None  # logcli --output=jsonl
    if not isinstance(place, dict):
        return ""
    pod = next((place[key] for key in PLACES if key in place), None)
    container = place.get("container_name", place.get("container"))
    if not isinstance(pod, str) or not NAME(pod):
        return ""
    return f"[pod/{pod}/{container if isinstance(container, str) else '-'}] "


def host_of(record: Record) -> str:
    """The same prefix for the machine that a shipper (filebeat, vector, CloudWatch's agent) names beside the line, for
    the container that Docker's fluentd driver does, or for whom the line's stream in CloudWatch Logs is named.
    """
    for key in ("host", "hostname", "host_name", "node_name", "agent", "container_name"):
        place = record.get(key)
        name = (place.get("name") or place.get("hostname")) if isinstance(place, dict) else place
        if isinstance(name, str) and NAME(name := name.removeprefix("/")):
            return f"[pod/{name}/-] "
    name = next((read_stream(text) for key in STREAMS if isinstance(text := record.get(key), str)), "")
    return f"[pod/{name}/-] " if NAME(name) else ""


def read_stream(text: str) -> str:
    """Whom a stream of CloudWatch Logs is named for: its last part, which alone differs between the tasks of a job."""
    if len(text) > LONGEST_STREAM:
        return ""
    name = text.rpartition("/")[2].strip()
    return pod["pod"] if (pod := _OF_POD(name)) else _BEGAN.sub("", name)
