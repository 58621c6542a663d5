"""Clock offsets that come from a wrong or missing time zone and not from a wrong clock."""

from __future__ import annotations

QUARTER_HOUR_S = 900.0  # every zone in use is a multiple of 15 minutes from UTC
MAX_ZONE_DIFFERENCE_S = 26 * 3600.0  # from UTC-12 to UTC+14
# Seconds by which such a clock may additionally be wrong; fewer if the zone error is of quarter hours, which is rare.
HALF_HOUR_ZONE_SLACK_S = 20.0
QUARTER_HOUR_ZONE_SLACK_S = 5.0
HOUR_S = 3600.0
MAX_ZONE_HOURS = 14
SAME_FAILURE_S = 60.0  # a machine's kernel and its programs report one failure within this many seconds


def zone_error(offset: float, error: float) -> float | None:
    """Return the zone error in seconds that a clock offset shows; None if it shows none, or the error is too large."""
    zone = round(offset / QUARTER_HOUR_S) * QUARTER_HOUR_S
    slack = HALF_HOUR_ZONE_SLACK_S if zone % (2 * QUARTER_HOUR_S) == 0 else QUARTER_HOUR_ZONE_SLACK_S
    if zone == 0 or abs(zone) > MAX_ZONE_DIFFERENCE_S or abs(offset - zone) > slack or error > slack:
        return None
    return zone


def format_zone(zone: float) -> str:
    """Return seconds as hours and minutes: `+5:30`."""
    hours, minutes = divmod(round(abs(zone) / 60), 60)
    return f"{'-' if zone < 0 else '+'}{hours}:{minutes:02}"


def is_whole_hours(seconds: float) -> bool:
    """Return whether two readings that differ by `seconds` may be of one moment, in two zones.

    For example, the kernel logs in the zone of the machine and the program in that of its container, and neither
    states its zone.
    """
    hours = round(seconds / HOUR_S)
    return 0 < abs(hours) <= MAX_ZONE_HOURS and abs(seconds - hours * HOUR_S) <= SAME_FAILURE_S
