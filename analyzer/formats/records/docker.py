"""A record of Docker's json-file driver, made into a line as container runtimes (CRI) write it.

    2026-11-21T05:10:06.1Z stderr F step 1

Source: moby `daemon/logger/jsonfilelog`.
"""

from __future__ import annotations

from analyzer.formats.records.origin import origin_prefix
from analyzer.formats.records.record_fields import Record


def is_docker_record(record: Record) -> bool:
    """Whether Docker's json-file driver wrote the record."""
    return "log" in record and "time" in record and "stream" in record and "kubernetes" not in record


def format_docker_record(record: Record) -> str:
    """Return the record as a CRI line, behind the name of its host if a shipper added it.

    A record without a line feed at its end is a piece of a longer line.
    """
    log = str(record["log"])
    is_complete = log.endswith("\n") or len(log) < 16000  # dockerd cuts at 16 KiB; the last line may lack its end
    clock = str(record["time"]).strip().replace("\n", " ")
    stream = "stdout" if record["stream"] == "stdout" else "stderr"
    text = log.rstrip("\n").rstrip("\r") if is_complete else log
    return f"{origin_prefix(record)}{clock} {stream} {'F' if is_complete else 'P'} {text}"
