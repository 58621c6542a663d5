"""Recognize log records in a JSON document by their shape: an object, a row beside the names of columns, or a pair.

{"timestamp": "..", "message": "step 1", ..}                                 an object
"columns": [{"name": "TimeGenerated"}, ..], "rows": [["2026-..", ..], ..]    a row of Azure, Splunk, Elasticsearch
"stream": {"pod": "w-0"}, "values": [["1795237806000000000", "step 1"], ..]  a pair of Loki, beside its labels
[{"field": "@timestamp", "value": ".."}, ..]                                 a row of CloudWatch Logs Insights
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from analyzer.formats.records.columns import find_columns, record_of_cells
from analyzer.formats.records.json_lines import format_record
from analyzer.formats.records.json_logger import RecordStyle
from analyzer.formats.records.origin import ORIGIN_COLUMNS
from analyzer.formats.records.time_and_level import find_time

Fields = Mapping[str, object]
MAX_DEPTH = 12  # of arrays and objects around a record; those of known services have 5
MAX_PROBED_ELEMENTS = 3  # of an array; one of them must be or contain a record
MAX_LABELS = 64
_CELL_KEYS = {"field", "value"}
_LABEL_FIELDS = ("stream", "labels", "metric", "tags")  # fields with the labels of an object's records
_COLUMN_FIELDS = ("columns", "fields")  # fields with the names of an object's columns


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The data of the objects around an array: the writer of its records, the names of its columns, its labels."""

    origin: Fields = field(default_factory=dict)
    columns: tuple[tuple[str, ...], ...] = ()
    labels: Fields | None = None

    @classmethod
    def of_objects(cls, objects: Sequence[Fields]) -> Surroundings:
        """Return the surroundings that these objects around the array state. The outermost object is first."""
        nearest = objects[-1] if objects else {}
        return cls(
            origin=dict(_origins(objects)),
            columns=tuple(_column_names(nearest[key]) for key in _COLUMN_FIELDS if key in nearest),
            labels=next((labels for key in _LABEL_FIELDS if isinstance(labels := nearest.get(key), dict)), None),
        )


def record_of_list(value: Sequence[object], around: Surroundings) -> dict[str, object] | None:
    """Return an array within an array as a record with a time; None if it is not a record."""
    if not value:
        return None
    if isinstance(value[0], dict):
        cells = [
            (str(cell["field"]), cell["value"])
            for cell in value
            if isinstance(cell, dict) and cell.keys() >= _CELL_KEYS
        ]
        return _record_of_row([name for name, _ in cells], [cell for _, cell in cells], around) if cells else None
    for names in around.columns:
        if len(names) == len(value):
            return _record_of_row(names, value, around)
    return _record_of_pair(value, around.labels) if around.labels is not None else None


def holds_records(value: object, around: Surroundings | None = None, depth: int = 0) -> bool:
    """Return whether one of the first elements of an array somewhere in the value is a record."""
    if depth > MAX_DEPTH:
        return False
    around = around or Surroundings()
    if isinstance(value, dict):
        arrays = [member for member in value.values() if isinstance(member, dict | list) and member]
        inner = Surroundings.of_objects([value]) if arrays else around
        return any(holds_records(member, inner, depth + 1) for member in arrays)
    if not isinstance(value, list):
        return False
    return any(
        _is_record(element, around) or holds_records(element, around, depth + 1)
        for element in value[:MAX_PROBED_ELEMENTS]
        if isinstance(element, dict | list)
    )


def _is_record(value: dict[str, object] | list[object], around: Surroundings) -> bool:
    if isinstance(value, list):
        return record_of_list(value, around) is not None
    return bool(format_record(value, RecordStyle(needs_time=True)))


def _column_names(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(str(column.get("name", "")) if isinstance(column, dict) else str(column) for column in value)


def _record_of_row(names: Sequence[str], cells: Sequence[object], around: Surroundings) -> dict[str, object] | None:
    columns = find_columns(names)
    if columns is None:
        return None
    return {**around.origin, **record_of_cells(columns, ["" if cell is None else str(cell) for cell in cells])}


def _record_of_pair(value: Sequence[object], labels: Fields) -> dict[str, object] | None:
    """Return a pair of time and text as logcli prints it, with the labels that are beside the pairs."""
    if not 2 <= len(value) <= 3:
        return None
    time, text = value[:2]
    if isinstance(time, bool) or not isinstance(time, str | int | float) or not isinstance(text, str):
        return None
    record: dict[str, object] = {"timestamp": time, "line": text, "labels": labels}
    return record if find_time(record)[0] else None


def _origins(objects: Sequence[Fields]) -> Iterator[tuple[str, str]]:
    """Yield (field, name) for what the objects state about the writer of all records within them."""
    for fields in objects:
        for key, value in list(fields.items())[:MAX_LABELS]:
            if isinstance(value, str) and key != "source" and (name := ORIGIN_COLUMNS.get(key.lower())):
                yield name, value
