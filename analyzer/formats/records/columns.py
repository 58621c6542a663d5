"""Find the columns of tables of log records by the names that log services use.

time,type,reason,object,message         events of Kubernetes, whose rows become lines of `kubectl get events`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analyzer.formats.dates import to_iso
from analyzer.formats.records.label_cells import read_labels
from analyzer.formats.records.origin import ORIGIN_COLUMNS

_MESSAGE_COLUMNS = (
    "_raw", "@message", "message", "syslogmessage", "logentry", "logmessage", "rawdata", "log", "textpayload",
    "line", "msg", "content",
)  # fmt: skip
_LABEL_COLUMNS = ("labels", "stream", "fields", "tags")
_TIME_COLUMNS = (
    "_time", "@timestamp", "timestamp", "timegenerated", "timegenerated [utc]", "time", "datetime", "date",
    "lasttimestamp", "eventtime",
)  # fmt: skip
_REASON_COLUMN = "reason"  # of an event of Kubernetes, beside its object
_OBJECT_COLUMNS = (
    "object", "involvedobject", "involved_object", "involvedobject.name", "object.name", "regarding.name", "name",
)  # fmt: skip
_KIND_COLUMNS = ("involvedobject.kind", "object.kind", "regarding.kind", "kind")
_EVENT_PARTS = ("type", _REASON_COLUMN, "kind", "object")  # what is before the message


def find_columns(names: Sequence[str]) -> Mapping[str, int] | None:
    """Return the numbers of the columns log, timestamp and those of the origin; None for a table without log records.

    There must be a column for a message and one for a time. The case of the names does not matter.
    """
    names = [name.strip().lower() for name in names]
    candidates = {
        "log": _MESSAGE_COLUMNS,
        "timestamp": _TIME_COLUMNS,
        "labels": _LABEL_COLUMNS,
        "type": ("type",),
        _REASON_COLUMN: (_REASON_COLUMN,),
        "kind": _KIND_COLUMNS,
        "object": _OBJECT_COLUMNS,
    }
    columns = {
        key: next((names.index(name) for name in spellings if name in names), -1)
        for key, spellings in candidates.items()
    }
    columns = {key: at for key, at in columns.items() if at >= 0}
    if "log" not in columns or "timestamp" not in columns:
        return None
    if not {_REASON_COLUMN, "object"} <= columns.keys():
        columns = {key: at for key, at in columns.items() if key not in _EVENT_PARTS}
    return {**{ORIGIN_COLUMNS[name]: at for at, name in enumerate(names) if name in ORIGIN_COLUMNS}, **columns}


def record_of_cells(columns: Mapping[str, int], cells: Sequence[str]) -> dict[str, object]:
    """Return the cells of a row as a record. Missing cells are left out; a cell of labels becomes an object."""
    record: dict[str, object] = {key: cells[at] for key, at in columns.items() if at < len(cells)}
    stated = str(record.get("timestamp", "")).strip()
    record["timestamp"] = to_iso(stated) or stated
    if _REASON_COLUMN in columns and "log" in record:
        record["log"] = _join_event({key: str(record.pop(key, "")) for key in _EVENT_PARTS}, str(record["log"]))
    if labels := read_labels(str(record.pop("labels", ""))):
        record = {**record, "labels": labels, "line": record.pop("log", "")}
    return record


def _join_event(parts: Mapping[str, str], message: str) -> str:
    """Return an event of Kubernetes as `kubectl get events` prints it, without its time."""
    kind, name = parts["kind"].lower(), parts["object"]
    object_name = f"{kind}/{name}" if kind and "/" not in name else name
    return "   ".join((parts["type"], parts[_REASON_COLUMN], object_name, message))
