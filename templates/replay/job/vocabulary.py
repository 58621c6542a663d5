"""What a plan may say: a closed vocabulary of faults, each with parameters of one type within bounds.

A plan stems from log lines, and anybody may have edited it. Nothing in it names a file, a module, a command, a host or
an environment variable: what a fault asks for by name is in names.py. The program that writes plan.yaml loads this file
too, so both sides check the same. Standard library alone, and no other module of the job.
"""

from __future__ import annotations

import json
import math
import pathlib
import re
from typing import Any, Callable, NamedTuple

MAX_PLAN_BYTES = 2**16
MAX_DIMENSIONS = 8
MAX_TEXT = 500  # characters
MAX_NAME = 100  # characters
MAX_TASKS = 64
SIGNALS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 15, 19, 24, 25, 31)  # what ends or stops a process on every Linux


class PlanError(ValueError):
    """Why a file is no plan, in one line."""


class Kind(NamedTuple):
    """The values of a parameter: what they are, as said to whoever wrote another one, and whether a value fits."""

    what: str
    fits: Callable[[Any], bool]


def integer(low: int, high: int) -> Kind:
    return Kind(f"a whole number from {low} to {high}", lambda value: type(value) is int and low <= value <= high)


def number(low: float, high: float) -> Kind:
    return Kind(f"a number from {low} to {high}", lambda value: type(value) in (int, float) and low <= value <= high)


def one_of(*values: object) -> Kind:
    """`True` is no 1: the types are the same too."""
    return Kind(
        f"one of {', '.join(map(str, values))}",
        lambda value: any(type(value) is type(each) and value == each for each in values),
    )


def many(kind: Kind, most: int) -> Kind:
    return Kind(
        f"a list of up to {most}, each {kind.what}",
        lambda value: type(value) is list and len(value) <= most and all(map(kind.fits, value)),
    )


def name(pattern: str, what: str) -> Kind:
    compiled = re.compile(pattern, re.ASCII)
    return Kind(what, lambda value: type(value) is str and bool(compiled.fullmatch(value)))


def shape(elements: int) -> Kind:
    """Its sizes are bounded by themselves too: a size of 0 would hide what the others are."""
    sizes = many(integer(0, elements), MAX_DIMENSIONS)
    return Kind(
        f"a list of up to {MAX_DIMENSIONS} sizes of at most {elements} elements together",
        lambda value: sizes.fits(value) and math.prod(max(size, 1) for size in value) <= elements,
    )


def is_cluster(value: Any) -> bool:
    return (
        type(value) is dict
        and "worker" in value
        and all(job in JOBS and integer(1, MAX_TASKS).fits(tasks) for job, tasks in value.items())
        and sum(value.values()) <= MAX_TASKS
    )


JOBS = ("chief", "worker", "ps")
SMALL = shape(2**24)
SECONDS = integer(0, 600)
TEXT = Kind(
    f"printable text of up to {MAX_TEXT} characters",
    lambda value: type(value) is str and len(value) <= MAX_TEXT and value.isprintable(),
)
CAUSE = name(rf"\w[\w.-]{{0,{MAX_NAME - 1}}}", f"an id of up to {MAX_NAME} letters, digits, dots and dashes")
SIGNAL = one_of(*SIGNALS)

