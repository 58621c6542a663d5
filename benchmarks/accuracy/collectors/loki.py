"""Grafana Loki, read with logcli: https://grafana.com/docs/loki/latest/query/logcli/.

By default logcli prints the newest line first, `TIME {LABELS} TEXT`, without the labels that all streams have in common
(those go to standard error); `-o jsonl` prints one object a line:
https://github.com/grafana/loki/tree/main/pkg/logcli/output. The labels are those of Promtail's CRI stage and its
Kubernetes discovery.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._containers import is_task, name_container, name_places, split_lines
from accuracy.collectors._stamps import go_nano, iso
from accuracy.collectors._utf8 import dump_go, escape_surrogates, replace_invalid
from accuracy.collectors.kube_logs import group_container
from accuracy.identities import Identities
from accuracy.runs import Process, ReceivedLine, Run

_DEFAULT = re.compile(
    rb'\S+ \{container="([^"]+)", node_name="[^"]+", pod="([^"]+)", stream="\w+"\} *? (.*)', re.DOTALL
)


def _labels(run: Run, identities: Identities, process: Process, line: ReceivedLine) -> dict[str, str]:
    return {
        "container": name_container(run, process),
        "node_name": identities.machine(process),
        "pod": process.host,
        "stream": f"std{line.stream}",
    }


def _newest_first(run: Run) -> Iterator[tuple[ReceivedLine, Process]]:
    for line in sorted(run.lines, key=lambda line: line.time_ns)[::-1]:
        process = run.by_name[line.process]
        if process.role == "task":
            yield line, process


def render_default(run: Run, identities: Identities, chance: random.Random) -> Files:
    """logcli query '{job_name="JOB"}' --limit=0 --timezone=UTC 2>/dev/null > loki.log"""
    rows = []
    for line, process in _newest_first(run):
        labels = ", ".join(f'{key}="{value}"' for key, value in _labels(run, identities, process, line).items())
        rows.append((iso(line.time_ns, 0), f"{{{labels}}}", replace_invalid(line.text)))
    width = max((len(labels) for _, labels, _ in rows), default=0)
    return {"loki.log": b"".join(f"{time} {labels:<{width}} ".encode() + text + b"\n" for time, labels, text in rows)}


def read_default(files: Files) -> Iterator[GroupLine]:
    """Labels are padded to the longest, which therefore tells where each text begins."""
    records = split_lines(files["loki.log"])
    begin = max((record.index(b"} ") for record in records), default=0) + 2
    for record in reversed(records):
        match = _DEFAULT.fullmatch(record)
        if not match:
            raise ValueError(f"no line of logcli: {record[:80]!r}")
        yield f"{match[2].decode()}/{match[1].decode()}", record[begin:]


def render_jsonl(run: Run, identities: Identities, chance: random.Random) -> Files:
    """logcli query '{job_name="JOB"}' --limit=0 --timezone=UTC -o jsonl > loki.jsonl"""
    rows = []
    for line, process in _newest_first(run):
        labels = {
            **_labels(run, identities, process, line),
            "filename": f"/var/log/pods/{identities.namespace}_{process.host}_{identities.pod_uid(process)}/"
            f"{name_container(run, process)}/{process.attempt - 1}.log",
            "job_name": identities.job,
            "namespace": identities.namespace,
        }
        row = {
            "labels": dict(sorted(labels.items())),
            "line": escape_surrogates(line.text),
            "timestamp": go_nano(line.time_ns),
        }
        rows.append(dump_go(row) + b"\n")
    return {"loki.jsonl": b"".join(rows)}


def read_jsonl(files: Files) -> Iterator[GroupLine]:
    for row in map(json.loads, reversed(split_lines(files["loki.jsonl"]))):
        yield f"{row['labels']['pod']}/{row['labels']['container']}", row["line"].encode()


COLLECTORS = tuple(
    Collector(
        name,
        render,
        read,
        keeps=is_task,
        group=group_container,
        escape=replace_invalid,
        names=name_places,
    )
    for name, render, read in (
        ("loki-logcli", render_default, read_default),
        ("loki-jsonl", render_jsonl, read_jsonl),
    )
)
