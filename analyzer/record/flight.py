"""Write the recorder's two files: FILE.jsonl with samples, FILE.output.jsonl with the program's output.

A sample file has one JSON object a line, of `type` start, sample, signal or end. Each has `wall` (seconds since the
epoch, UTC) and `monotonic`. Output is written as Docker's json-file driver writes it, so every reader of that format
reads it.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from analyzer.collect.safe_open import open_new

FLIGHT_VERSION = 1
MAX_PIECE_BYTES = 16 * 1024  # bytes of a line without an end after which it is written in pieces, as dockerd does


class FlightFile:
    """Append lines without buffering, so that written lines survive any end of the process.

    A full disk stops the recording but never the program; `problem` states it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problem = ""
        self._lock = threading.Lock()
        self._file: IO[bytes] = open_new(path)

    def write_record(self, kind: str, fields: Mapping[str, object]) -> None:
        clocks = {"wall": round(time.time(), 6), "monotonic": round(time.monotonic(), 6)}
        self.write_lines([{"type": kind, **clocks, **fields}])

    def write_lines(self, records: list[Mapping[str, object]]) -> None:
        data = "".join(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n" for record in records)
        with self._lock:
            if self.problem or self._file.closed:
                return
            try:
                self._file.write(data.encode("utf-8", "replace"))
            except OSError as error:
                self.problem = f"{self.path}: {error.strerror}; recording stopped, but the program continued"

    def close(self) -> None:
        with self._lock:
            self._file.close()


class OutputLines:
    """Cut one stream's bytes into lines, each with the time when its last byte arrived."""

    def __init__(self, stream: str, file: FlightFile) -> None:
        self._stream, self._file = stream, file
        self._unfinished = b""

    def add_bytes(self, data: bytes) -> None:
        *lines, self._unfinished = (self._unfinished + data).split(b"\n")
        pieces = [line + b"\n" for line in lines]
        while len(self._unfinished) >= MAX_PIECE_BYTES:
            pieces.append(self._unfinished[:MAX_PIECE_BYTES])
            self._unfinished = self._unfinished[MAX_PIECE_BYTES:]
        self._write(pieces)

    def finish(self) -> None:
        self._write([self._unfinished] if self._unfinished else [])
        self._unfinished = b""

    def _write(self, lines: list[bytes]) -> None:
        if lines:
            now = format_time(time.time())
            self._file.write_lines(
                [{"log": line.decode("utf-8", "replace"), "stream": self._stream, "time": now} for line in lines]
            )


def format_time(seconds: float) -> str:
    """Return the time in RFC 3339, in UTC with microseconds."""
    whole_seconds, part = divmod(round(seconds * 1_000_000), 1_000_000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole_seconds)) + f".{part:06d}Z"
