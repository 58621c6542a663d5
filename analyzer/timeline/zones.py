"""Offsets that are no wrong clock but a wrong zone, or none."""

from __future__ import annotations

QUARTER = 900.0  # seconds; every zone in use is a multiple of 15 minutes from UTC
LARGEST = 26 * 3600.0  # from UTC-12 to UTC+14
NEAR = 20.0  # seconds that such a clock may be off besides, where the zone is of whole or half hours …
NEARER = 5.0  # … and where it is of quarters, as few are
HOUR = 3600.0
MOST_HOURS = 14
MOMENT = 60.0  # seconds within which a machine's kernel and its programs tell of one failure


def zone_error(offset: float, error: float) -> float | None:
    """The zone error in seconds that an offset shows; None where it shows none. Errors too large prove nothing."""
    zone = round(offset / QUARTER) * QUARTER
    slack = NEAR if zone % (2 * QUARTER) == 0 else NEARER
    if zone == 0 or abs(zone) > LARGEST or abs(offset - zone) > slack or error > slack:
        return None
    return zone


def spell(zone: float) -> str:
    """As in `+5:30`."""
    hours, minutes = divmod(round(abs(zone) / 60), 60)
    return f"{'-' if zone < 0 else '+'}{hours}:{minutes:02}"


def are_hours(seconds: float) -> bool:
    """Whether two readings so far apart may be of one moment: the kernel's log in the machine's zone, say, and the
    program's in its container's, where neither says which."""
    hours = round(seconds / HOUR)
    return 0 < abs(hours) <= MOST_HOURS and abs(seconds - hours * HOUR) <= MOMENT
