"""Clocks of hosts that are wrong: a lead that stays, one that grows, and one that begins in mid-run.

The times of a host's lines and processes move, and so do the stamps inside the texts. Lines keep the order in which
they were received.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from accuracy.disturbances import Case, Disturbance
from accuracy.disturbances._runs import find_span, move_times
from accuracy.disturbances._stamps import SECOND, restamp

LONGEST_LEAD_S = 3600
DRIFT_PPM = (500, 20_000)  # a bad oscillator, and a virtual machine whose clock loses ticks


def set_clock_off(case: Case, chance: random.Random) -> Case:
    """One host is off by up to an hour."""
    return _set(case, chance.choice(case.run.hosts).name, _draw_lead(chance))


def set_clocks_off(case: Case, chance: random.Random) -> Case:
    """Each host is off by up to an hour, by a lead of its own."""
    for host in case.run.hosts:
        case = _set(case, host.name, _draw_lead(chance))
    return case


def let_clock_drift(case: Case, chance: random.Random) -> Case:
    """One host's clock is right at the start and runs too fast or too slow."""
    start, _ = find_span(case.run)
    rate = chance.choice((-1, 1)) * chance.uniform(*DRIFT_PPM) / 1e6
    return move_times(
        case, chance.choice(case.run.hosts).name, lambda time_ns: int(max(0, time_ns - start) * rate), _restamp
    )


def step_clock(case: Case, chance: random.Random) -> Case:
    """One host's clock is set in mid-run, forwards or backwards, by up to an hour."""
    start, end = find_span(case.run)
    at, lead = int(start + chance.uniform(0.2, 0.8) * (end - start)), _draw_lead(chance)
    host = chance.choice(case.run.hosts).name
    return move_times(case, host, lambda time_ns: lead if time_ns >= at else 0, _restamp)


def _set(case: Case, host: str, lead: int) -> Case:
    return move_times(case, host, lambda time_ns: lead, _restamp)


def _restamp(text: bytes, time_ns: int, lead: int) -> bytes:
    return restamp(text, lead, time_ns) if lead else text


def _draw_lead(chance: random.Random) -> int:
    """Small ones as often as large ones."""
    seconds = math.exp(chance.uniform(math.log(0.5), math.log(LONGEST_LEAD_S)))
    return chance.choice((-1, 1)) * int(seconds * SECOND)


def _has_several_hosts(case: Case) -> bool:
    return len({task.host for task in case.run.tasks}) > 1


_ALL: tuple[tuple[str, Callable[[Case, random.Random], Case]], ...] = (
    ("clock-off", set_clock_off),
    ("clocks-off", set_clocks_off),
    ("clock-drift", let_clock_drift),
    ("clock-step", step_clock),
)
DISTURBANCES = tuple(Disturbance(name, "clocks", change, fits=_has_several_hosts) for name, change in _ALL)
