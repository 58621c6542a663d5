"""Elasticsearch: Kibana's CSV, hits as NDJSON, and the answer to a search.

Kibana's CSV of Discover, newest first: https://www.elastic.co/docs/explore-analyze/report-and-share; it quotes what is
not alphanumeric (https://github.com/elastic/kibana/tree/main/src/platform/packages/private/kbn-generate-csv) and writes
times as `MMM D, YYYY @ HH:mm:ss.SSS`. The answer to a search:
https://www.elastic.co/docs/api/doc/elasticsearch/operation/operation-search. Fields are Filebeat's:
https://www.elastic.co/docs/reference/beats/filebeat/exported-fields. Times are to the millisecond, and documents of the
same one come in the order in which they were indexed. Filebeat ignores empty lines.
"""

from __future__ import annotations

import csv
import io
import json
import random
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._containers import is_task, name_container, name_places, split_lines
from accuracy.collectors._files_on_hosts import HostFileLine, group_file, is_on_host, rows, strip_head
from accuracy.collectors._stamps import first_ns, iso, to_utc
from accuracy.collectors._utf8 import decode, dump_go, dump_plain, escape_surrogates, replace_invalid
from accuracy.collectors.kube_logs import group_container
from accuracy.identities import Identities
from accuracy.runs import Process, ReceivedLine, Run

BEAT = "8.13.4"
_ALPHANUMERIC = re.compile("[a-zA-Z0-9]*")
_COLUMNS = ("@timestamp", "kubernetes.pod.name", "kubernetes.container.name", "stream", "message")


def _escape(text: bytes) -> bytes | None:
    return replace_invalid(text) if text else None


def task_lines(run: Run) -> list[tuple[ReceivedLine, Process]]:
    """Those of tasks that are not empty, in the order in which they were received."""
    pairs = ((line, run.by_name[line.process]) for line in run.lines if line.text)
    return [(line, process) for line, process in pairs if process.role == "task"]


def _milliseconds(line: ReceivedLine) -> int:
    return line.time_ns // 10**6


def sort_newest_first(pairs: Iterable[tuple[ReceivedLine, Process]]) -> list[tuple[ReceivedLine, Process]]:
    """By the millisecond; those of the same one stay in their order."""
    return sorted(pairs, key=lambda pair: -_milliseconds(pair[0]))


def quote(value: str) -> str:
    return value if _ALPHANUMERIC.fullmatch(value) else '"' + value.replace('"', '""') + '"'


def _kibana_date(time_ns: int) -> str:
    local = to_utc(time_ns)
    return f"{local:%b} {local.day}, {local:%Y @ %H:%M:%S}.{time_ns // 10**6 % 1000:03d}"


def render_kibana(run: Run, identities: Identities, chance: random.Random) -> Files:
    lines = [",".join(map(quote, _COLUMNS))]
    for line, process in sort_newest_first(task_lines(run)):
        container = name_container(run, process)
        row = (_kibana_date(line.time_ns), process.host, container, f"std{line.stream}", decode(line.text))
        lines.append(",".join(map(quote, row)))
    return {"Untitled discover search.csv": ("\n".join(lines) + "\n").encode()}


def read_kibana(files: Files) -> Iterator[GroupLine]:
    for content in files.values():
        table_rows = list(csv.DictReader(io.StringIO(content.decode(), newline="")))
        table_rows.sort(key=lambda row: datetime.strptime(row["@timestamp"], "%b %d, %Y @ %H:%M:%S.%f"))
        for row in table_rows:
            yield f"{row['kubernetes.pod.name']}/{row['kubernetes.container.name']}", row["message"].encode()


def _common(identities: Identities, machine: str) -> dict[str, Any]:
    return {
        "ecs": {"version": "8.0.0"},
        "agent": {
            "type": "filebeat",
            "version": BEAT,
            "name": machine,
            "ephemeral_id": identities.digest("agent", machine, length=20),
        },
        "host": {"name": machine},
    }


