"""Write the origin of a record as the prefix of `kubectl logs`, with the machine if the record names it too.

[pod/trainer-0/main@gpu17]      pod, container, machine
[pod/trainer-0/-]               a pod, or only a machine
[pod/-/trainer_1@gpu17]         a container without a pod
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain

from analyzer.formats.records.record_fields import Record

# The fields that name the writer of a record, the most specific first: dots stand for nested objects. The names are
# those of fluent-bit, filebeat and vector (Kubernetes), stern, Cloud Logging, Loki, and of shippers on machines.
POD_FIELDS = (
    "kubernetes.pod_name", "kubernetes.pod.name", "kubernetes.task_name", "kubernetes.pod",
    "podName", "pod_name", "pod", "PodName", "k8s.pod.name",
    "resource.labels.pod_name", "resource.labels.task_name", "resource.labels.pod",
)  # fmt: skip
CONTAINER_FIELDS = ("kubernetes.container_name", "kubernetes.container.name", "containerName", "ContainerName",
    "resource.labels.container_name", "labels.container_name", "labels.container", "container_name", "container.name",
    "docker.container.name",
)  # fmt: skip
MACHINE_FIELDS = (
    "kubernetes.host", "kubernetes.node.name", "kubernetes.node_name", "k8s.node.name",
    "resource.labels.host", "resource.labels.hostname", "resource.labels.nodename", "resource.labels.node_name",
    "resource.labels.instance", "labels.compute.googleapis.com/resource_name",
    "host.name", "host.hostname", "host", "hostname", "host_name", "node_name", "nodeName", "agent.name",
    "agent.hostname", "agent", "computer", "Computer", "_HOSTNAME", "instance", "node",
)  # fmt: skip
# The labels of a record name its writer only in the output of `logcli` and Grafana, which has the message in `line`.
LABELLED_POD_FIELDS = ("labels.pod_name", "labels.task_name", "labels.pod", "fields.pod_name", "fields.pod")
LABELLED_MACHINE_FIELDS = (
    "labels.node_name", "labels.host", "labels.hostname", "labels.nodename", "labels.node", "labels.instance",
    "fields.node_name", "fields.host", "fields.hostname", "fields.node", "fields.instance",
)  # fmt: skip
FILE_FIELDS = ("log.file.path", "labels.filename", "filename", "source")  # the file that a shipper read
# A machine of a cloud by its id alone, where nothing else names the writer (Cloud Logging's `gce_instance`).
INSTANCE_FIELDS = ("resource.labels.instance_id", "cloud.instance.id", "instance_id", "instanceId")
LONE_CONTAINER_FIELDS = ("container_name", "container.name")  # of Docker's drivers: the only name of the writer

FLUENTD_TAG = "fluentd_tag"  # our name for the tag before a record; its last part differs between writers

# The stream of CloudWatch Logs, as its commands and the plug-ins of its agents call it.
CLOUDWATCH_STREAM_FIELDS = ("logStreamName", "logStream", "log_stream", "@logStream")
MAX_STREAM_NAME_CHARS = 512  # the limit of the service
# SageMaker's `train-7/algo-1-1795226776` ends in its start time; Kubernetes' is `..var.log.containers.w-0_ml_tf-<id>`.
_START_TIME_SUFFIX = re.compile(r"-\d{9,}$")
_match_pod_stream = re.compile(
    r"(?:.*[.]containers[.])?(?P<pod>[a-z0-9][a-z0-9.-]*)_[a-z0-9-]+_[a-z0-9.-]+-[0-9a-f]{20,}(?:[.]log)?"
).fullmatch

_is_log_path = re.compile(r"/(?:[^/\n]{1,120}/){1,12}[^/\n]{1,250}(?<!\.py)").fullmatch
_LOG_EXTENSION = re.compile(r"(?:\.(?:log|out|err|txt|json|\d{1,3})){1,3}$")
MAX_RECENT_PREFIXES = 1024
MAX_RECENT_CHARS = 1024  # of the fields of one cached record
_recent_prefixes: dict[tuple[object, ...], str] = {}
_GRAYLOG_KEYS = frozenset({"container_name", "gl2_message_id", "gl2_source_input", "gl2_remote_ip", "log"})

# A pod, container or machine. A number is not a name; an address is the name of a machine.
match_writer_name = re.compile(r"(?=\d{0,119}[A-Za-z_])[\w.-]{1,120}").fullmatch
match_plain_name = re.compile(r"[A-Za-z_][\w.<>$/@-]{0,119}").fullmatch


def origin_prefix(record: Record) -> str:
    """Return the prefix for the writer that a record names, or an empty text.

    A training service may name a task instead of a pod (`workerpool1-0` of Vertex AI). Shippers (filebeat, vector,
    CloudWatch's agent) name the machine. If there is no other name, the stream of CloudWatch Logs is used.
    """
    if record.keys().isdisjoint(_ORIGIN_KEYS):
        return ""
    has_labels = "line" in record and ("labels" in record or "fields" in record)
    stated = tuple(
        (key, value) if isinstance(value, str) else (key, repr(value), "")
        for key, value in record.items()
        if key in _READ_KEYS and (key not in _NESTING_KEYS or isinstance(value, dict))
    )
    recent = (stated, has_labels, record.keys().isdisjoint(_GRAYLOG_KEYS))
    if (prefix := _recent_prefixes.get(recent)) is not None:  # cached, because a file has few writers
        return prefix
    prefix = _find_origin(record, has_labels)
    if len(_recent_prefixes) >= MAX_RECENT_PREFIXES:
        _recent_prefixes.clear()
    if sum(len(row[1]) for row in stated) <= MAX_RECENT_CHARS:
        _recent_prefixes[recent] = prefix
    return prefix


def _find_origin(record: Record, has_labels: bool) -> str:
    pod = _first_name(record, POD_FIELDS) or (_first_name(record, LABELLED_POD_FIELDS) if has_labels else "")
    machine = (_first_name(record, LABELLED_MACHINE_FIELDS) if has_labels else "") or _first_name(
        record, MACHINE_FIELDS
    )
    machine = machine or _graylog_source(record)
    container = _first_name(record, CONTAINER_FIELDS)
    if machine and not pod and not container:
        pod, container = _writer_of_file(record)
    return format_origin(pod, container, machine) or _lone_prefix(record)


def format_origin(pod: str, container: str, machine: str) -> str:
    """Return the prefix for a writer of these names, which may be empty; empty if neither pod nor machine is known."""
    if machine in ("", pod):
        return f"[pod/{pod}/{container or '-'}] " if pod else ""
    if not pod and container in ("", machine):
        return f"[pod/{machine}/-] "
    return f"[pod/{pod or '-'}/{container or '-'}@{machine}] "


def _graylog_source(record: Record) -> str:
    """Return the machine in Graylog's field `source`, which other services use for a file or an output."""
    name = record.get("source")
    is_machine = isinstance(name, str) and name not in ("stdout", "stderr") and match_writer_name(name)
    return str(name) if is_machine and not record.keys().isdisjoint(_GRAYLOG_KEYS) else ""


def _writer_of_file(record: Record) -> tuple[str, str]:
    """Return (pod, container) of the record's file: the pod in its name, or else the name of the file."""
    path = next((str(text) for text in _values_of(record, FILE_FIELDS) if _is_log_path(str(text))), "")
    name = path.rpartition("/")[2]
    if pod := _match_pod_stream(name):
        return pod["pod"], ""
    stem = _LOG_EXTENSION.sub("", name)
    return "", stem if match_writer_name(stem) else ""


def _lone_prefix(record: Record) -> str:
    """Return the prefix for a container of Docker, a stream of CloudWatch Logs, a tag of fluentd or an instance."""
    name = _first_name(record, LONE_CONTAINER_FIELDS) or next(
        (name_of_stream(text) for key in CLOUDWATCH_STREAM_FIELDS if isinstance(text := record.get(key), str)), ""
    )
    if not name and isinstance(tag := record.get(FLUENTD_TAG), str):
        name = tag.rpartition(".")[2]
    if not name and (instance := next(_values_of(record, INSTANCE_FIELDS), "")):
        name = f"instance-{instance}" if instance.isdecimal() else instance
    return f"[pod/{name}/-] " if match_writer_name(name) else ""


def _first_name(record: Record, fields: tuple[str, ...]) -> str:
    names = (value.removeprefix("/") for value in _values_of(record, fields))
    return next((name for name in names if match_writer_name(name)), "")


def _values_of(record: Record, fields: tuple[str, ...]) -> Iterator[str]:
    """Yield the texts in these fields, which may be nested or have dots in their keys."""
    by_key = _index_fields(fields)
    present = by_key.keys() & record.keys()
    if not present:
        return
    places = by_key[next(iter(present))] if len(present) == 1 else sorted(chain(*map(by_key.__getitem__, present)))
    for _, path in places:
        value: object = record
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, str):
            yield value


