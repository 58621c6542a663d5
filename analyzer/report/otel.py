"""Events as OpenTelemetry log records: OTLP/JSON, one request a line, as the collector's file receiver reads.

Shape and severity numbers are those of the OpenTelemetry logs data model (opentelemetry-proto 1.x, logs.proto).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analyzer import __version__

SEVERITY_NUMBERS = {"debug": 5, "info": 9, "warning": 13, "error": 17, "fatal": 21}
INSTRUMENTATION_SCOPE = {"name": "tf-postmortem", "version": __version__}


def write_otel(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield one line for each of `rows`, the rows of the timeline's frame, with times as integer nanoseconds (UTC) or
    None.

    The corrected time is the record's own. It was observed at the time that the source stated, which is also the
    attribute `source.time_unix_nano`; a record without a time was observed by the end of the timeline.
    """
    last_time = max((row["corrected"] for row in rows if row["corrected"] is not None), default=None)
    for row in rows:
        resource = _to_attributes({"host.name": row["node"], "service.instance.id": row["task"]})
        record: dict[str, object] = {
            "severityNumber": SEVERITY_NUMBERS.get(str(row["severity"]), 0),
            "severityText": str(row["severity"]).upper(),
            "body": {"stringValue": row["text"]},
            "attributes": _to_attributes(
                {
                    "log.file.path": row["file"],
                    "log.record.line": row["line"],
                    "event.name": row["signal"],
                    "source.time_unix_nano": row["time"],
                    "time.inferred": row["inferred"],
                }
            ),
        }
        if row["corrected"] is not None:  # the data model omits an unknown time
            record["timeUnixNano"] = str(row["corrected"])
        observed = next((time for time in (row["time"], row["corrected"], last_time) if time is not None), None)
        if observed is not None:
            record["observedTimeUnixNano"] = str(observed)
        scope = {"scope": INSTRUMENTATION_SCOPE, "logRecords": [record]}
        yield json.dumps(
            {"resourceLogs": [{"resource": {"attributes": resource}, "scopeLogs": [scope]}]}, ensure_ascii=False
        )


def _to_attributes(values: Mapping[str, object]) -> list[dict[str, object]]:
    return [
        {"key": key, "value": _to_any_value(value)}
        for key, value in values.items()
        if value is not None and value != ""
    ]


def _to_any_value(value: object) -> dict[str, object]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}  # 64 bits do not fit a JSON number, so the mapping has strings
    return {"stringValue": str(value)}