def _pod_document(
    run: Run, identities: Identities, line: ReceivedLine, process: Process, offset: int
) -> dict[str, Any]:
    machine, container = identities.machine(process), name_container(run, process)
    path = f"/var/log/containers/{process.host}_{identities.namespace}_{container}-{identities.container(process)}.log"
    return {
        "@timestamp": iso(line.time_ns, 3),
        "log": {"offset": offset, "file": {"path": path}},
        "stream": f"std{line.stream}",
        "message": escape_surrogates(line.text),
        "input": {"type": "container"},
        "kubernetes": {
            "namespace": identities.namespace,
            "node": {"name": machine},
            "pod": {"name": process.host, "uid": identities.pod_uid(process)},
            "container": {"name": container},
            "labels": {"training_kubeflow_org/job-name": identities.job},
        },
        "container": {"id": identities.container(process), "runtime": "containerd"},
        **_common(identities, machine),
    }


def _advance(offsets: dict[str, int], file: str, size: int) -> int:
    """The offset of a line in its file."""
    at = offsets.get(file, 0)
    offsets[file] = at + size
    return at


def render_ndjson(run: Run, identities: Identities, chance: random.Random) -> Files:
    """elasticdump --type=data --sourceOnly, or the `_source` of each hit: in the order of the index"""
    offsets: dict[str, int] = {}
    parts = []
    for line, process in task_lines(run):
        offset = _advance(offsets, process.name, len(line.text) + 46)
        parts.append(dump_go(_pod_document(run, identities, line, process, offset)) + b"\n")
    return {f"{identities.job}.ndjson": b"".join(parts)}


def read_ndjson(files: Files) -> Iterator[GroupLine]:
    for content in files.values():
        for row in map(json.loads, split_lines(content)):
            kubernetes = row["kubernetes"]
            yield f"{kubernetes['pod']['name']}/{kubernetes['container']['name']}", row["message"].encode()


def _file_document(identities: Identities, row: HostFileLine, offset: int) -> dict[str, Any]:
    return {
        "@timestamp": iso(row.line.time_ns, 3),
        "message": escape_surrogates(row.text),
        "log": {"offset": offset, "file": {"path": row.path}},
        "input": {"type": "filestream"},
        **_common(identities, row.host),
    }


def render_search(run: Run, identities: Identities, chance: random.Random) -> Files:
    """GET filebeat-*/_search?sort=@timestamp:desc, from Filebeat on hosts that run the job without containers"""
    offsets: dict[str, int] = {}
    index = f".ds-filebeat-{BEAT}-{to_utc(first_ns(run)):%Y.%m.%d}-000001"
    hits: list[dict[str, Any]] = []
    for number, row in enumerate(row for row in rows(run) if row.line.text):
        offset = _advance(offsets, f"{row.host}:{row.path}", len(row.text) + 1)
        hits.append(
            {
                "_index": index,
                "_id": identities.digest("hit", str(number), length=20),
                "_score": None,
                "_source": _file_document(identities, row, offset),
                "sort": [_milliseconds(row.line)],
            }
        )
    hits.sort(key=lambda hit: -hit["sort"][0])
    answer = {
        "took": identities.number(3, 90, "took"),
        "timed_out": False,
        "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
        "hits": {"total": {"value": len(hits), "relation": "eq"}, "max_score": None, "hits": hits},
    }
    return {"search.json": dump_plain(answer)}


def read_search(files: Files) -> Iterator[GroupLine]:
    hits = json.loads(files["search.json"])["hits"]["hits"]
    for hit in sorted(hits, key=lambda hit: str(hit["_source"]["@timestamp"])):
        source = hit["_source"]
        path = source["log"]["file"]["path"]
        yield f"{source['host']['name']}:{path}", strip_head(path, source["message"].encode())


COLLECTORS = (
    Collector(
        "kibana-csv",
        render_kibana,
        read_kibana,
        keeps=is_task,
        group=group_container,
        escape=_escape,
        names=name_places,
    ),
    Collector(
        "elastic-ndjson",
        render_ndjson,
        read_ndjson,
        keeps=is_task,
        group=group_container,
        escape=_escape,
        names=name_places,
    ),
    Collector(
        "elastic-search",
        render_search,
        read_search,
        carries=frozenset({"lines", "kernel", "launcher"}),
        keeps=is_on_host,
        group=group_file,
        escape=_escape,
    ),
)
