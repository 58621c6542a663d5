"""One command on all hosts at once: pdsh, clush -b and parallel-ssh.

Sources: https://github.com/chaos/pdsh (out and err in src/pdsh/dsh.c);
https://clustershell.readthedocs.io/en/latest/tools/clush.html with Display.py and Clush.py of
https://github.com/clustershell/clustershell/tree/v1.9/lib/ClusterShell/CLI;
https://github.com/ParallelSSH/pssh (psshlib/task.py). The command is a script that ends with its program's status.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._dmesg import read_dmesg, render_dmesg
from accuracy.collectors._processes import (
    Timed,
    by_host,
    fold_hosts,
    front_host,
    is_task,
    join_lines,
    lines_of_all,
    replace_runs,
    split_lines,
    tasks_by_host,
    weave,
)
from accuracy.identities import Identities
from accuracy.runs import Process, Run

_RULE = "-" * 15
_CAUGHT = "Warning: Caught keyboard interrupt!"
_STATUS = re.compile(rb"(?:pdsh@[^:]+|clush): [^:]+: (?:ssh )?exited with exit code \d+")
_INTERRUPT = re.compile(rb"Warning: Caught keyboard interrupt!|Keyboard interrupt \(.* did not complete\)\.")
_GATHERED = re.compile(rb"^-{15}\n([^\n]+)\n-{15}\n", re.MULTILINE)


def _last(tasks: list[Process]) -> Process:
    """Whose end is that of the host's command: the last to end, or one that still runs."""
    return next((task for task in tasks if task.ended_ns is None), max(tasks, key=lambda task: task.ended_ns or 0))


def _states_end(run: Run, process: Process) -> bool:
    return process.role == "task" and _last(tasks_by_host(run)[process.host]) == process


def _ends(run: Run) -> list[tuple[int, str, Process]]:
    """(time, host, process) of the commands that have ended."""
    lasts = [(host, _last(tasks)) for host, tasks in tasks_by_host(run).items()]
    return sorted((last.ended_ns, host, last) for host, last in lasts if last.ended_ns is not None)


def _render_pdsh(run: Run, identities: Identities, chance: random.Random) -> Files:
    """pdsh -w HOSTS ./run.sh > pdsh.log 2>&1, and afterwards pdsh -w HOSTS dmesg -T > dmesg.log."""
    lines = [
        (line.time_ns, b"%s: %s\n" % (run.by_name[line.process].host.encode(), line.text))
        for line in lines_of_all(run, run.tasks)
    ]
    failed = [(end, host, last.shell_status) for end, host, last in _ends(run) if last.shell_status]
    words = [
        (end, f"pdsh@{front_host(run)}: {host}: ssh exited with exit code {status}\n".encode())
        for end, host, status in failed
    ]
    logs = {host.name: render_dmesg(run, identities, host.name, "dmesg -T") for host in run.hosts}
    kernel = [f"{host}: ".encode() + line + b"\n" for host, log in logs.items() for line in log.split(b"\n")[:-1]]
    files = {"pdsh.log": weave(lines, words)}
    return {**files, "dmesg.log": b"".join(kernel)} if kernel else files


def _read_pdsh(files: Files) -> Iterator[GroupLine]:
    for line in files["pdsh.log"].split(b"\n")[:-1]:
        host, _, text = line.partition(b": ")
        if not _STATUS.fullmatch(line):
            yield host.decode(), text
    for line in files.get("dmesg.log", b"").split(b"\n")[:-1]:
        name, _, entry = line.partition(b": ")
        yield from ((f"kernel@{name.decode()}", message) for message in read_dmesg(entry + b"\n"))


def _group_pdsh(run: Run, process: Process) -> str:
    return f"kernel@{process.host}" if process.role == "kernel" else process.host


