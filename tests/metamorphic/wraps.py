"""Prefixes that runtimes, launchers and loggers put before each line."""

from __future__ import annotations

import heapq
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

from . import stamps
from .case import Case, Transformation, from_lines, lines_of, with_files

START = 1_795_000_000.0  # for logs that state no time
_PYTHON = re.compile(
    r"^(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) "
    r"(?P<level>\[?(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\]?) (?P<logger>[\w.]+): (?P<text>.*)"
)
_WRAPPED = re.compile(
    r"^(?:\{|\d{4}-\d\d-\d\dT\S+ (?:stdout|stderr) [FP] |\s*\d+: |\[\d+,\d+\]<|\w{3} \w{3} [ \d]+ \S+ \d{4}<std)"
)
Wrap = Callable[[str, float, str], str]  # line, seconds UTC, node → line


def timed_lines(case: Case, path: str) -> Iterator[tuple[float, str]]:
    """Each line with a time on the node's own clock, never backwards; an unstamped line follows the one before."""
    lines = lines_of(case.files[path])
    zone = stamps.zone_of(lines)
    times = [time for line in lines if (time := stamps.read(line, zone)) is not None]
    now = times[0] if times else START
    for line in lines:
        now = max(now, time) if (time := stamps.read(line, zone)) is not None else now + (0.0001 if times else 0.05)
        yield now, line


def plain_logs(case: Case) -> list[str]:
    """Training logs that no wrapper has touched."""
    return [
        path
        for path in case.training_logs()
        if not _WRAPPED.match(lines_of(case.files[path])[0]) and not _WRAPPED.match(lines_of(case.files[path])[-1])
    ]


def _wrapped(case: Case, wrap: Wrap) -> Case | None:
    paths = plain_logs(case)
    changed = {
        path: from_lines([wrap(line, time, case.homes[path]) for time, line in timed_lines(case, path)])
        for path in paths
    }
    return with_files(case, changed) if changed else None


def wrap_cri(case: Case, random: Random) -> Case | None:
    return _wrapped(case, lambda line, time, node: f"{stamps.print_utc(time)} stderr F {line}")


def wrap_docker_json(case: Case, random: Random) -> Case | None:
    return _wrapped(
        case,
        lambda line, time, node: json.dumps({"log": line + "\n", "stream": "stderr", "time": stamps.print_utc(time)}),
    )


def wrap_shipped_json(case: Case, random: Random) -> Case | None:
    """As log shippers write: each line a record with the host."""
    return _wrapped(
        case,
        lambda line, time, node: json.dumps(
            {"@timestamp": stamps.print_utc(time, 3), "host": {"name": node}, "message": line}
        ),
    )


def wrap_syslog(case: Case, random: Random) -> Case | None:
    """What journalctl prints of a service; its zone is UTC here."""
    return _wrapped(case, lambda line, time, node: f"{stamps.print_syslog(time)} {node} trainer[4711]: {line}")


def wrap_kubectl_timestamps(case: Case, random: Random) -> Case | None:
    return _wrapped(case, lambda line, time, node: f"{stamps.print_utc(time)} {line}")


def log_python_as_json(case: Case, random: Random) -> Case | None:
    """Python's lines come from a JSON formatter; C++ lines, prints and tracebacks stay as they are."""

    def wrap(line: str, time: float, node: str) -> str:
        if (match := _PYTHON.match(line)) is None:
            return line
        return json.dumps(
            {
                "asctime": match["time"],
                "levelname": match["level"].strip("[]"),
                "name": match["logger"],
                "message": match["text"],
            }
        )

    return (
        _wrapped(case, wrap)
        if any(_PYTHON.match(line) for path in plain_logs(case) for line in lines_of(case.files[path]))
        else None
    )


def _joined(case: Case, name: str, prefix: Callable[[int, str], str]) -> Case | None:
    """All training logs in one file, in the order of true time; `prefix` of (rank, node)."""
    paths = plain_logs(case)
    if len({case.homes[path] for path in paths}) < 2:
        return None

    def lines(path: str) -> Iterator[tuple[float, str]]:
        node = case.homes[path]
        mark = prefix(case.ranks.index(node), node)
        yield from ((time - case.ahead.get(node, 0.0), mark + line) for time, line in timed_lines(case, path))

    merged = from_lines([line for _, line in heapq.merge(*map(lines, paths), key=lambda pair: pair[0])])
    kept = {path: data for path, data in case.files.items() if path not in paths}
    evidence = frozenset(name if path in paths else path for path in case.evidence)
    return replace(
        case,
        files={**kept, name: merged},
        homes={path: node for path, node in case.homes.items() if path in kept},
        kinds={**case.kinds, name: "worker"},
        evidence=evidence,
    )


def join_srun(case: Case, random: Random) -> Case | None:
    """`srun -l`."""
    width = len(str(len(case.ranks) - 1))
    return _joined(case, "slurm-4711.out", lambda rank, node: f"{rank:>{width}}: ")


def join_open_mpi(case: Case, random: Random) -> Case | None:
    """`mpirun --tag-output`."""
    return _joined(case, "mpirun.log", lambda rank, node: f"[1,{rank}]<stderr>:")


def join_kubectl(case: Case, random: Random) -> Case | None:
    """`kubectl logs --prefix --selector …`."""
    return _joined(case, "kubectl-logs.txt", lambda rank, node: f"[pod/{node}/tensorflow] ")


def join_compose(case: Case, random: Random) -> Case | None:
    """`docker compose logs`."""
    width = max(map(len, case.ranks), default=0)
    return _joined(case, "compose.log", lambda rank, node: f"{node:<{width}}  | ")


WRAPS: tuple[Transformation, ...] = (
    wrap_cri,
    wrap_docker_json,
    wrap_shipped_json,
    wrap_syslog,
    wrap_kubectl_timestamps,
    log_python_as_json,
    join_srun,
    join_open_mpi,
    join_kubectl,
    join_compose,
)
