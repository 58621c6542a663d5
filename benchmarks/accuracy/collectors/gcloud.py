"""Google Cloud Logging: of GKE (`gcloud logging read`, the files of a sink) and of Vertex AI's custom jobs.

Entries: https://cloud.google.com/logging/docs/reference/v2/rest/v2/LogEntry. `gcloud logging read --format=json` gives
an array, newest first: https://cloud.google.com/sdk/gcloud/reference/logging/read. A sink writes an object for each log
and hour, one entry a line: https://cloud.google.com/logging/docs/export/storage. GKE's resource is `k8s_container`, and
what came from standard error has the severity ERROR. Vertex AI's resource is `ml_job`, with the replica as `task_name`:
https://cloud.google.com/vertex-ai/docs/training/monitor-debug-interactive-shell. No entry is empty.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._containers import Container, attempts_of, containers, is_task, name_container, split_lines
from accuracy.collectors._stamps import BILLION, go_nano, to_utc
from accuracy.collectors._utf8 import decode, dump, dump_go, replace_invalid
from accuracy.collectors.elastic import task_lines
from accuracy.collectors.kube_logs import group_container
from accuracy.identities import Identities
from accuracy.runs import Process, ReceivedLine, Run

Entry = dict[str, Any]
_POOLS = {"chief": 0, "master": 0, "worker": 1, "ps": 2, "evaluator": 3}
_HOUR = 3600 * BILLION


def _escape(text: bytes) -> bytes | None:
    return replace_invalid(text) if text else None


def _insert_id(identities: Identities, number: int) -> str:
    """It rises with the order of entries of the same time."""
    return f"{identities.digest('insert', length=9)}{number:07x}"


def _project(identities: Identities) -> str:
    return f"{identities.namespace}-{identities.number(100_000, 999_999, 'project')}"


def gke_node(identities: Identities, process: Process) -> str:
    pool = identities.digest("pool", length=8)
    return f"gke-training-cluster-pool-1-{pool}-{identities.digest('node', process.host, length=4)}"


def gke_entry(run: Run, identities: Identities, number: int, line: ReceivedLine, process: Process) -> Entry:
    project = _project(identities)
    return {
        "insertId": _insert_id(identities, number),
        "labels": {
            "compute.googleapis.com/resource_name": gke_node(identities, process),
            "k8s-pod/training_kubeflow_org/job-name": identities.job,
            "k8s-pod/training_kubeflow_org/replica-index": process.task.partition(":")[2],
            "k8s-pod/training_kubeflow_org/replica-type": process.task.partition(":")[0],
        },
        "logName": f"projects/{project}/logs/std{line.stream}",
        "receiveTimestamp": go_nano(line.time_ns + 1_300_000_000 + number % 997 * 1_000_003),
        "resource": {
            "labels": {
                "cluster_name": "training-cluster",
                "container_name": name_container(run, process),
                "location": "us-central1-a",
                "namespace_name": identities.namespace,
                "pod_name": process.host,
                "project_id": project,
            },
            "type": "k8s_container",
        },
        "severity": "INFO" if line.stream == "out" else "ERROR",
        "textPayload": decode(line.text),
        "timestamp": go_nano(line.time_ns),
    }


def _gke_entries(run: Run, identities: Identities) -> list[tuple[int, Entry]]:
    """(time, entry), oldest first."""
    return [
        (line.time_ns, gke_entry(run, identities, number, line, process))
        for number, (line, process) in enumerate(task_lines(run))
    ]


def _newest_first(entries: list[tuple[int, Entry]]) -> list[Entry]:
    return [entry for _, entry in sorted(entries, key=lambda entry: entry[0])[::-1]]


def render_array(run: Run, identities: Identities, chance: random.Random) -> Files:
    """gcloud logging read 'resource.type="k8s_container"' --format=json > logs.json"""
    return {"logs.json": dump(_newest_first(_gke_entries(run, identities)), indent=2) + b"\n"}


def _order(entry: Entry) -> tuple[str, str, str]:
    seconds, _, fraction = str(entry["timestamp"]).removesuffix("Z").partition(".")
    return seconds, fraction.ljust(9, "0"), str(entry["insertId"])


def _pod_of(entry: Entry) -> str:
    labels = entry["resource"]["labels"]
    return f"{labels['pod_name']}/{labels['container_name']}"


def read_array(files: Files) -> Iterator[GroupLine]:
    for entry in sorted(json.loads(files["logs.json"]), key=_order):
        yield _pod_of(entry), entry["textPayload"].encode()


def render_sink(run: Run, identities: Identities, chance: random.Random) -> Files:
    """gsutil -m cp -r gs://BUCKET/stdout gs://BUCKET/stderr ."""
    shards: dict[str, list[bytes]] = {}
    for time_ns, entry in _gke_entries(run, identities):
        begin = to_utc(time_ns // _HOUR * _HOUR)
        log = entry["logName"].rpartition("/")[2]
        path = f"{log}/{begin:%Y/%m/%d}/{begin:%H:00:00}_{begin:%H:59:59}_S0.json"
        shards.setdefault(path, []).append(dump_go(entry) + b"\n")
    return {path: b"".join(some) for path, some in shards.items()}


def read_sink(files: Files) -> Iterator[GroupLine]:
    entries = [json.loads(record) for content in files.values() for record in split_lines(content)]
    for entry in sorted(entries, key=_order):
        yield _pod_of(entry), entry["textPayload"].encode()


def replica(identities: Identities, process: Process) -> str:
    """The chief, or worker 0 in its place, is workerpool0-0; pools 1 to 3 are other workers, servers, evaluators."""
    kind, _, index = process.task.partition(":")
    kinds = {task.task.partition(":")[0] for task in identities.run.tasks}
    led = bool(kinds & {"chief", "master"})
    if kind == "worker" and not led:
        return "workerpool0-0" if index == "0" else f"workerpool1-{int(index) - 1}"
    return f"workerpool{_POOLS.get(kind, 1)}-{index}"


def _vertex_entry(
    identities: Identities, number: int, time_ns: int, place: str, payload: Entry, severity: str
) -> Entry:
    project, job = _project(identities), str(identities.number(10**18, 9 * 10**18, "custom job"))
    entry = {
        "insertId": _insert_id(identities, number),
        **payload,
        "labels": {
            "ml.googleapis.com/job_id/log_area": "root",
            "ml.googleapis.com/trial_id": "",
            "ml.googleapis.com/trial_type": "",
        },
        "logName": f"projects/{project}/logs/{place if place != 'service' else 'ml.googleapis.com%2F' + job}",
        "receiveTimestamp": go_nano(time_ns + 2_100_000_000),
        "resource": {"labels": {"job_id": job, "project_id": project, "task_name": place}, "type": "ml_job"},
        "severity": severity,
        "timestamp": go_nano(time_ns),
    }
    return dict(sorted(entry.items()))


def _vertex_line(identities: Identities, number: int, line: ReceivedLine, process: Process) -> Entry:
    level = "INFO" if line.stream == "out" else "ERROR"
    place = replica(identities, process)
    payload = {
        "jsonPayload": {
            "attrs": {"tag": place},
            "levelname": level,
            "message": decode(line.text) + ("\n" if line.is_complete else ""),
        }
    }
    return _vertex_entry(identities, number, line.time_ns, place, payload, level)


def _ends(run: Run, identities: Identities, number: int) -> Iterator[tuple[int, Entry]]:
    """What the service says of replicas that failed, and of the job."""
    for container in containers(run):
        process = container.last
        if process.ended_ns is not None and process.shell_status:
            number += 1
            late = process.ended_ns + 21 * BILLION
            payload = {"textPayload": _end_of(run, identities, container)}
            yield late, _vertex_entry(identities, number, late, "service", payload, "ERROR")
    ended = [process.ended_ns for process in run.tasks if process.ended_ns is not None]
    if ended and len(ended) == len(run.tasks) and not any(container.last.shell_status for container in containers(run)):
        late = max(ended) + 30 * BILLION
        payload = {"textPayload": "Job completed successfully."}
        yield late, _vertex_entry(identities, number + 1, late, "service", payload, "INFO")


def _end_of(run: Run, identities: Identities, container: Container) -> str:
    process = container.last
    return (
        f"The replica {replica(identities, process)} exited with a non-zero status of {process.shell_status}. "
        "To find out more about why your job exited please check the logs: "
        f"https://console.cloud.google.com/logs/viewer?project={_project(identities)}&resource=ml_job%2Fjob_id%2F"
        f"{identities.number(10**18, 9 * 10**18, 'custom job')}"
    )


def render_vertex(run: Run, identities: Identities, chance: random.Random) -> Files:
    """gcloud logging read 'resource.type="ml_job" resource.labels.job_id=ID' --format=json"""
    entries = [
        (line.time_ns, _vertex_line(identities, number, line, process))
        for number, (line, process) in enumerate(task_lines(run))
    ]
    entries += _ends(run, identities, len(entries))
    return {"vertex-job-logs.json": dump(_newest_first(entries), indent=2) + b"\n"}


def _group_vertex(run: Run, process: Process) -> str:
    return replica(Identities(run), process)


def read_vertex(files: Files) -> Iterator[GroupLine]:
    for entry in sorted(json.loads(files["vertex-job-logs.json"]), key=_order):
        if "jsonPayload" in entry:
            message = entry["jsonPayload"]["message"].removesuffix("\n")
            yield entry["resource"]["labels"]["task_name"], message.encode()


def _states_end(run: Run, process: Process) -> bool:
    """The service tells of replicas that failed; a restarted one is told of once."""
    return is_task(run, process) and bool(process.shell_status) and process == attempts_of(run, process)[-1]


def _name_pod(identities: Identities, process: Process) -> frozenset[str]:
    return frozenset((process.host, gke_node(identities, process)))


def _name_replica(identities: Identities, process: Process) -> frozenset[str]:
    return frozenset((replica(identities, process),))


COLLECTORS = (
    *(
        Collector(
            name,
            render,
            read,
            keeps=is_task,
            group=group_container,
            escape=_escape,
            names=_name_pod,
        )
        for name, render, read in (
            ("gcloud-json", render_array, read_array),
            ("gcloud-sink", render_sink, read_sink),
        )
    ),
    Collector(
        "vertex-ai",
        render_vertex,
        read_vertex,
        carries=frozenset({"lines", "exit"}),
        keeps=is_task,
        ends=_states_end,
        group=_group_vertex,
        escape=_escape,
        names=_name_replica,
    ),
)
