"""The flight file of `tf-postmortem record`: JSON lines of `type` start, sample, signal, end.

{"type":"sample","wall":1795296020.4,"monotonic":1135.0,"processes":[{"pid":7,"name":"python3","rss":13893632,...}]}
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from analyzer.facts.exits import signal_of
from analyzer.facts.files import EXIT, LAUNCH
from analyzer.formats.stamps import LATEST
from analyzer.model import Basis, Event, Kind, Locus, Severity, Stamp
from analyzer.reading.result import SourceResult
from analyzer.samples.blocks import STRIDE
from analyzer.samples.shelf import Shelf
from analyzer.untrusted.documents import MalformedError, read_json

HEAD = re.compile(rb'\{"type":"start","wall":[\d.]+,"monotonic":[\d.]+,"flight":1[,}]')
STEPPED = 1.0  # seconds between the two clocks from which a step of the wall clock is noted
Json = Mapping[str, Any]
_ODD = (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError)


class Flight:
    basis = Basis.UTC
    stride = STRIDE

    def __init__(self, result: SourceResult, shelf: Shelf) -> None:
        self.result, self.shelf = result, shelf
        self.start: Json = {}
        self._drift = 0.0
        self._kinds = {"start": self._begin, "sample": self._sample, "end": self._end, "signal": self._signal}

    def take(self, number: int, line: bytes) -> None:
        try:
            record = read_json(line.decode("utf-8"))
            if not isinstance(record, dict):
                raise MalformedError("no record")
            time = _read_wall(record)
            self._compare_clocks(record, time)
            if (said := self._kinds.get(record["type"])) is not None:
                said(record, time, number)
        except _ODD:
            self.result.problem = f"line {number} is no record: the recorder was cut off while it wrote"

    def finish(self) -> None:
        if not any(event.signal == EXIT for event in self.result.events):
            self.result.notes.append(
                "the recorder did not see the end of the program: it was killed itself, or the node died"
            )

    def _compare_clocks(self, record: Json, time: float) -> None:
        drift = time - float(record.get("monotonic", 0.0))
        if self.start and abs(drift - self._drift) > STEPPED:
            self.result.notes.append(
                f"the node's wall clock was stepped by {drift - self._drift:+.1f} s during the record"
            )
        self._drift = drift

    def _begin(self, record: Json, time: float, number: int) -> None:
        self.start = record
        zone = record.get("zone")
        if isinstance(zone, int | float):
            self.result.zones.append((time + zone, time))
        if isinstance(record.get("host"), str) and record["host"]:
            self.result.hosts[record["host"]] += 1
        said = {name: str(record[name]) for name in ("host", "pid", "tf_config") if record.get(name)}
        command = " ".join(map(str, record.get("command") or ()))
        self._tell(
            Event(LAUNCH, Locus(self.result.file, number), command[:400], kind=Kind.ENVIRONMENT, captures=said), time
        )

    def _signal(self, record: Json, time: float, number: int) -> None:
        who = record.get("sender") or record.get("sender_pid")
        if who:
            self.result.notes.append(
                f"signal {record.get('signal')} was sent by {who} (pid {record.get('sender_pid')})"
            )

    def _end(self, record: Json, time: float, number: int) -> None:
        code = int(record.get("code", -1))
        said = {"code": str(code), **signal_of(code), "pid": str(self.start.get("pid", ""))}
        said |= {
            name: str(record[name]) for name in ("oom_kills", "sender_pid", "sender") if record.get(name) is not None
        }
        how = f"signal {said['signal']}" if "signal" in said else f"exit status {code}"
        text = f"the program ended with {how}"
        if record.get("oom_kills"):
            text += f"; its control group counted {record['oom_kills']} kill(s) for memory"
        if record.get("sender"):
            text += f"; sent by {record['sender']} (pid {record.get('sender_pid')})"
        severity = Severity.INFO if code == 0 else Severity.ERROR
        self._tell(
            Event(EXIT, Locus(self.result.file, number), text, severity=severity, kind=Kind.ENVIRONMENT, captures=said),
            time,
        )

    def _tell(self, event: Event, time: float) -> None:
        self.result.events.append(event)
        self.result.stamps.append((Stamp(time, Basis.UTC),))

    def _sample(self, record: Json, time: float, number: int) -> None:
        add, node, group = self.shelf.add, record.get("node") or {}, record.get("cgroup") or {}
        # A control group's limit is for all of its processes together, and not for the files that they have mapped.
        bound = None if group.get("memory_max") and "anon" in group else node.get("memory_total")
        for row in record.get("processes") or ():
            self._process(row, time, number, bound)
        if "anon" in group:
            add(("cgroup", "memory", "control group"), time, group["anon"], number, group.get("memory_max"))
        if "pids" in group:
            add(("cgroup", "processes", "control group"), time, group["pids"], number, group.get("pids_max"))
        for metric, used, total in (("memory", "memory_used", "memory_total"), ("swap", "swap_used", "swap_total")):
            if used in node:
                add(("node", metric, "node"), time, node[used], number, node.get(total))
        if "load" in node:
            add(("node", "load", "node"), time, node["load"], number)
        for place, (used, total) in (node.get("disk") or {}).items():
            add(("disk", "space", place), time, used, number, total)
        for metric, name in (("received", "rx"), ("sent", "tx")):
            if name in node:
                self.shelf.count(("node", metric, "node"), time, node[name], number)
        for gpu in record.get("gpus") or ():
            self._gpu(gpu, time, number)

    def _process(self, row: Json, time: float, number: int, bound: float | None) -> None:
        what = f"{row['name']} (pid {row['pid']})" if row["pid"] else str(row["name"])
        limits = self.start.get("limits") or {}
        self.shelf.add(("process", "memory", what), time, row["rss"], number, bound)
        for metric, limit in (("threads", limits.get("nproc")), ("fds", limits.get("nofile"))):
            if metric in row:
                self.shelf.add(("process", metric, what), time, row[metric], number, limit)
        for metric in ("cpu", "read", "write"):
            if metric in row:
                self.shelf.count(("process", metric, what), time, row[metric], number)

    def _gpu(self, row: Json, time: float, number: int) -> None:
        what = f"gpu {row.get('index')}"
        if "memory_used" in row:
            self.shelf.add(("gpu", "memory", what), time, row["memory_used"], number, row.get("memory_total"))
        for metric, name in (("busy", "sm"), ("temperature", "temperature"), ("power", "power")):
            if name in row:
                self.shelf.add(("gpu", metric, what), time, row[name], number)


def _read_wall(record: Json) -> float:
    """Seconds since the epoch, UTC. Raises ValueError for what no clock shows."""
    time = float(record["wall"])
    if not abs(time) < LATEST:
        raise ValueError(time)
    return time
