"""Offsets that are no wrong clock but a wrong zone, or none."""

from __future__ import annotations

QUARTER_HOUR_S = 900.0  # seconds; every zone in use is a multiple of 15 minutes from UTC
MAX_ZONE_DIFFERENCE_S = 26 * 3600.0  # from UTC-12 to UTC+14
HALF_HOUR_ZONE_SLACK_S = (
    20.0  # seconds that such a clock may be off besides, where the zone is of whole or half hours …
)
QUARTER_HOUR_ZONE_SLACK_S = 5.0  # … and where it is of quarters, as few are
HOUR_S = 3600.0
MAX_ZONE_HOURS = 14
SAME_FAILURE_S = 60.0  # seconds within which a machine's kernel and its programs tell of one failure


def zone_error(offset: float, error: float) -> float | None:
    """The zone error in seconds that an offset shows; None where it shows none. Errors too large prove nothing."""
    zone = round(offset / QUARTER_HOUR_S) * QUARTER_HOUR_S
    slack = HALF_HOUR_ZONE_SLACK_S if zone % (2 * QUARTER_HOUR_S) == 0 else QUARTER_HOUR_ZONE_SLACK_S
    if zone == 0 or abs(zone) > MAX_ZONE_DIFFERENCE_S or abs(offset - zone) > slack or error > slack:
        return None
    return zone


def format_zone(zone: float) -> str:
    """As in `+5:30`."""
    hours, minutes = divmod(round(abs(zone) / 60), 60)
    return f"{'-' if zone < 0 else '+'}{hours}:{minutes:02}"


def is_whole_hours(seconds: float) -> bool:
    """Whether two readings so far apart may be of one moment: the kernel's log in the machine's zone, say, and the
    program's in its container's, where neither says which."""
    hours = round(seconds / HOUR_S)
    return 0 < abs(hours) <= MAX_ZONE_HOURS and abs(seconds - hours * HOUR_S) <= SAME_FAILURE_S
