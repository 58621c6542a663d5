"""Datadog: logs of the Log Explorer as CSV, and as the API gives them, newest first.

CSV: https://docs.datadoghq.com/logs/explorer/export/. API:
https://docs.datadoghq.com/api/latest/logs/#search-logs-post, here the `data` of all pages. The Agent takes spaces off
both ends of a line (https://github.com/DataDog/datadog-agent/tree/main/pkg/logs/internal/decoder), sends no empty one,
and gives standard error the status `error`: https://docs.datadoghq.com/containers/kubernetes/log/.
"""

from __future__ import annotations

import base64
import csv
import io
import json
import random
from collections.abc import Iterator
from typing import Any

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._containers import is_task, name_container, name_image, name_places
from accuracy.collectors._stamps import iso
from accuracy.collectors._utf8 import decode, dump, replace_invalid
from accuracy.collectors.elastic import sort_newest_first, task_lines
from accuracy.collectors.kube_logs import group_container
from accuracy.identities import Identities
from accuracy.runs import Process, ReceivedLine, Run

_COLUMNS = ("Date", "Host", "Service", "pod_name", "container_name", "Status", "Message")


def _escape(text: bytes) -> bytes | None:
    return replace_invalid(text.strip()) or None


def _rows(run: Run) -> list[tuple[ReceivedLine, Process]]:
    return sort_newest_first((line, process) for line, process in task_lines(run) if line.text.strip())


def _status(line: ReceivedLine) -> str:
    return "info" if line.stream == "out" else "error"


def render_csv(run: Run, identities: Identities, chance: random.Random) -> Files:
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for line, process in _rows(run):
        message = decode(line.text.strip())
        place = (identities.machine(process), "tensorflow", process.host, name_container(run, process))
        writer.writerow((iso(line.time_ns, 3), *place, _status(line), message))
    return {"extract-logs.csv": out.getvalue().encode()}


def read_csv(files: Files) -> Iterator[GroupLine]:
    for content in files.values():
        rows = list(csv.DictReader(io.StringIO(content.decode(), newline="")))
        for row in sorted(rows, key=lambda row: row["Date"]):
            yield f"{row['pod_name']}/{row['container_name']}", row["Message"].encode()


def _event(run: Run, identities: Identities, number: int, line: ReceivedLine, process: Process) -> dict[str, Any]:
    image, _, tag = name_image(run).partition(":")
    tags = {
        "container_id": identities.container(process),
        "container_name": name_container(run, process),
        "image_name": image,
        "image_tag": tag,
        "kube_container_name": name_container(run, process),
        "kube_namespace": identities.namespace,
        "kube_node": identities.machine(process),
        "pod_name": process.host,
        "service": "tensorflow",
        "source": "tensorflow",
    }
    return {
        "id": base64.urlsafe_b64encode(bytes.fromhex(identities.digest("log", str(number), length=48))).decode(),
        "type": "log",
        "attributes": {
            "attributes": {"logger": {}, "service": "tensorflow"},
            "host": identities.machine(process),
            "message": decode(line.text.strip()),
            "service": "tensorflow",
            "status": _status(line),
            "tags": [f"{key}:{value}" for key, value in tags.items()],
            "timestamp": iso(line.time_ns, 3),
        },
    }


def render_json(run: Run, identities: Identities, chance: random.Random) -> Files:
    events = [_event(run, identities, number, *row) for number, row in enumerate(_rows(run))]
    return {"datadog-logs.json": dump(events, indent=2) + b"\n"}


def read_json(files: Files) -> Iterator[GroupLine]:
    events = [event["attributes"] for event in json.loads(files["datadog-logs.json"])]
    for event in sorted(events, key=lambda event: str(event["timestamp"])):
        tags = dict(tag.split(":", 1) for tag in event["tags"])
        yield f"{tags['pod_name']}/{tags['kube_container_name']}", event["message"].encode()


COLLECTORS = tuple(
    Collector(
        name,
        render,
        read,
        keeps=is_task,
        group=group_container,
        escape=_escape,
        names=name_places,
    )
    for name, render, read in (("datadog-csv", render_csv, read_csv), ("datadog-json", render_json, read_json))
)
