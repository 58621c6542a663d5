"""What stern followed, written to a file: https://github.com/stern/stern#usage.

Its templates are in https://github.com/stern/stern/blob/master/cmd/cmd.go: `POD CONTAINER TEXT`, or one JSON object a
line. Where standard error went to the file too, `+ POD › CONTAINER` says when it starts to follow a container and
`- POD › CONTAINER` when it stops (https://github.com/stern/stern/blob/master/stern/tail.go).
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._containers import is_task, name_container, name_places, split_lines
from accuracy.collectors._stamps import iso
from accuracy.collectors._utf8 import dump_go, escape_surrogates, replace_invalid
from accuracy.collectors.kube_logs import group_container
from accuracy.identities import Identities
from accuracy.runs import Process, Run

_STAMPED_MESSAGE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z (.*)", re.DOTALL)


def _moments(run: Run) -> list[tuple[int, int, bytes]]:
    """(time, order at the same time, line) of all that the terminal showed."""
    shown = []
    for process in run.tasks:
        place = f"{process.host} › {name_container(run, process)}\n".encode()
        shown.append((process.started_ns, 0, b"+ " + place))
        if process.ended_ns is not None:
            shown.append((process.ended_ns, 2, b"- " + place))
    heads = {process.name: _head(run, process) for process in run.tasks}
    shown += [(line.time_ns, 1, heads[line.process] + line.text + b"\n") for line in run.lines if line.process in heads]
    return sorted(shown, key=lambda entry: entry[:2])


def _head(run: Run, process: Process) -> bytes:
    return f"{process.host} {name_container(run, process)} ".encode()


def render_default(run: Run, identities: Identities, chance: random.Random) -> Files:
    """stern JOB > stern.log 2>&1"""
    return {"stern.log": b"".join(text for _, _, text in _moments(run))}


def read_default(files: Files) -> Iterator[GroupLine]:
    for record in split_lines(files["stern.log"]):
        pod, container, text = record.split(b" ", 2)
        if pod not in (b"+", b"-"):
            yield f"{pod.decode()}/{container.decode()}", text


def render_json(run: Run, identities: Identities, chance: random.Random) -> Files:
    """stern JOB -o json --timestamps > JOB.json"""
    rows = []
    for line in run.lines:
        process = run.by_name[line.process]
        if process.role == "task":
            message = f"{iso(line.time_ns)} {escape_surrogates(line.text)}"
            rows.append(
                {
                    "message": message,
                    "nodeName": identities.machine(process),
                    "namespace": identities.namespace,
                    "podName": process.host,
                    "containerName": name_container(run, process),
                }
            )
    return {f"{identities.job}.json": b"".join(dump_go(row) + b"\n" for row in rows)}


def read_json(files: Files) -> Iterator[GroupLine]:
    for content in files.values():
        for record in split_lines(content):
            row = json.loads(record)
            match = _STAMPED_MESSAGE.fullmatch(row["message"])
            if not match:
                raise ValueError(f"no time: {row['message'][:80]!r}")
            yield f"{row['podName']}/{row['containerName']}", match[1].encode()


COLLECTORS = (
    Collector(
        "stern",
        render_default,
        read_default,
        keeps=is_task,
        group=group_container,
        names=name_places,
        stamps=False,
    ),
    Collector(
        "stern-json",
        render_json,
        read_json,
        keeps=is_task,
        group=group_container,
        escape=replace_invalid,
        names=name_places,
    ),
)