COMMON = {
    "strategy": one_of("MirroredStrategy", "MultiWorkerMirroredStrategy", "ParameterServerStrategy"),
    "cluster": Kind(
        f"the number of tasks of each of {', '.join(JOBS)}: at least one worker, at most {MAX_TASKS} tasks", is_cluster
    ),
    "culprit": name(r"(?:(?:chief|worker|ps):\d{1,2})?", "a task of the cluster"),
    "step": integer(1, 10_000),
    "steps": integer(1, 10_000),
    "communication": one_of("AUTO", "RING", "NCCL"),
    "devices": integer(1, 16),
    "pace": number(0, 60),
    "shape": SMALL,
    "second_shape": SMALL,
    "meet": SECONDS,
    "heartbeat": integer(1, 600),
    "collective_timeout": integer(1, 600),
    "limit": integer(1, 3600),
    "patience": SECONDS,
    "log": one_of("absl", "basic", "dashes", "iso", "json", "named", "place", "plain"),
    "noise": many(one_of("connection", "missing-shard", "retracing", "warnings"), 4),
    "expected_cause": CAUSE,
    "incident_cause": CAUSE,
    "incident_signature": name("[0-9a-f]{0,64}", "hexadecimal digits"),
    "notes": many(TEXT, 20),
}
# Each fault with the parameters that it alone has.
FAULTS: dict[str, dict[str, Kind]] = {
    "abort": {},
    "allocation": {"alloc_shape": shape(2**60)},
    "checkpoint-mismatch": {},
    "checkpoint-truncated": {},
    "checkpoint-unwritable": {},
    "cluster-mismatch": {},
    "corrupt-record": {},
    "disk-full": {},
    "double-free": {},
    "dtype-in-step": {},
    "dtype-mismatch": {"odd_dtype": one_of("bfloat16", "float16", "float64", "int32", "int64")},
    "duplicate-index": {},
    "early-finish": {},
    "exception": {"exception": name(rf"[A-Za-z_]\w{{0,{MAX_NAME - 1}}}", "the name of a class"), "message": TEXT},
    "extra-collective": {},
    "fd-limit": {},
    "illegal-instruction": {},
    "index-out-of-range": {},
    "input-deadlock": {},
    "killed": {"signal": SIGNAL},
    "link-down": {},
    "localhost-cluster": {},
    "memory-cgroup": {"cgroup_bytes": integer(2**24, 2**33)},
    "memory-limit": {},
    "missing-file": {},
    "missing-library": {},
    "nan": {},
    "never-accepts": {},
    "never-started": {},
    "none": {},
    "order-mismatch": {},
    "packets-dropped": {},
    "port-in-use": {},
    "ragged-batch": {},
    "segfault": {},
    "shape-mismatch": {"odd_shape": SMALL},
    "shm-full": {"bus_error": one_of(False, True)},
    "stack-overflow": {},
    "stopped": {"signal": SIGNAL},
    "straggler": {"delay": number(0, 60)},
    "tf-config-invalid": {},
    "thread-limit": {},
    "unresolvable": {},
    "version-skew": {},
}


def read_plan(path: pathlib.Path) -> dict:
    """The plan in a file, which is one JSON object. Raises PlanError where it is none, OSError as `open` does."""
    with path.open("rb") as stream:
        data = stream.read(MAX_PLAN_BYTES + 1)
    if len(data) > MAX_PLAN_BYTES:
        raise PlanError(f"it has more than {MAX_PLAN_BYTES} bytes")
    try:
        plan = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise PlanError(f"it is not JSON: {error}") from error
    if problems := find_problems(plan):
        raise PlanError("; ".join(problems[:3]))
    return plan


def find_problems(plan: Any) -> list[str]:
    """What in a plan is not of the vocabulary, in a line each; nothing where it may be run."""
    if type(plan) is not dict:
        return ["it is not a JSON object"]
    fault = plan.get("fault")
    if type(fault) is not str or fault not in FAULTS:
        return ["its fault is unknown"]
    kinds = {"fault": one_of(fault), **COMMON, **FAULTS[fault]}
    # Escaped and cut: an unknown key may hold what steers a terminal.
    missing = [f"{key} is missing" for key in kinds if key not in plan]
    unknown = [f"the fault {fault} has no key {ascii(key)[:MAX_NAME]}" for key in plan if key not in kinds]
    unfit = [f"{key} is not {kind.what}" for key, kind in kinds.items() if key in plan and not kind.fits(plan[key])]
    return missing + unknown + unfit or list(find_contradictions(plan))


def find_contradictions(plan: dict):
    job, _, index = plan["culprit"].partition(":")
    if plan["culprit"] and int(index) >= plan["cluster"].get(job, 0):
        yield "culprit is not a task of the cluster"
    if not plan["culprit"] and plan["fault"] != "none":
        yield "culprit is missing"
    if plan["strategy"] == "ParameterServerStrategy" and not {"chief", "ps"} <= plan["cluster"].keys():
        yield "a ParameterServerStrategy needs a chief and a ps"
    if plan["strategy"] == "MirroredStrategy" and plan["cluster"] != {"worker": 1}:
        yield "a MirroredStrategy has one worker"
