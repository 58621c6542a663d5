"""The plan that all parts of the job share: its folder, its tasks, its timeouts."""

from __future__ import annotations

import math
import pathlib

HERE = pathlib.Path(__file__).resolve().parents[1]


class UnableError(Exception):
    """A requirement of a fault that this machine lacks."""


PATIENT = ("collective_timeout", "heartbeat", "limit", "meet", "patience")  # seconds
SLOWEST = 5.0
LACKS = "this machine lacks"
UNABLE = 77  # the exit code of a task that says so, as in automake's tests


def stretch(plan: dict, times: float) -> dict:
    """Return the plan with its timeouts extended by this slowdown factor."""
    times = min(max(times, 1.0), SLOWEST)
    return {**plan, **{name: math.ceil(plan[name] * times) for name in PATIENT}}


def tasks_of(plan: dict) -> list[str]:
    return [f"{job}:{index}" for job, count in plan["cluster"].items() for index in range(count)]
