"""Red herrings: loud lines that real hosts are full of and that have nothing to do with what failed.

They are data: herrings.yaml, and others.yaml for another training on a machine of the job. A line is added to the
kernel's log of a host, to its system log under a program's name, or to what a task prints.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import regex
import yaml

from accuracy.disturbances import Case, Disturbance
from accuracy.disturbances._runs import find_culprit_hosts, find_innocent_hosts, find_span, merge_lines
from accuracy.disturbances._stamps import SECOND
from accuracy.identities import Identities
from accuracy.runs import Process, ReceivedLine, Run

MINUTE, HOUR, DAY = 60, 3600, 86_400
BEFORE = {  # seconds before the job
    "weeks-before": (5 * DAY, 20 * DAY),
    "days-before": (DAY, 4 * DAY),
    "hours-before": (HOUR, 20 * HOUR),
    "minutes-before": (2 * MINUTE, 50 * MINUTE),
}
AFTER = (30, HOUR)
PAUSE_S = (0.00002, 0.0009)  # between the lines of one entry
COUNT = (3, 8)
_PLACE = regex.compile(r"(?<!\{)\{([a-z][a-z0-9_]*)\}(?!\})")


@dataclass(frozen=True)
class Herring:
    """An entry of herrings.yaml, whose head says what the fields mean. `lines`: (by, text)."""

    name: str
    by: str
    where: str
    when: str
    lines: tuple[tuple[str, str], ...]
    source: str
    topic: str = ""
    fill: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    tensorflow: tuple[str, ...] = ()
    python: tuple[str, ...] = ()
    pause: Sequence[float] = PAUSE_S


@cache
def load_herrings(file: str = "herrings.yaml") -> tuple[Herring, ...]:
    rows = yaml.load((Path(__file__).parent / file).read_text(), Loader=yaml.CSafeLoader)
    return tuple(_build(row) for row in rows)


def add_herrings(case: Case, chance: random.Random, herrings: Sequence[Herring]) -> Case:
    """All of those that can be; a Process for each program that the host did not have before."""
    new: list[ReceivedLine] = []
    for herring in herrings:
        drawn = _draw_fill(herring, chance)
        for place in _choose_places(case, herring, chance):
            if isinstance(place, Process):
                new += _say_in_task(case.run, herring, place, drawn, chance)
            else:
                case, names = _add_programs(case, herring, place, chance)
                new += _say_on_host(case.run, herring, place, names, drawn, chance)
    return dataclasses.replace(case, run=case.run.replace(lines=merge_lines(case.run.lines, new)))


def can_have(case: Case, herring: Herring) -> bool:
    """Whether it happens to such runs, and the collector hands over where it stands."""
    run = case.run
    of_version = all(
        not versions or any(had == version or had.startswith(f"{version}.") for version in versions)
        for had, versions in ((run.tensorflow, herring.tensorflow), (run.python, herring.python))
    )
    if not of_version or not _list_hosts(case, herring):
        return False
    if herring.by == "task":
        return bool(_list_tasks(case, herring))
    return any(_is_kept(case, by, host) for by, _ in herring.lines for host in _list_hosts(case, herring))


def _is_kept(case: Case, by: str, host: str) -> bool:
    process = _make_process(by, host)
    return (by != "kernel" or "kernel" in case.collector.carries) and case.collector.keeps(case.run, process)


def _make_process(by: str, host: str, pid: int = 0) -> Process:
    if by == "kernel":
        return Process(f"kernel@{host}", "kernel", host)
    return Process(f"{by.replace('/', '-')}@{host}", "system", host, 1 if by == "systemd" else pid, command=by)


def _list_hosts(case: Case, herring: Herring) -> list[str]:
    run, innocent = case.run, find_innocent_hosts(case.run)
    every = [host.name for host in run.hosts if any(task.host == host.name for task in run.tasks)]
    hosts = {"innocent": innocent, "culprit": find_culprit_hosts(run) or every}.get(herring.where, every)
    gone = {task.host for task in run.tasks} - {task.host for task in run.tasks if task.name not in case.missing}
    return [host for host in hosts if host not in gone]


def _list_tasks(case: Case, herring: Herring) -> list[Process]:
    """Tasks that printed enough to say this in the midst of it."""
    hosts = _list_hosts(case, herring)
    tasks = [task for task in case.run.tasks if task.host in hosts and task.name not in case.missing]
    return [task for task in tasks if any(_find_gaps(case.run, task))]


def _choose_places(case: Case, herring: Herring, chance: random.Random) -> Sequence[str | Process]:
    places: Sequence[str | Process] = _list_tasks(case, herring) if herring.by == "task" else _list_hosts(case, herring)
    return places if herring.where == "all" or not places else [chance.choice(places)]


def _add_programs(case: Case, herring: Herring, host: str, chance: random.Random) -> tuple[Case, dict[str, str]]:
    """Also the names of the processes by program."""
    names, processes = {}, list(case.run.processes)
    for by in dict.fromkeys(by for by, _ in herring.lines):
        process = _make_process(by, host, _draw_pid(case.run, chance))
        names[by] = process.name
        if process.name not in {other.name for other in processes}:
            processes.append(process)
    return dataclasses.replace(case, run=case.run.replace(processes=tuple(processes))), names


def _say_on_host(
    run: Run, herring: Herring, host: str, names: Mapping[str, str], drawn: Mapping[str, str], chance: random.Random
) -> Iterator[ReceivedLine]:
    now = _draw_time(run, herring, host, chance)
    main = run.by_name[names[herring.by]]
    values = {**_draw_values(run, host, chance), **drawn}
    if main.role == "system":
        values["pid"] = str(main.pid)
    for by, text in herring.lines:
        yield ReceivedLine(now, names[by], "out", fill(text, values | _state_times(run, host, now)))
        now += int(chance.uniform(*herring.pause) * SECOND)


def _say_in_task(
    run: Run, herring: Herring, task: Process, drawn: Mapping[str, str], chance: random.Random
) -> Iterator[ReceivedLine]:
    gaps = list(_find_gaps(run, task))
    now = chance.choice(gaps[: max(1, len(gaps) // 10)] if herring.when == "start" else gaps)
    values = {**_draw_values(run, task.host, chance), **drawn, "task_pid": str(task.pid)}
    for _, text in herring.lines:
        yield ReceivedLine(now, task.name, "err", fill(text, values | _state_times(run, task.host, now)))


def _find_gaps(run: Run, task: Process) -> Iterator[int]:
    """Times at which a line of the task comes that begins something new; never at its last lines."""
    lines = run.lines_of(task.name)
    for before, after in pairwise(lines[: max(3, len(lines) * 9 // 10)]):
        begins = (
            before.is_complete and not before.text.startswith((b" ", b"\t", b"Traceback")) and after.text[:1].isalnum()
        )
        if begins and before.time_ns < after.time_ns:
            yield before.time_ns + 1


def _draw_time(run: Run, herring: Herring, host: str, chance: random.Random) -> int:
    """After the host was started, whatever `when` says."""
    start, end = find_span(run)
    booted = Identities(run).booted_ns(host)
    if herring.when == "boot":
        return booted + int(chance.uniform(2, 25) * SECOND)
    if herring.when == "after":
        return end + int(chance.uniform(*AFTER) * SECOND)
    if herring.when in BEFORE:
        before = start - int(chance.uniform(*BEFORE[herring.when]) * SECOND)
        return before if before > booted + MINUTE * SECOND else booted + int(chance.uniform(60, 900) * SECOND)
    return start + int(chance.random() * (end - start))


def fill(text: str, values: Mapping[str, str]) -> bytes:
    """Raises KeyError for a name that stands for nothing."""
    return bytes(_PLACE.sub(lambda match: values[match[1]], text).encode())


def _draw_fill(herring: Herring, chance: random.Random) -> dict[str, str]:
    values = {}
    for name, choices in herring.fill.items():
        is_range = len(choices) == 2 and all(isinstance(choice, int) for choice in choices)
        values[name] = str(chance.randint(*choices) if is_range else chance.choice(choices))
    return values


def _draw_values(run: Run, host: str, chance: random.Random) -> dict[str, str]:
    addresses = {host.name: host.address for host in run.hosts}
    neighbours = {f"10.128.3.{number}" for number in range(2, 250)} - set(addresses.values())
    return {
        "pid": str(_draw_pid(run, chance)),
        "other_pid": str(_draw_pid(run, chance)),
        "uid": str(chance.randint(1001, 1400)),
        "port": str(chance.randint(32_768, 60_999)),
        "scanner": f"{chance.choice(('203.0.113', '198.51.100', '192.0.2'))}.{chance.randint(2, 250)}",
        "neighbour": chance.choice(sorted(neighbours)),
        "host": host,
        "address": addresses[host],
        "python": run.python,
        "mac": ":".join(f"{chance.randrange(256):02x}" for _ in range(6)),
        **{f"hex{length}": f"{chance.getrandbits(4 * length):0{length}x}" for length in range(4, 13)},
    }


def _state_times(run: Run, host: str, now: int) -> dict[str, str]:
    local, utc = run.local(host, now), datetime.fromtimestamp(now // SECOND, UTC)
    fraction = now % SECOND
    return {
        "epoch": f"{now // SECOND}.{fraction // 10**6:03d}",
        "epoch6": f"{now // SECOND}.{fraction // 1000:06d}",
        "tf_time": local.strftime("%Y-%m-%d %H:%M:%S.%f"),
        "absl_time": local.strftime("%m%d %H:%M:%S.%f"),
        "log_time": local.strftime("%Y-%m-%d %H:%M:%S,") + f"{local.microsecond // 1000:03d}",
        "iso_time": utc.strftime("%Y-%m-%dT%H:%M:%S.") + f"{fraction:09d}Z",
    }


def _draw_pid(run: Run, chance: random.Random) -> int:
    """Of no process of the run."""
    taken = {process.pid for process in run.processes}
    return next(pid for pid in iter(lambda: chance.randint(700, 400_000), 0) if pid not in taken)


def _build(row: Mapping[str, Any]) -> Herring:
    lines = tuple((line["by"], line["says"]) if isinstance(line, dict) else (row["by"], line) for line in row["lines"])
    versions = {key: tuple(row.get(key, ())) for key in ("tensorflow", "python")}
    return Herring(**{**row, **versions, "lines": lines})


def _disturb(name: str, kind: str, herrings: Sequence[Herring], least: int, most: int) -> Disturbance:
    """One that draws some of the herrings."""

    def change(case: Case, chance: random.Random) -> Case:
        possible = [herring for herring in herrings if can_have(case, herring)]
        count = min(len(possible), chance.randint(least, most))
        return add_herrings(case, chance, chance.sample(possible, count))

    return Disturbance(name, kind, change, fits=lambda case: any(can_have(case, herring) for herring in herrings))


def _of(topic: str) -> list[Herring]:
    return [herring for herring in load_herrings() if herring.topic == topic]


_TOPICS = ("memory", "gpu", "services", "network", "hardware", "storage", "training")
DISTURBANCES = (
    *(_disturb(f"herrings-{topic}", "herrings", _of(topic), 1, 4) for topic in _TOPICS),
    _disturb("herrings-mixed", "herrings", load_herrings(), *COUNT),
    _disturb("herrings-many", "herrings", load_herrings(), 25, 40),
    _disturb("another-job", "neighbours", load_herrings("others.yaml"), 1, 1),
)
