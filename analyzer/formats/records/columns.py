"""The columns of tables of log records, by the names that log services give them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analyzer.formats.dates import to_iso
from analyzer.formats.records.label_cells import read_labels
from analyzer.formats.records.origin import ORIGIN_COLUMNS

_MESSAGE_COLUMNS = (
    "_raw", "@message", "message", "logentry", "logmessage", "log", "textpayload", "line", "msg", "content",
)  # fmt: skip
_LABEL_COLUMNS = ("labels", "stream", "fields", "tags")
_TIME_COLUMNS = ("_time", "@timestamp", "timestamp", "timegenerated", "timegenerated [utc]", "time", "datetime", "date")


def find_columns(names: Sequence[str]) -> Mapping[str, int] | None:
    """Return the numbers of the columns log, timestamp and those of the origin, or None if they are no log's.

    The names must be those of a message and of a time; their case does not matter.
    """
    names = [name.strip().lower() for name in names]
    log, timestamp = (
        next((names.index(name) for name in candidates if name in names), -1)
        for candidates in (_MESSAGE_COLUMNS, _TIME_COLUMNS)
    )
    if log < 0 or timestamp < 0:
        return None
    origins = {ORIGIN_COLUMNS[name]: at for at, name in enumerate(names) if name in ORIGIN_COLUMNS}
    labels = next((names.index(name) for name in _LABEL_COLUMNS if name in names), -1)
    return {**({"labels": labels} if labels >= 0 else {}), **origins, "log": log, "timestamp": timestamp}


def record_of_cells(columns: Mapping[str, int], cells: Sequence[str]) -> dict[str, object]:
    """Return the cells of a row as a record. Missing cells are left out; a cell of labels becomes an object."""
    record: dict[str, object] = {key: cells[at] for key, at in columns.items() if at < len(cells)}
    stated = str(record.get("timestamp", "")).strip()
    record["timestamp"] = to_iso(stated) or stated
    if labels := read_labels(str(record.pop("labels", ""))):
        record = {**record, "labels": labels, "line": record.pop("log", "")}
    return record
