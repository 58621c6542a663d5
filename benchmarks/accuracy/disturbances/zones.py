"""Hosts of other zones, and runs that see a change to or from daylight-saving time.

`Host.zone` changes, and so do the stamps inside the texts that are local time. The moments of the changes are those of
the tz database (https://www.iana.org/time-zones).
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Mapping
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from accuracy.disturbances import Case, Disturbance
from accuracy.disturbances._runs import edit_texts, find_span, move_times
from accuracy.disturbances._stamps import SECOND, restamp, rezone
from accuracy.runs import ReceivedLine

ZONES = (
    *("Europe/Berlin", "America/Los_Angeles", "America/New_York", "Asia/Shanghai", "Asia/Tokyo"),
    *("Asia/Kolkata", "Australia/Adelaide", "America/St_Johns", "America/Sao_Paulo", "Pacific/Auckland"),
)
# (zone, the first moment of the new offset)
CHANGES = (
    ("Europe/Berlin", datetime(2025, 3, 30, 1, tzinfo=UTC)),
    ("Europe/Berlin", datetime(2025, 10, 26, 1, tzinfo=UTC)),
    ("America/New_York", datetime(2025, 3, 9, 7, tzinfo=UTC)),
    ("America/New_York", datetime(2025, 11, 2, 6, tzinfo=UTC)),
    ("America/Los_Angeles", datetime(2025, 3, 9, 10, tzinfo=UTC)),
    ("America/Los_Angeles", datetime(2025, 11, 2, 9, tzinfo=UTC)),
    ("Australia/Sydney", datetime(2025, 4, 5, 16, tzinfo=UTC)),
    ("Australia/Sydney", datetime(2025, 10, 4, 16, tzinfo=UTC)),
)


def move_one_zone(case: Case, chance: random.Random) -> Case:
    """One host has another zone than the others."""
    host = chance.choice(sorted({task.host for task in case.run.tasks}))
    old = next(candidate.zone for candidate in case.run.hosts if candidate.name == host)
    return set_zones(case, {host: chance.choice([zone for zone in ZONES if zone != old])})


def move_all_zones(case: Case, chance: random.Random) -> Case:
    zone = chance.choice([zone for zone in ZONES if zone not in {host.zone for host in case.run.hosts}])
    return set_zones(case, {host.name: zone for host in case.run.hosts})


def change_daylight_saving(case: Case, chance: random.Random) -> Case:
    """The run happens at another time of the year, when the clocks of all its hosts go forwards or back."""
    zone, moment = chance.choice(CHANGES)
    start, end = find_span(case.run)
    at = int(start + chance.uniform(0.3, 0.7) * (end - start))
    delta = (int(moment.timestamp()) * SECOND - at) // SECOND * SECOND
    for host in case.run.hosts:
        case = move_times(case, host.name, lambda _: delta, lambda text, now, lead: restamp(text, lead, now))
    return set_zones(case, {host.name: zone for host in case.run.hosts})


def set_zones(case: Case, zones: Mapping[str, str]) -> Case:
    """`zones`: by host."""
    old = {host.name: ZoneInfo(host.zone) for host in case.run.hosts}
    new = {host: ZoneInfo(zone) for host, zone in zones.items()}
    where = {process.name: process.host for process in case.run.processes if process.host in zones}

    def edit(line: ReceivedLine) -> bytes:
        host = where[line.process]
        return rezone(line.text, old[host], new[host], line.time_ns)

    case = edit_texts(case, edit, where)
    hosts = tuple(dataclasses.replace(host, zone=zones.get(host.name, host.zone)) for host in case.run.hosts)
    return dataclasses.replace(case, run=case.run.replace(hosts=hosts))


def _has_several_hosts(case: Case) -> bool:
    return len({task.host for task in case.run.tasks}) > 1


DISTURBANCES = (
    Disturbance("zone-of-one", "zones", move_one_zone, fits=_has_several_hosts),
    Disturbance("zone-of-all", "zones", move_all_zones),
    Disturbance("daylight-saving", "zones", change_daylight_saving),
)
