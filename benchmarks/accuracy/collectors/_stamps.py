"""Times as platforms write them."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from accuracy.runs import Run

BILLION = 10**9


def to_utc(time_ns: int) -> datetime:
    """To the second."""
    return datetime.fromtimestamp(time_ns // BILLION, UTC)


@lru_cache(1024)
def _second(second: int) -> str:
    return f"{datetime.fromtimestamp(second, UTC):%Y-%m-%dT%H:%M:%S}"


@lru_cache(1024)
def _local_second(second: int, zone: str) -> tuple[str, str]:
    """The second, and the offset."""
    text = datetime.fromtimestamp(second, ZoneInfo(zone)).isoformat()
    return text[:19], text[19:]


def _zone(run: Run, host: str) -> str:
    return next(candidate.zone for candidate in run.hosts if candidate.name == host)


def iso(time_ns: int, digits: int = 9) -> str:
    """2025-10-09T08:53:20.123456789Z, cut to `digits` of the fraction."""
    fraction = f".{time_ns % BILLION:09d}"[: digits + 1] if digits else ""
    return f"{_second(time_ns // BILLION)}{fraction}Z"


def go_nano(time_ns: int) -> str:
    """time.RFC3339Nano of Go, which leaves out trailing zeros: https://pkg.go.dev/time#pkg-constants."""
    return f"{_second(time_ns // BILLION)}{_fraction(time_ns)}Z"


def _fraction(time_ns: int) -> str:
    return f".{time_ns % BILLION:09d}".rstrip("0").rstrip(".")


def local_iso(run: Run, host: str, time_ns: int, digits: int = 9) -> str:
    """2025-10-09T10:53:20.123456789+02:00 in the host's zone; UTC is +00:00."""
    second, offset = _local_second(time_ns // BILLION, _zone(run, host))
    return f"{second}{f'.{time_ns % BILLION:09d}'[: digits + 1]}{offset}"


def local_go_nano(run: Run, host: str, time_ns: int) -> str:
    """time.RFC3339Nano in the host's zone; UTC is Z."""
    second, offset = _local_second(time_ns // BILLION, _zone(run, host))
    return f"{second}{_fraction(time_ns)}{'Z' if offset == '+00:00' else offset}"


def local_go_fixed(run: Run, host: str, time_ns: int) -> str:
    """As `local_go_nano`, with all nine digits."""
    return local_iso(run, host, time_ns).replace("+00:00", "Z")


def first_ns(run: Run) -> int:
    """When the first process was started that is left of the run."""
    return min((process.started_ns for process in run.processes if process.started_ns), default=0)


def collected_ns(run: Run) -> int:
    """When somebody gathered what is left: some minutes after the last thing that happened, whole seconds."""
    moments = [process.ended_ns or process.started_ns for process in run.processes]
    moments += [line.time_ns for line in run.lines[-1:]]
    late = sum(run.name.encode()) % 37 * 60 + 147
    return (max(moments, default=0) // BILLION + late) * BILLION
