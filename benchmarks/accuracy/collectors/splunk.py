"""Splunk: a search's events, exported newest first as CSV and as JSON.

Export: https://docs.splunk.com/Documentation/Splunk/latest/Search/Exportsearchresults. JSON is that of the export
endpoint, https://docs.splunk.com/Documentation/Splunk/latest/RESTREF/RESTsearch: one object a line.
The source type breaks lines at line feeds alone. Splunk indexes no empty event, and writes bytes that are no UTF-8 as
`\\xHH`: https://docs.splunk.com/Documentation/Splunk/latest/Data/Configurecharactersetencoding.
"""

from __future__ import annotations

import csv
import io
import json
import random
import re
from collections.abc import Iterator

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._containers import split_lines
from accuracy.collectors._files_on_hosts import HostFileLine, group_file, is_on_host, rows, strip_head
from accuracy.collectors._stamps import to_utc
from accuracy.collectors._utf8 import dump_plain
from accuracy.identities import Identities
from accuracy.runs import Run

_COLUMNS = ("_raw", "_time", "host", "index", "linecount", "source", "sourcetype", "splunk_server")
_STRAY = re.compile("[\udc80-\udcff]")
_BARE = re.compile(r"[A-Za-z0-9]+")


def spell_invalid(text: bytes) -> bytes:
    decoded = text.decode("utf-8", "surrogateescape")
    return _STRAY.sub(lambda match: f"\\x{ord(match[0]) - 0xDC00:02X}", decoded).encode()


def _escape(text: bytes) -> bytes | None:
    return spell_invalid(text) if text else None


def _newest_first(run: Run) -> list[HostFileLine]:
    visible_rows = [row for row in rows(run) if row.line.text]
    return sorted(visible_rows, key=lambda row: row.line.time_ns)[::-1]


def _event(identities: Identities, row: HostFileLine, time: str) -> dict[str, str]:
    return {
        "_raw": spell_invalid(row.text).decode(),
        "_time": time,
        "host": row.host,
        "index": "training",
        "linecount": "1",
        "source": row.path,
        "sourcetype": "syslog" if row.path.endswith("kern.log") else "tensorflow",
        "splunk_server": f"splunk-idx{identities.number(1, 4, 'indexer')}",
    }


def _millis(time_ns: int) -> str:
    return f"{time_ns // 10**6 % 1000:03d}"


def _quote(value: str) -> str:
    return value if _BARE.fullmatch(value) else '"' + value.replace('"', '""') + '"'


def render_csv(run: Run, identities: Identities, chance: random.Random) -> Files:
    lines = [",".join(map(_quote, _COLUMNS))]
    for row in _newest_first(run):
        at = row.line.time_ns
        event = _event(identities, row, f"{to_utc(at):%Y-%m-%dT%H:%M:%S}.{_millis(at)}+0000")
        lines.append(",".join(_quote(event[column]) for column in _COLUMNS))
    number = identities.number(1_700_000_000, 1_800_000_000, "search")
    return {f"{number}_{identities.number(100, 90_000, 'sid')}.csv": ("\n".join(lines) + "\n").encode()}


def read_csv(files: Files) -> Iterator[GroupLine]:
    for content in files.values():
        events = list(csv.DictReader(io.StringIO(content.decode(), newline="")))
        for event in reversed(events):
            text = strip_head(event["source"], event["_raw"].encode())
            yield f"{event['host']}:{event['source']}", text


def render_json(run: Run, identities: Identities, chance: random.Random) -> Files:
    """The export endpoint with output_mode=json."""
    visible_rows = _newest_first(run)
    lines = []
    for offset, row in enumerate(visible_rows):
        at = row.line.time_ns
        event = _event(identities, row, f"{to_utc(at):%Y-%m-%d %H:%M:%S}.{_millis(at)} UTC")
        last = {"lastrow": True} if offset == len(visible_rows) - 1 else {}
        result = {"preview": False, "offset": offset, **last, "result": event}
        lines.append(dump_plain(result) + b"\n")
    return {"splunk_export.json": b"".join(lines)}


def read_json(files: Files) -> Iterator[GroupLine]:
    for record in reversed(split_lines(files["splunk_export.json"])):
        event = json.loads(record)["result"]
        yield f"{event['host']}:{event['source']}", strip_head(event["source"], event["_raw"].encode())


COLLECTORS = tuple(
    Collector(
        name,
        render,
        read,
        carries=frozenset({"lines", "kernel", "launcher"}),
        keeps=is_on_host,
        group=group_file,
        escape=_escape,
    )
    for name, render, read in (("splunk-csv", render_csv, read_csv), ("splunk-json", render_json, read_json))
)
