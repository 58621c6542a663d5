"""What time daemons say of a node's clock: chronyd, ntpd, systemd-timesyncd, ptp4l.

They speak of the moment at which the bundle was collected, and of the host. So a node that shares instants with others
keeps what these say, and the daemon is a cross-check; for a node without any, the daemon's word is taken.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from analyzer.feeds import Feeds
from analyzer.model import Clock, Event

UNITS = {"": 1.0, "s": 1.0, "sec": 1.0, "second": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ns": 1e-9}
LONGER = {"min": 60.0, "m": 60.0, "minute": 60.0, "h": 3600.0, "hour": 3600.0}
LEAST = 0.1  # seconds; between the failure and the collection a disciplined clock stays within it
AGREEING = 1.0  # seconds
_PART = re.compile(r"([-+]?\d+(?:\.\d+)?)\s*([a-zµμ]*)")


@dataclass(frozen=True, slots=True)
class Statement:
    """How far a clock is ahead of UTC and within what, in seconds."""

    ahead: float
    within: float
    method: str


def read_span(text: str) -> float | None:
    """Seconds of `+12us`, `-3.4 ms`, `0.000012 seconds`, `1min 2.5s`; None for anything else."""
    total, sign = 0.0, -1.0 if text.strip().startswith("-") else 1.0
    parts = _PART.findall(text.strip().lower())
    for number, word in parts:
        unit = {**UNITS, **LONGER}.get(word) or {**UNITS, **LONGER}.get(word.removesuffix("s"))
        if unit is None:
            return None
        total += abs(float(number)) * unit
    return sign * total if parts else None


def collect_statements(events: Iterable[Event], feeds: Feeds) -> dict[str, Statement]:
    """The closest of each node's. Signals that feed `clock` capture `ahead` or `behind`, and `within`, as spans."""
    said: dict[str, Statement] = {}
    for event in events:
        if feeds.says("clock", event) and event.node and (found := _read(event)):
            known = said.get(event.node)
            if known is None or found.within < known.within:
                said[event.node] = found
    return said


def _read(event: Event) -> Statement | None:
    ahead, behind = (read_span(event.captures.get(name, "")) for name in ("ahead", "behind"))
    within = read_span(event.captures.get("within", ""))
    lead = ahead if ahead is not None else -behind if behind is not None else None
    if lead is None:
        return None
    by = event.captures.get("daemon", "its time daemon")
    return Statement(lead, max(LEAST, within or 0.0), f"{by} at collection")


def compare(clocks: Mapping[str, Clock], statements: Mapping[str, Statement]) -> dict[str, Clock]:
    """Clocks of nodes that share instants, against UTC where the daemons of more than half of them agree on it.

    A clock that its own daemon contradicts says so.
    """
    leads = {node: clocks[node].offset - said.ahead for node, said in statements.items() if node in clocks}
    if not leads:
        return dict(clocks)
    base = statistics.median(leads.values())
    agreeing = sum(abs(lead - base) <= AGREEING + statements[node].within for node, lead in leads.items())
    trusted = agreeing > len(clocks) / 2
    moved = {
        node: replace(clock, offset=round(clock.offset - (base if trusted else 0.0), 6))
        for node, clock in clocks.items()
    }
    return {node: _check(clock, statements.get(node)) for node, clock in moved.items()}


def _check(clock: Clock, said: Statement | None) -> Clock:
    if said is None:
        return clock
    apart = abs(clock.offset - said.ahead)
    if apart <= said.within + (clock.error or 0.0) + AGREEING:
        return replace(clock, method=f"{clock.method}; {said.method} agrees")
    return replace(
        clock, method=f"{clock.method}; {said.method} says {said.ahead:+.3f} s, so it was set after these lines"
    )
