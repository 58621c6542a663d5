"""The events of a written incident as a table, like those of an analysis (`timeline/dataframe.py`)."""

from __future__ import annotations

import pandas as pd

from analyzer.report.document import WrittenIncident
from analyzer.timeline.dataframe import COLUMNS


def make_event_table(incident: WrittenIncident) -> pd.DataFrame:
    """Return one row for each event that the report kept, in corrected order; its texts are cut to 300 characters."""
    rows = [
        (
            event.corrected,
            event.time,
            event.node or "",
            event.task,
            event.severity,
            event.signal,
            event.file,
            event.line,
            event.text,
            event.inferred,
        )
        for event in incident.timeline.events
    ]
    frame = pd.DataFrame(rows, columns=COLUMNS)
    for column in ("corrected", "time"):
        frame[column] = pd.to_datetime(frame[column], utc=True, errors="coerce", format="ISO8601").astype(
            "datetime64[ns, UTC]"
        )
    frame["line"] = frame["line"].astype("Int64")
    return frame.sort_values(["corrected", "file", "line"], kind="stable", na_position="last").reset_index(drop=True)
