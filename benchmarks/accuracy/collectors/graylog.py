"""Graylog: messages of Docker's GELF driver, exported as CSV, newest first.

Export: https://go2docs.graylog.org/current/making_sense_of_your_log_data/export_results.html; all values are quoted.
Fields: https://docs.docker.com/engine/logging/drivers/gelf/. The driver sends no empty message, and sends lines over
16 KiB in pieces.
"""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterator

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._containers import Container, attempts_of, is_task, name_container, name_image
from accuracy.collectors._stamps import iso
from accuracy.collectors._utf8 import decode
from accuracy.collectors.docker import MAX_RECORD_BYTES, escape_pieces, group_container, name_json_places, name_of
from accuracy.collectors.elastic import sort_newest_first, task_lines
from accuracy.identities import Identities
from accuracy.runs import Run

_COLUMNS = ("timestamp", "source", "message", "container_name", "container_id", "image_name", "level")


def _escape(text: bytes) -> bytes | None:
    return escape_pieces(text) if text else None


def render(run: Run, identities: Identities, chance: random.Random) -> Files:
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for line, process in sort_newest_first(task_lines(run)):
        name = name_of(Container(process.host, name_container(run, process), ()))
        level = "6" if line.stream == "out" else "3"
        first = attempts_of(run, process)[0]
        about = (name, identities.container(first), name_image(run), level)
        for at in range(0, len(line.text), MAX_RECORD_BYTES):
            piece = decode(line.text[at : at + MAX_RECORD_BYTES])
            writer.writerow((iso(line.time_ns, 3), identities.machine(process), piece, *about))
    return {"All-Messages-search-result.csv": out.getvalue().encode()}


def read_back(files: Files) -> Iterator[GroupLine]:
    pending: dict[str, str] = {}
    for content in files.values():
        rows = list(csv.DictReader(io.StringIO(content.decode(), newline="")))
        for row in sorted(rows, key=lambda row: row["timestamp"]):
            name = row["container_name"]
            text = pending.pop(name, "") + row["message"]
            if len(row["message"].encode()) >= MAX_RECORD_BYTES:
                pending[name] = text
            else:
                yield name, text.encode()


COLLECTORS = (
    Collector(
        "graylog-csv",
        render,
        read_back,
        keeps=is_task,
        group=group_container,
        escape=_escape,
        names=name_json_places,
    ),
)
