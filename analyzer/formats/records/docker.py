"""A record of Docker's json-file as a line of a container runtime.

    2026-11-21T05:10:06.1Z stderr F step 1

Source: moby `daemon/logger/jsonfilelog`.
"""

from __future__ import annotations

from analyzer.formats.records.origin import host_prefix
from analyzer.formats.records.record_fields import Record


def is_docker_record(record: Record) -> bool:
    return "log" in record and "time" in record and "stream" in record and "kubernetes" not in record


def format_docker_record(record: Record) -> str:
    """Docker's json-file as a CRI line, and of which machine a shipper says that it is; a record without a line feed at
    its end is a piece of a longer line.
    """
    log = str(record["log"])
    is_complete = (
        log.endswith("\n") or len(log) < 16000
    )  # dockerd cuts at 16 KiB; a program's last line may lack its end
    clock = str(record["time"]).strip().replace("\n", " ")
    stream = "stdout" if record["stream"] == "stdout" else "stderr"
    return (
        host_prefix(record)
        + f"{clock} {stream} {'F' if is_complete else 'P'} {log.rstrip(chr(10)).rstrip(chr(13)) if is_complete else log}"
    )
