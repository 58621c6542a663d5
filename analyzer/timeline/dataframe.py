"""The timeline as a pandas DataFrame."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

from analyzer.incident import Incident
from analyzer.model import Clock, Kind
from analyzer.redact.secrets import mask_text

MASK_CACHE_SIZE = 1024  # masked names that are cached
COLUMNS = ["corrected", "time", "node", "task", "severity", "signal", "file", "line", "text", "inferred"]


def make_dataframe(incident: Incident) -> pd.DataFrame:
    """Return one row for each event, in corrected order. `time` (the source's own) and `corrected` are UTC or NaT.

    Events without a time come last, in the order of their files. Possible secrets are masked.
    """
    clocks = {node.name: node.clock for node in incident.nodes}
    mask = lru_cache(MASK_CACHE_SIZE)(mask_text)  # the same few names are in every row
    rows = [
        (
            event.time if event.time is None else clocks.get(event.node, Clock()).correct(event.time),
            event.time,
            mask(event.node),
            event.task and mask(event.task),
            event.severity.label,
            event.signal,
            mask(event.locus.file),
            event.locus.line,
            mask_text(event.text),
            event.inferred,
        )
        for event in incident.events
        if event.kind is not Kind.DERIVED
    ]
    frame = pd.DataFrame(rows, columns=COLUMNS)
    for column in ("corrected", "time"):
        frame[column] = pd.to_datetime(frame[column], unit="s", utc=True).dt.round("us")
    frame["line"] = frame["line"].astype("Int64")
    return frame.sort_values(["corrected", "file", "line"], kind="stable", na_position="last").reset_index(drop=True)