@cache
def _index_fields(fields: tuple[str, ...]) -> dict[str, list[tuple[int, tuple[str, ...]]]]:
    """Return key of a record → (place in `fields`, keys) of the fields that begin with it."""
    by_key: dict[str, list[tuple[int, tuple[str, ...]]]] = {}
    for place, name in enumerate(fields):
        first, _, remaining_path = name.partition(".")  # a key may have dots: Google Cloud's labels
        for path in dict.fromkeys(
            ((name,), tuple(name.split(".")), (first, remaining_path) if remaining_path else (first,))
        ):
            by_key.setdefault(path[0], []).append((place, path))
    return by_key


_ORIGIN_KEYS = frozenset(
    key
    for fields in (POD_FIELDS, CONTAINER_FIELDS, MACHINE_FIELDS, LONE_CONTAINER_FIELDS,
                   INSTANCE_FIELDS, FILE_FIELDS, CLOUDWATCH_STREAM_FIELDS, ("labels.pod", "fields.pod", FLUENTD_TAG))
    for key in _index_fields(fields)
)  # fmt: skip

_READ_KEYS = _ORIGIN_KEYS.union(_index_fields(LABELLED_POD_FIELDS), _index_fields(LABELLED_MACHINE_FIELDS))
# Keys that count only if they are objects: most records have a text under `log`, which is not read.
_NESTING_KEYS = _READ_KEYS.difference(
    *(POD_FIELDS, CONTAINER_FIELDS, MACHINE_FIELDS, INSTANCE_FIELDS, LONE_CONTAINER_FIELDS, FILE_FIELDS),
    CLOUDWATCH_STREAM_FIELDS,
    (FLUENTD_TAG,),
    *(LABELLED_POD_FIELDS, LABELLED_MACHINE_FIELDS),
)

# Column name of an exported search in lower case → the field.
ORIGIN_COLUMNS = {
    name.lower(): name.removeprefix("labels.")
    for fields in (POD_FIELDS, CONTAINER_FIELDS, MACHINE_FIELDS, LABELLED_POD_FIELDS, LABELLED_MACHINE_FIELDS,
                   FILE_FIELDS, CLOUDWATCH_STREAM_FIELDS)
    for name in fields
} | {"container": "containerName"}  # fmt: skip


def name_of_stream(text: str) -> str:
    """Return the writer's name in a stream of CloudWatch Logs: its last part, the only one that
    differs between tasks.
    """
    if len(text) > MAX_STREAM_NAME_CHARS:
        return ""
    name = text.rpartition("/")[2].strip()
    return pod["pod"] if (pod := _match_pod_stream(name)) else _START_TIME_SUFFIX.sub("", name)
