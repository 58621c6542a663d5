"""Reads the flight file of `tf-postmortem record`: JSON lines of the types start, sample, signal and end.

{"type":"sample","wall":1795296020.4,"monotonic":1135.0,"processes":[{"pid":7,"name":"python3","rss":13893632,...}]}
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from analyzer.facts.exit_tables import signal_captures
from analyzer.facts.fact_files import EXIT_CODE_SIGNAL, LAUNCH_SIGNAL
from analyzer.formats.stamps import LATEST
from analyzer.model import Basis, Event, Kind, Locus, Severity, Stamp
from analyzer.reading.source_result import SourceResult
from analyzer.samples.line_blocks import MIDDLE_STRIDE
from analyzer.samples.series_collector import SeriesCollector
from analyzer.untrusted.documents import MalformedError, read_json

HEADER = re.compile(rb'\{"type":"start","wall":[\d.]+,"monotonic":[\d.]+,"flight":1[,}]')
MIN_CLOCK_STEP_S = 1.0  # by which the wall clock must step against the monotonic clock to be noted
FlightRecord = Mapping[str, Any]
_MALFORMED = (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError)


class FlightReader:
    """A `SampleReader` of flight files."""

    basis = Basis.UTC
    stride = MIDDLE_STRIDE

    def __init__(self, result: SourceResult, series: SeriesCollector) -> None:
        self.result, self.series = result, series
        self.start: FlightRecord = {}
        self._drift = 0.0
        self._handlers = {
            "start": self._add_start,
            "sample": self._add_sample,
            "end": self._add_end,
            "signal": self._add_signal,
        }

    def add_line(self, number: int, line: bytes) -> None:
        try:
            record = read_json(line.decode("utf-8"))
            if not isinstance(record, dict):
                raise MalformedError("not a record")
            time = _read_wall(record)
            self._compare_clocks(record, time)
            if (handler := self._handlers.get(record["type"])) is not None:
                handler(record, time, number)
        except _MALFORMED:
            self.result.problem = f"line {number} is not a record: the recorder was stopped while it wrote"

    def finish(self) -> None:
        if not any(event.signal == EXIT_CODE_SIGNAL for event in self.result.events):
            self.result.notes.append(
                "the recorder did not see the program end: the recorder was killed, or the node died"
            )

    def _compare_clocks(self, record: FlightRecord, time: float) -> None:
        drift = time - float(record.get("monotonic", 0.0))
        if self.start and abs(drift - self._drift) > MIN_CLOCK_STEP_S:
            self.result.notes.append(f"the node's wall clock was set by {drift - self._drift:+.1f} s during the record")
        self._drift = drift

    def _add_start(self, record: FlightRecord, time: float, number: int) -> None:
        self.start = record
        zone = record.get("zone")
        if isinstance(zone, int | float):
            self.result.zones.append((time + zone, time))
        if isinstance(record.get("host"), str) and record["host"]:
            self.result.hosts[record["host"]] += 1
        captures = {name: str(record[name]) for name in ("host", "pid", "tf_config") if record.get(name)}
        command = " ".join(map(str, record.get("command") or ()))
        self._add_event(
            Event(
                LAUNCH_SIGNAL, Locus(self.result.file, number), command[:400], kind=Kind.ENVIRONMENT, captures=captures
            ),
            time,
        )

    def _add_signal(self, record: FlightRecord, time: float, number: int) -> None:
        sender = record.get("sender") or record.get("sender_pid")
        if sender:
            self.result.notes.append(
                f"signal {record.get('signal')} was sent by {sender} (pid {record.get('sender_pid')})"
            )

    def _add_end(self, record: FlightRecord, time: float, number: int) -> None:
        code = int(record.get("code", -1))
        captures = {"code": str(code), **signal_captures(code), "pid": str(self.start.get("pid", ""))}
        captures |= {
            name: str(record[name]) for name in ("oom_kills", "sender_pid", "sender") if record.get(name) is not None
        }
        outcome = f"signal {captures['signal']}" if "signal" in captures else f"exit status {code}"
        text = f"the program ended with {outcome}"
        if record.get("oom_kills"):
            text += f"; its control group counted {record['oom_kills']} kills for memory"
        if record.get("sender"):
            text += f"; sent by {record['sender']} (pid {record.get('sender_pid')})"
        severity = Severity.INFO if code == 0 else Severity.ERROR
        self._add_event(
            Event(
                EXIT_CODE_SIGNAL,
                Locus(self.result.file, number),
                text,
                severity=severity,
                kind=Kind.ENVIRONMENT,
                captures=captures,
            ),
            time,
        )

    def _add_event(self, event: Event, time: float) -> None:
        self.result.events.append(event)
        self.result.stamps.append((Stamp(time, Basis.UTC),))

    def _add_sample(self, record: FlightRecord, time: float, number: int) -> None:
        add, node, cgroup = self.series.add, record.get("node") or {}, record.get("cgroup") or {}
        # The limit of a control group applies to all of its processes together, without the files that they mapped.
        memory_limit = None if cgroup.get("memory_max") and "anon" in cgroup else node.get("memory_total")
        for row in record.get("processes") or ():
            self._add_process(row, time, number, memory_limit)
        if "anon" in cgroup:
            add(("cgroup", "memory", "control group"), time, cgroup["anon"], number, cgroup.get("memory_max"))
        if "pids" in cgroup:
            add(("cgroup", "processes", "control group"), time, cgroup["pids"], number, cgroup.get("pids_max"))
        for metric, used, total in (("memory", "memory_used", "memory_total"), ("swap", "swap_used", "swap_total")):
            if used in node:
                add(("node", metric, "node"), time, node[used], number, node.get(total))
        if "load" in node:
            add(("node", "load", "node"), time, node["load"], number)
        for mount, (used, total) in (node.get("disk") or {}).items():
            add(("disk", "space", mount), time, used, number, total)
        for metric, name in (("received", "rx"), ("sent", "tx")):
            if name in node:
                self.series.add_counter(("node", metric, "node"), time, node[name], number)
        for gpu in record.get("gpus") or ():
            self._add_gpu(gpu, time, number)

    def _add_process(self, row: FlightRecord, time: float, number: int, memory_limit: float | None) -> None:
        subject = f"{row['name']} (pid {row['pid']})" if row["pid"] else str(row["name"])
        limits = self.start.get("limits") or {}
        self.series.add(("process", "memory", subject), time, row["rss"], number, memory_limit)
        for metric, limit in (("threads", limits.get("nproc")), ("fds", limits.get("nofile"))):
            if metric in row:
                self.series.add(("process", metric, subject), time, row[metric], number, limit)
        for metric in ("cpu", "read", "write"):
            if metric in row:
                self.series.add_counter(("process", metric, subject), time, row[metric], number)

    def _add_gpu(self, row: FlightRecord, time: float, number: int) -> None:
        subject = f"gpu {row.get('index')}"
        if "memory_used" in row:
            self.series.add(("gpu", "memory", subject), time, row["memory_used"], number, row.get("memory_total"))
        for metric, name in (("busy", "sm"), ("temperature", "temperature"), ("power", "power")):
            if name in row:
                self.series.add(("gpu", metric, subject), time, row[name], number)


def _read_wall(record: FlightRecord) -> float:
    """Return the record's time in UTC seconds. Raises ValueError for a time that no clock shows."""
    time = float(record["wall"])
    if not abs(time) < LATEST:
        raise ValueError(time)
    return time
