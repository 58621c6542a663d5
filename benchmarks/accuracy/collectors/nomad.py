"""Nomad: the allocations' directories from the clients, with `nomad alloc status` of each.

Directories: https://developer.hashicorp.com/nomad/docs/concepts/filesystem: ALLOC/alloc/logs/TASK.stdout.0 and
TASK.stderr.0, and the task's working directory ALLOC/TASK, where the kernel leaves a core.
`nomad alloc status`: https://developer.hashicorp.com/nomad/commands/alloc/status; the words of its events:
https://github.com/hashicorp/nomad/blob/main/nomad/structs/structs.go (`PopulateEventDisplayMessage`). A task that Nomad
restarts stays in its allocation and appends to the same files.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._containers import Container, containers, is_task, join_lines, split_lines, was_oom_killed
from accuracy.collectors._stamps import BILLION, collected_ns, local_go_fixed
from accuracy.identities import Identities
from accuracy.runs import Process, Run, Stream

TASK = "tensorflow"
_LOG = re.compile(r"alloc/([^/]+)/alloc/logs/[^/]+\.(stdout|stderr)\.0$")


def alloc_id(identities: Identities, process: Process) -> str:
    digits = identities.digest("alloc", process.host, process.task, length=32)
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def render(run: Run, identities: Identities, chance: random.Random) -> Files:
    files: dict[str, bytes] = {}
    for container in containers(run):
        number = alloc_id(identities, container.last)
        node = identities.machine(container.last)
        root = f"{node}/opt/nomad/data/alloc/{number}"
        streams: tuple[Stream, ...] = ("out", "err")
        for stream in streams:
            lines = [line for process in container.attempts for line in run.lines_of(process.name, stream)]
            files[f"{root}/alloc/logs/{TASK}.std{stream}.0"] = join_lines(lines)
        for process in container.attempts:
            if process.name in run.cores:
                files[f"{root}/{TASK}/core.{process.pid}"] = run.cores[process.name]
        files[f"alloc-status/{number[:8]}.txt"] = _status(run, identities, container)
    return files


def _group(run: Run, process: Process) -> str:
    return alloc_id(Identities(run), process)


def read_back(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        if match := _LOG.search(path):
            yield from ((match[1], text) for text in split_lines(content))


def _ago(time_ns: int, late_ns: int) -> str:
    """As Nomad abbreviates the time since then, to two units."""
    seconds = (late_ns - time_ns) // BILLION
    hours, minutes, seconds = seconds // 3600, seconds // 60 % 60, seconds % 60
    if hours:
        return f"{hours}h{minutes}m ago" if minutes else f"{hours}h ago"
    return f"{minutes}m{seconds}s ago" if minutes else f"{seconds}s ago"


def _columns(rows: list[tuple[str, str]]) -> list[str]:
    width = max(len(name) for name, _ in rows)
    return [f"{name:<{width}} = {value}" for name, value in rows]


def _status(run: Run, identities: Identities, container: Container) -> bytes:
    """nomad alloc status ALLOC"""
    process = container.last
    number, (kind, _, index) = alloc_id(identities, process), process.task.partition(":")
    running = process.ended_ns is None
    failed = not running and bool(process.shell_status)
    status = "running" if running else "failed" if failed else "complete"
    described = {"running": "Tasks are running", "failed": "Failed tasks", "complete": "All tasks have completed"}
    created = container.attempts[0].started_ns - 2 * BILLION
    now = collected_ns(run)
    restarts = len(container.attempts) - 1
    head = [
        ("ID", number),
        ("Eval ID", identities.digest("eval", length=8)),
        ("Name", f"{identities.job}.{kind}[{index}]"),
        ("Node ID", identities.digest("nomad node", process.host, length=8)),
        ("Node Name", identities.machine(process)),
        ("Job ID", identities.job),
        ("Job Version", "0"),
        ("Client Status", status),
        ("Client Description", described[status]),
        ("Desired Status", "run"),
        ("Desired Description", "<none>"),
        ("Created", _ago(created, now)),
        ("Modified", _ago(process.ended_ns or process.started_ns, now)),
    ]
    host = container.host
    last_restart = _iso_second(run, host, process.started_ns) if restarts else "N/A"
    times = [
        ("Started At    ", _iso_second(run, host, process.started_ns)),
        ("Finished At   ", "N/A" if process.ended_ns is None else _iso_second(run, host, process.ended_ns)),
        ("Total Restarts", str(restarts)),
        ("Last Restart  ", last_restart),
    ]
    lines = [
        *_columns(head),
        "",
        f'Task "{TASK}" is "{"running" if running else "dead"}"',
        "Task Resources:",
        "CPU         Memory      Disk     Addresses",
        "0/4000 MHz  0 B/32 GiB  300 MiB  ",
        "",
        "Task Events:",
        *(f"{name} = {value}" for name, value in times),
        "",
        "Recent Events:",
        *_events(run, container, created),
    ]
    return ("\n".join(lines) + "\n").encode()


def _iso_second(run: Run, host: str, time_ns: int) -> str:
    """Nomad's client prints times in UTC where the host is in UTC, and with the offset elsewhere."""
    stamp = local_go_fixed(run, host, time_ns)
    return stamp[:19] + stamp[29:]


def _events(run: Run, container: Container, created: int) -> list[str]:
    """Newest first."""
    events = [
        (created, "Received", "Task received by client"),
        (created + BILLION // 2, "Task Setup", "Building Task Directory"),
    ]
    for process in container.attempts:
        events.append((process.started_ns, "Started", "Task started by client"))
        if process.ended_ns is None:
            continue
        events.append((process.ended_ns, "Terminated", _terminated(run, process)))
        if process is not container.last:
            events.append((process.ended_ns + 1, "Restarting", "Task restarting in 15s"))
        elif process.shell_status:
            events.append((process.ended_ns + 1, "Not Restarting", "Policy allows no restarts"))
    rows = [("Time", "Type", "Description")]
    rows += [(_iso_second(run, container.host, at), kind, text) for at, kind, text in reversed(events)]
    first, second = (max(len(row[at]) for row in rows) for at in (0, 1))
    return [f"{time:<{first}}  {kind:<{second}}  {text}" for time, kind, text in rows]


def _terminated(run: Run, process: Process) -> str:
    words = [f"Exit Code: {process.shell_status or 0}"]
    if process.signal is not None:
        words.append(f"Signal: {process.signal}")
    if was_oom_killed(run, process):
        words.append('Exit Message: "OOM Killed"')
    return ", ".join(words)


def name_places(identities: Identities, process: Process) -> frozenset[str]:
    number = alloc_id(identities, process)
    return frozenset((number, number[:8], identities.machine(process)))


COLLECTORS = (
    Collector(
        "nomad",
        render,
        read_back,
        carries=frozenset({"lines", "exit", "core"}),
        keeps=is_task,
        ends=is_task,
        group=_group,
        names=name_places,
        stamps=False,
        ordered=False,  # what came from standard output and from standard error is in two files
    ),
)
