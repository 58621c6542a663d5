"""Derives events of series: `derived.peak` of what has a limit or accumulates, and `derived.growth`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from analyzer.model import Basis, Event, Kind, Locus, Point, Series, Severity, Stamp
from analyzer.samples.growth import find_growth
from analyzer.samples.series_collector import ACCUMULATING_METRICS
from analyzer.signals.derived import GROWTH, PEAK

PEAK_SIGNAL, GROWTH_SIGNAL = PEAK.name, GROWTH.name
MAX_FORECAST_S = 400 * 86400.0  # a limit that is reached later is not forecast


def derive_series_events(series: Series) -> Iterator[tuple[Event, Stamp]]:
    """Yield the events of a series, each with its stamp."""
    if not series.points:
        return
    if series.limit or series.metric in ACCUMULATING_METRICS:
        peak = max(series.points, key=lambda point: point.high)
        captures = {
            "value": f"{peak.high:.0f}",
            "value_text": format_value(peak.high, series.unit),
            **_limit_captures(peak.high, series),
        }
        text = f"{series.metric} of {series.subject} reached {captures['value_text']}{_limit_text(series)}"
        yield _make_event(PEAK_SIGNAL, series, peak, text, captures)
    if series.metric in ACCUMULATING_METRICS:
        yield from _derive_growth(series)


def _derive_growth(series: Series) -> Iterator[tuple[Event, Stamp]]:
    growth = find_growth(series)
    if growth is None:
        return
    captures = {
        "rate": f"{growth.rate:.6g}",
        "rate_text": format_value(growth.rate, series.unit) + "/s",
        "seconds": f"{growth.seconds:.0f}",
        "span": format_duration(growth.seconds),
        "from_text": format_value(growth.start.mean, series.unit),
        "value": f"{growth.end.high:.0f}",
        "value_text": format_value(growth.end.high, series.unit),
        "lasting": "yes" if growth.is_ongoing else "no",
        **_limit_captures(growth.end.high, series),
    }
    text = (
        f"{series.metric} of {series.subject} grew {captures['rate_text']} for {captures['span']}, "
        f"from {captures['from_text']} to {captures['value_text']}{_limit_text(series)}"
    )
    if growth.seconds_to_limit is not None and growth.seconds_to_limit < MAX_FORECAST_S:
        captures |= {"left": f"{growth.seconds_to_limit:.0f}", "left_text": format_duration(growth.seconds_to_limit)}
        if series.basis is Basis.UTC:
            end = datetime.fromtimestamp(growth.end.time + growth.seconds_to_limit, UTC)
            captures["would_end"] = f"{end:%Y-%m-%d %H:%M:%S} UTC"
    yield _make_event(GROWTH_SIGNAL, series, growth.end, text, captures)


def _make_event(signal: str, series: Series, point: Point, text: str, captures: dict[str, str]) -> tuple[Event, Stamp]:
    subject = {"scope": series.scope, "metric": series.metric, "what": series.subject}
    if match := re.search(r"\(pid (\d{1,18})\)$", series.subject):
        subject["pid"] = match[1]
    event = Event(
        signal,
        Locus(series.file, point.line),
        text,
        severity=Severity.INFO,
        kind=Kind.DERIVED,
        captures={**subject, **captures},
    )
    return event, Stamp(point.time, series.basis)


def _limit_captures(value: float, series: Series) -> dict[str, str]:
    if not series.limit:
        return {}
    return {
        "limit": f"{series.limit:.0f}",
        "limit_text": format_value(series.limit, series.unit),
        "share": f"{100 * value / series.limit:.1f}",
        "free": f"{max(0.0, series.limit - value):.0f}",
        "free_text": format_value(max(0.0, series.limit - value), series.unit),
    }


def _limit_text(series: Series) -> str:
    return f" (limit {format_value(series.limit, series.unit)})" if series.limit else ""


def format_value(value: float, unit: str) -> str:
    """Return a value with its unit, as `38.0 MB` (powers of 1000), `17 %` or `12`."""
    if unit.startswith("bytes"):
        step = next((step for step in range(5, 0, -1) if abs(value) >= 1000**step), 0)
        name = ("B", "kB", "MB", "GB", "TB", "PB")[step]
        return (f"{value / 1000**step:.1f} {name}" if step else f"{value:.0f} B") + unit[len("bytes") :]
    suffix = {"percent": " %", "celsius": " °C", "watts": " W", "cores": " cores"}.get(unit, "")
    return (f"{value:.0f}" if value >= 100 or value == int(value) else f"{value:.2g}") + suffix


def format_duration(seconds: float) -> str:
    """Return a duration as `45 s`, `9 min`, `3.5 h` or `2 days`."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172800 else f"{seconds / 86400:.0f} days"
