"""Series as events that rules can ask for: `derived.peak` of what has a limit or accumulates, `derived.growth`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from analyzer.model import Basis, Event, Kind, Locus, Point, Series, Severity, Stamp
from analyzer.samples.growth import find_growth
from analyzer.samples.shelf import ACCUMULATES

PEAK, GROWTH = "derived.peak", "derived.growth"
FAR = 400 * 86400.0  # seconds; an end that lies farther ahead is none


def show(series: Series) -> Iterator[tuple[Event, Stamp]]:
    if not series.points:
        return
    if series.limit or series.metric in ACCUMULATES:
        top = max(series.points, key=lambda point: point.high)
        said = {"value": f"{top.high:.0f}", "value_text": say(top.high, series.unit), **_share(top.high, series)}
        text = f"{series.metric} of {series.what} reached {said['value_text']}{_of_limit(series)}"
        yield _event(PEAK, series, top, text, said)
    if series.metric in ACCUMULATES:
        yield from _growth(series)


def _growth(series: Series) -> Iterator[tuple[Event, Stamp]]:
    growth = find_growth(series)
    if growth is None:
        return
    said = {
        "rate": f"{growth.rate:.6g}",
        "rate_text": say(growth.rate, series.unit) + "/s",
        "seconds": f"{growth.seconds:.0f}",
        "span": say_span(growth.seconds),
        "from_text": say(growth.start.mean, series.unit),
        "value": f"{growth.end.high:.0f}",
        "value_text": say(growth.end.high, series.unit),
        "lasting": "yes" if growth.lasting else "no",
        **_share(growth.end.high, series),
    }
    text = (
        f"{series.metric} of {series.what} grew {said['rate_text']} for {said['span']}, from {said['from_text']} "
        f"to {said['value_text']}{_of_limit(series)}"
    )
    if growth.left is not None and growth.left < FAR:
        said |= {"left": f"{growth.left:.0f}", "left_text": say_span(growth.left)}
        if series.basis is Basis.UTC:
            end = datetime.fromtimestamp(growth.end.time + growth.left, UTC)
            said["would_end"] = f"{end:%Y-%m-%d %H:%M:%S} UTC"
    yield _event(GROWTH, series, growth.end, text, said)


def _event(signal: str, series: Series, at: Point, text: str, said: dict[str, str]) -> tuple[Event, Stamp]:
    whose = {"scope": series.scope, "metric": series.metric, "what": series.what}
    if found := re.search(r"\(pid (\d{1,18})\)$", series.what):
        whose["pid"] = found[1]
    event = Event(
        signal,
        Locus(series.file, at.line),
        text,
        severity=Severity.INFO,
        kind=Kind.DERIVED,
        captures={**whose, **said},
    )
    return event, Stamp(at.time, series.basis)


def _share(value: float, series: Series) -> dict[str, str]:
    if not series.limit:
        return {}
    return {
        "limit": f"{series.limit:.0f}",
        "limit_text": say(series.limit, series.unit),
        "share": f"{100 * value / series.limit:.1f}",
        "free": f"{max(0.0, series.limit - value):.0f}",
        "free_text": say(max(0.0, series.limit - value), series.unit),
    }


def _of_limit(series: Series) -> str:
    return f" (limit {say(series.limit, series.unit)})" if series.limit else ""


def say(value: float, unit: str) -> str:
    """`38.0 MB`, powers of 1000; `17 %`; `12`."""
    if unit.startswith("bytes"):
        step = next((step for step in range(5, 0, -1) if abs(value) >= 1000**step), 0)
        name = ("B", "kB", "MB", "GB", "TB", "PB")[step]
        return (f"{value / 1000**step:.1f} {name}" if step else f"{value:.0f} B") + unit[len("bytes") :]
    suffix = {"percent": " %", "celsius": " °C", "watts": " W", "cores": " cores"}.get(unit, "")
    return (f"{value:.0f}" if value >= 100 or value == int(value) else f"{value:.2g}") + suffix


def say_span(seconds: float) -> str:
    """`45 s`, `9 min`, `3.5 h`, `2 days`."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172800 else f"{seconds / 86400:.0f} days"