def _render_clush(run: Run, identities: Identities, chance: random.Random) -> Files:
    """clush -b -w HOSTS ./run.sh > clush.log 2>&1: errors as they come, output gathered at the end.

    Where a task still runs, somebody pressed Control-C in the end.
    """
    errors: list[Timed] = []
    output: dict[str, list[bytes]] = {}
    for line in lines_of_all(run, run.tasks):
        host, text = run.by_name[line.process].host, replace_runs(line.text)
        if line.stream == "err":
            errors.append((line.time_ns, f"{host}: ".encode() + text + b"\n"))
        else:
            output.setdefault(host, []).append(text + b"\n")
    same: dict[bytes, list[str]] = {}
    for host, texts in output.items():
        same.setdefault(b"".join(texts), []).append(host)
    blocks = [_header(hosts) + content for content, hosts in same.items()]
    missing = fold_hosts(task.host for task in run.tasks if task.ended_ns is None)
    caught = f"{_CAUGHT}\n".encode() if missing and blocks else b""
    stopped = f"Keyboard interrupt ({missing} did not complete).\n".encode() if missing else b""
    return {"clush.log": weave(errors, ()) + caught + b"".join(blocks) + _statuses(run) + stopped}


def _header(hosts: list[str]) -> bytes:
    count = f" ({len(hosts)})" if len(hosts) > 1 else ""
    return f"{_RULE}\n{fold_hosts(hosts)}{count}\n{_RULE}\n".encode()


def _statuses(run: Run) -> bytes:
    hosts: dict[int, list[str]] = {}
    for _, host, last in _ends(run):
        if last.shell_status:
            hosts.setdefault(last.shell_status, []).append(host)
    rows = []
    for status, some in hosts.items():
        count = f" ({len(some)})" if len(some) > 1 else ""
        rows.append(f"clush: {fold_hosts(some)}{count}: exited with exit code {status}\n")
    return "".join(rows).encode()


def _read_clush(files: Files) -> Iterator[GroupLine]:
    live, *blocks = _GATHERED.split(files["clush.log"])
    for line in _without_clush(live):
        host, _, text = line.partition(b": ")
        yield host.decode(), text
    for header, content in zip(blocks[::2], blocks[1::2], strict=True):
        for name in _unfold(re.sub(r" \(\d+\)$", "", header.decode())):
            yield from ((name, text) for text in _without_clush(content))


def _without_clush(content: bytes) -> list[bytes]:
    lines = content.split(b"\n")[:-1]
    return [line for line in lines if not _STATUS.fullmatch(line) and not _INTERRUPT.fullmatch(line)]


def _unfold(folded: str) -> Iterator[str]:
    for part in re.findall(r"[^,\[]+(?:\[[^]]*\])?", folded):
        prefix, _, numbers = part.rstrip("]").partition("[")
        for span in numbers.split(",") if numbers else [""]:
            first, _, last = span.partition("-")
            yield from (
                (f"{prefix}{number:0{len(first)}d}" for number in range(int(first), int(last or first) + 1))
                if first
                else (prefix,)
            )


def _render_pssh(run: Run, identities: Identities, chance: random.Random) -> Files:
    """parallel-ssh -h hosts -o out -e err ./run.sh | tee pssh.log."""
    files: dict[str, bytes] = {}
    for host, tasks in tasks_by_host(run).items():
        lines = lines_of_all(run, tasks)
        files[f"out/{host}"] = join_lines([line for line in lines if line.stream == "out"])
        files[f"err/{host}"] = join_lines([line for line in lines if line.stream == "err"])
    rows = []
    for number, (end, host, last) in enumerate(_ends(run), 1):
        when = f"{run.local(front_host(run), end):%H:%M:%S}"
        status = last.shell_status
        result = f"[FAILURE] {host} Exited with error code {status}" if status else f"[SUCCESS] {host}"
        rows.append(f"[{number}] {when} {result}\n")
    return {**files, "pssh.log": "".join(rows).encode()}


def _read_pssh(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        if path.startswith(("out/", "err/")):
            yield from ((path[4:], text) for text in split_lines(content))


COLLECTORS = (
    Collector(
        "pdsh",
        _render_pdsh,
        _read_pdsh,
        frozenset({"lines", "exit", "kernel"}),
        keeps=lambda run, process: process.role in ("task", "kernel"),
        group=_group_pdsh,
        ends=_states_end,
        stamps=False,
    ),
    Collector(
        "clush-gathered",
        _render_clush,
        _read_clush,
        frozenset({"lines", "exit"}),
        keeps=is_task,
        group=by_host,
        escape=replace_runs,
        ends=_states_end,
        stamps=False,
        ordered=False,
    ),
    Collector(
        "parallel-ssh",
        _render_pssh,
        _read_pssh,
        frozenset({"lines", "exit"}),
        keeps=is_task,
        group=by_host,
        ends=_states_end,
        stamps=False,
        ordered=False,
    ),
)
