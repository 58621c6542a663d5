"""Clock offsets that time daemons report: chronyd, ntpd, systemd-timesyncd, ptp4l.

A daemon reports the offset of the host at the time of collection. The clock of a node with
sync points comes from them, and the report is a cross-check. Other nodes take the report.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from analyzer.model import Clock, Event
from analyzer.signal_semantics import SignalSemantics

SECONDS_BY_UNIT = {
    "": 1.0,
    "s": 1.0,
    "sec": 1.0,
    "second": 1.0,
    "ms": 1e-3,
    "us": 1e-6,
    "µs": 1e-6,
    "μs": 1e-6,
    "ns": 1e-9,
}
SECONDS_BY_LONG_UNIT = {"min": 60.0, "m": 60.0, "minute": 60.0, "h": 3600.0, "hour": 3600.0}
_SECONDS_BY_WORD = {**SECONDS_BY_UNIT, **SECONDS_BY_LONG_UNIT}
MIN_REPORT_ERROR_S = 0.1  # a disciplined clock changes by less between the failure and the collection
AGREEMENT_S = 1.0  # seconds by which a clock and a report may differ and still agree, beside their errors
_NUMBER_AND_UNIT = re.compile(r"([-+]?\d+(?:\.\d+)?)\s*([a-zµμ]*)")


@dataclass(frozen=True, slots=True)
class NtpReport:
    """The report of a time daemon about the clock of its host."""

    offset: float  # seconds by which the clock is ahead of UTC
    error: float  # half width, seconds
    method: str


def read_duration(text: str) -> float | None:
    """Return the seconds of `+12us`, `-3.4 ms`, `0.000012 seconds`, `1min 2.5s`; None for anything else."""
    total, sign = 0.0, -1.0 if text.strip().startswith("-") else 1.0
    parts = _NUMBER_AND_UNIT.findall(text.strip().lower())
    for number, word in parts:
        unit = _SECONDS_BY_WORD.get(word) or _SECONDS_BY_WORD.get(word.removesuffix("s"))
        if unit is None:
            return None
        total += abs(float(number)) * unit
    return sign * total if parts else None


def collect_ntp_reports(events: Iterable[Event], semantics: SignalSemantics) -> dict[str, NtpReport]:
    """Return node → its report with the smallest error.

    Signals that feed `clock` capture `ahead` or `behind`, and `within`, as durations such as `+12us`.
    """
    reports: dict[str, NtpReport] = {}
    for event in events:
        if semantics.has_meaning("clock", event) and event.node and (report := _read_report(event)):
            earlier = reports.get(event.node)
            if earlier is None or report.error < earlier.error:
                reports[event.node] = report
    return reports


def _read_report(event: Event) -> NtpReport | None:
    ahead, behind = (read_duration(event.captures.get(name, "")) for name in ("ahead", "behind"))
    within = read_duration(event.captures.get("within", ""))
    lead = ahead if ahead is not None else -behind if behind is not None else None
    if lead is None:
        return None
    daemon = event.captures.get("daemon", "its time daemon")
    return NtpReport(lead, max(MIN_REPORT_ERROR_S, within or 0.0), f"{daemon} at collection")


def check_against_reports(clocks: Mapping[str, Clock], reports: Mapping[str, NtpReport]) -> dict[str, Clock]:
    """Return the clocks relative to UTC if the daemons of more than half of the nodes agree, else unchanged.

    The method of each clock says whether the node's own daemon agrees with it.
    """
    differences = {node: clocks[node].offset - report.offset for node, report in reports.items() if node in clocks}
    if not differences:
        return dict(clocks)
    base = statistics.median(differences.values())
    agreeing_count = sum(
        abs(difference - base) <= AGREEMENT_S + reports[node].error for node, difference in differences.items()
    )
    is_trusted = agreeing_count > len(clocks) / 2
    moved = {
        node: replace(clock, offset=round(clock.offset - (base if is_trusted else 0.0), 6))
        for node, clock in clocks.items()
    }
    return {node: _check_clock(clock, reports.get(node)) for node, clock in moved.items()}


def _check_clock(clock: Clock, report: NtpReport | None) -> Clock:
    if report is None:
        return clock
    difference = abs(clock.offset - report.offset)
    if difference <= report.error + (clock.error or 0.0) + AGREEMENT_S:
        return replace(clock, method=f"{clock.method}; {report.method} agrees")
    return replace(
        clock,
        method=f"{clock.method}; {report.method} says {report.offset:+.3f} s, so the clock was set after these lines",
    )
