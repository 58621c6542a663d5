"""Convert a record of Docker's json-file driver into a line in the form of container runtimes (CRI).

    2026-11-21T05:10:06.1Z stderr F step 1

Source: moby `daemon/logger/jsonfilelog`.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from analyzer.formats.records.origin import origin_prefix
from analyzer.formats.records.record_fields import Record


class DockerRecord(Struct, forbid_unknown_fields=True):
    """A record as the driver writes it without options, one per line."""

    log: str
    stream: str
    time: str


_decoder = msgspec.json.Decoder(DockerRecord)


def read_docker_line(line: bytes) -> str | None:
    """Return the line of a record with only the three texts; None for any other text.

    The result equals that of `format_docker_record` for the same record.
    """
    if not line.startswith(b'{"log":'):
        return None
    try:
        record = _decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return _format_line(record.log, record.time, record.stream)


def is_docker_record(record: Record) -> bool:
    """Return whether Docker's json-file driver wrote the record."""
    return "log" in record and "time" in record and "stream" in record and "kubernetes" not in record


def format_docker_record(record: Record) -> str:
    """Return the record as a CRI line, after the name of its host if a shipper added it.

    A record without a line feed at its end is a piece of a longer line.
    """
    return origin_prefix(record) + _format_line(str(record["log"]), str(record["time"]), record["stream"])


def _format_line(log: str, time: str, stream: object) -> str:
    is_complete = log.endswith("\n") or len(log) < 16000  # dockerd cuts at 16 KiB; the last line may lack its end
    clock = time.strip().replace("\n", " ")
    text = log.rstrip("\n").rstrip("\r") if is_complete else log
    return f"{clock} {'stdout' if stream == 'stdout' else 'stderr'} {'F' if is_complete else 'P'} {text}"
