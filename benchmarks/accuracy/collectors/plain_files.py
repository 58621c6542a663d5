"""Logs as people keep them whose launcher writes files: no platform, no format but that of the processes themselves."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._dmesg import LAYOUTS, kernel_lines, read_dmesg, render_dmesg
from accuracy.collectors._processes import (
    all_together,
    environment_of,
    is_task,
    is_visible,
    join_lines,
    split_lines,
    tasks_by_host,
    visible_lines,
)
from accuracy.identities import Identities
from accuracy.runs import Process, Run


def _render_nodes(run: Run, identities: Identities, chance: random.Random) -> Files:
    """A folder of each host: log, exit code, TF_CONFIG and environment of its tasks, cores, and the kernel's log."""
    files: dict[str, bytes] = {}
    command = chance.choice(list(LAYOUTS))
    for host, tasks in tasks_by_host(run).items():
        for process in tasks:
            folder = f"nodes/{host}" if len(tasks) == 1 else f"nodes/{host}/{process.name}"
            files |= {f"{folder}/{name}": content for name, content in _facts(run, process).items()}
            files[f"{folder}/{process.name}.log"] = join_lines(run.lines_of(process.name))
    for host in [machine.name for machine in run.hosts]:
        if kernel_lines(run, host):
            files[f"nodes/{host}/dmesg.txt"] = render_dmesg(run, identities, host, command)
    return files


def _facts(run: Run, process: Process) -> Files:
    files: dict[str, bytes] = {}
    variables = environment_of(run, process)
    if process.ended_ns is not None:
        files["exit_code"] = b"%d\n" % (process.shell_status or 0)
    if "TF_CONFIG" in variables:
        files["tf_config.json"] = _tidy(variables["TF_CONFIG"]).encode()
    if variables:
        files["env.txt"] = "".join(f"{key}={value}\n" for key, value in sorted(variables.items())).encode()
    if process.name in run.cores:
        files[f"core.{process.pid}"] = run.cores[process.name]
    return files


def _tidy(config: str) -> str:
    """As a launcher writes it into a file; what is no JSON stays as it is."""
    try:
        return json.dumps(json.loads(config), indent=2) + "\n"
    except ValueError:
        return config + "\n"


def _read_nodes(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        folder, _, name = path.rpartition("/")
        if name == "dmesg.txt":
            yield from ((f"kernel@{folder.split('/')[1]}", text) for text in read_dmesg(content))
        elif name.endswith(".log"):
            yield from ((name.removesuffix(".log"), text) for text in split_lines(content))


def _group_nodes(run: Run, process: Process) -> str:
    return f"kernel@{process.host}" if process.role == "kernel" else process.name


def _render_streams(run: Run, identities: Identities, chance: random.Random) -> Files:
    """A folder of each task: its two streams apart, and the code its wrapper noted."""
    files: dict[str, bytes] = {}
    for process in run.tasks:
        folder = f"{identities.job}/{process.name}"
        files[f"{folder}/{process.name}.out"] = join_lines(run.lines_of(process.name, "out"))
        files[f"{folder}/{process.name}.err"] = join_lines(run.lines_of(process.name, "err"))
        if process.ended_ns is not None:
            files[f"{folder}/rc"] = b"%d\n" % (process.shell_status or 0)
    return files


def _read_streams(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        stem, _, kind = path.rpartition("/")[2].rpartition(".")
        if kind in ("out", "err"):
            yield from ((stem, text) for text in split_lines(content))


def _render_flat(run: Run, identities: Identities, chance: random.Random) -> Files:
    """A file of each process in one folder, the launcher's among them."""
    return {
        f"{process.name}.log": join_lines(run.lines_of(process.name))
        for process in run.processes
        if is_visible(run, process)
    }


def _read_flat(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        yield from ((path.removesuffix(".log"), text) for text in split_lines(content))


def _render_merged(run: Run, identities: Identities, chance: random.Random) -> Files:
    """What a launcher printed that reads its tasks' pipes by lines: all of them, and nothing that tells them apart."""
    return {"output.log": b"".join(line.text + b"\n" for line in visible_lines(run))}


def _read_merged(files: Files) -> Iterator[GroupLine]:
    yield from (("all", text) for text in files["output.log"].split(b"\n")[:-1])


COLLECTORS = (
    Collector(
        "plain-node-folders",
        _render_nodes,
        _read_nodes,
        frozenset({"lines", "exit", "kernel", "environment", "core"}),
        keeps=lambda run, process: process.role in ("task", "kernel"),
        group=_group_nodes,
        stamps=False,
    ),
    Collector(
        "plain-task-folders",
        _render_streams,
        _read_streams,
        frozenset({"lines", "exit"}),
        keeps=is_task,
        stamps=False,
        ordered=False,
    ),
    Collector(
        "plain-flat-files", _render_flat, _read_flat, frozenset({"lines", "launcher"}), keeps=is_visible, stamps=False
    ),
    Collector(
        "plain-merged",
        _render_merged,
        _read_merged,
        frozenset({"lines", "launcher"}),
        keeps=is_visible,
        group=all_together,
        stamps=False,
    ),
)
