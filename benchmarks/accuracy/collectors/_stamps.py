"""Times as platforms write them."""

from __future__ import annotations

from datetime import UTC, datetime

from accuracy.runs import Run

BILLION = 10**9


def to_utc(time_ns: int) -> datetime:
    """To the second."""
    return datetime.fromtimestamp(time_ns // BILLION, UTC)


def iso(time_ns: int, digits: int = 9) -> str:
    """2025-10-09T08:53:20.123456789Z, cut to `digits` of the fraction."""
    fraction = f".{time_ns % BILLION:09d}"[: digits + 1] if digits else ""
    return f"{to_utc(time_ns):%Y-%m-%dT%H:%M:%S}{fraction}Z"


def go_nano(time_ns: int) -> str:
    """time.RFC3339Nano of Go, which leaves out trailing zeros: https://pkg.go.dev/time#pkg-constants."""
    fraction = f".{time_ns % BILLION:09d}".rstrip("0").rstrip(".")
    return f"{to_utc(time_ns):%Y-%m-%dT%H:%M:%S}{fraction}Z"


def local_iso(run: Run, host: str, time_ns: int, digits: int = 9) -> str:
    """2025-10-09T10:53:20.123456789+02:00 in the host's zone; UTC is +00:00."""
    offset = run.local(host, time_ns).isoformat()[-6:]
    return f"{run.local(host, time_ns):%Y-%m-%dT%H:%M:%S}{f'.{time_ns % BILLION:09d}'[: digits + 1]}{offset}"


def local_go_nano(run: Run, host: str, time_ns: int) -> str:
    """time.RFC3339Nano in the host's zone; UTC is Z."""
    offset = run.local(host, time_ns).isoformat()[-6:]
    fraction = f".{time_ns % BILLION:09d}".rstrip("0").rstrip(".")
    return f"{run.local(host, time_ns):%Y-%m-%dT%H:%M:%S}{fraction}{'Z' if offset == '+00:00' else offset}"


def local_go_fixed(run: Run, host: str, time_ns: int) -> str:
    """As `local_go_nano`, with all nine digits."""
    return local_iso(run, host, time_ns).replace("+00:00", "Z")


def collected_ns(run: Run) -> int:
    """When somebody gathered what is left: some minutes after the last thing that happened, whole seconds."""
    moments = [process.ended_ns or process.started_ns for process in run.processes]
    moments += [line.time_ns for line in run.lines[-1:]]
    late = sum(run.name.encode()) % 37 * 60 + 147
    return (max(moments) // BILLION + late) * BILLION
