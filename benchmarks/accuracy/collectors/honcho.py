"""Honcho (or Foreman) on one host: the output of `honcho start` in a file, and in colours as script(1) recorded it.

Sources: Printer and _colour_string in honcho/printer.py, manager.py and colour.py of
https://github.com/nickstenning/honcho/tree/v1.1.0; https://man7.org/linux/man-pages/man1/script.1.html.
Honcho decodes lines as UTF-8 and breaks them where str.splitlines does.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._processes import (
    Timed,
    attempts,
    began_ns,
    by_task,
    clock,
    ended_ns,
    ended_tasks,
    front_host,
    is_task,
    job_status,
    lines_of_all,
    weave,
)
from accuracy.collectors._terminal import script_ends, script_starts
from accuracy.identities import Identities
from accuracy.runs import Process, Run

_COLOURS = ("36", "33", "32", "35", "31", "34")
_ANSI = re.compile(r"\x1b\[0m\x1b\[\d+m(.*? \| )\x1b\[0m")
_LINE = re.compile(r"\d\d:\d\d:\d\d (\S+) *\| (.*)", re.DOTALL)


def _pieces(text: bytes) -> list[str]:
    return (text.decode("utf-8", "replace") + "\n").splitlines()


def _escape(text: bytes) -> bytes:
    return "\n".join(_pieces(text)).encode()


def _name(process: Process) -> str:
    """Honcho counts the processes of a kind from 1."""
    kind, _, index = process.task.partition(":")
    return f"{kind}.{int(index) + 1}"


def _names(identities: Identities, process: Process) -> frozenset[str]:
    return frozenset({_name(process)})


def _write(run: Run, identities: Identities, coloured: bool) -> bytes:
    """All that honcho prints; its own words have no colour."""
    width = max(len(name) for name in ("system", *map(_name, run.tasks)))
    colours = {task: _COLOURS[identities.rank(tries[0]) % len(_COLOURS)] for task, tries in attempts(run).items()}
    stamp = clock(run, front_host(run), "%H:%M:%S")

    def write(time_ns: int, name: str, colour: str, text: str) -> Timed:
        prefix = f"{stamp(time_ns)} {name:<{width}} | "
        shown = f"\x1b[0m\x1b[{colour}m{prefix}\x1b[0m" if coloured and colour else prefix
        return time_ns, f"{shown}{text}\n".encode()

    words = [write(task.started_ns - 1, "system", "", f"{_name(task)} started (pid={task.pid})") for task in run.tasks]
    for task in ended_tasks(run):
        code = -task.signal if task.signal else task.status or 0
        words.append(write(task.ended_ns or 0, "system", "", f"{_name(task)} stopped (rc={code})"))
    output = []
    for line in lines_of_all(run, run.tasks):
        task = run.by_name[line.process]
        output += [write(line.time_ns, _name(task), colours[task.task], piece) for piece in _pieces(line.text)]
    return weave(output, words)


def _render_file(run: Run, identities: Identities, chance: random.Random) -> Files:
    return {"honcho.log": _write(run, identities, False)}


def _render_terminal(run: Run, identities: Identities, chance: random.Random) -> Files:
    """script -c 'honcho start' honcho.log: a terminal ends lines with CR LF."""
    host, end = front_host(run), ended_ns(run)
    body = _write(run, identities, True).replace(b"\n", b"\r\n")
    tail = script_ends(run, host, end, job_status(run)) if end else b""
    return {"honcho.log": script_starts(run, host, began_ns(run), "honcho start") + body + tail}


def _read_lines(text: str) -> Iterator[GroupLine]:
    for line in text.split("\n"):
        if (match := _LINE.fullmatch(line)) and match[1] != "system":
            kind, _, number = match[1].rpartition(".")
            yield f"{kind}:{int(number) - 1}", match[2].encode()


def _read_file(files: Files) -> Iterator[GroupLine]:
    yield from _read_lines(files["honcho.log"].decode())


def _read_terminal(files: Files) -> Iterator[GroupLine]:
    text = files["honcho.log"].decode().replace("\r\n", "\n")
    yield from _read_lines("\n".join(_ANSI.sub(r"\1", line) for line in text.split("\n")))


def _collector(name: str, render: Callable[..., Files], read: Callable[[Files], Iterator[GroupLine]]) -> Collector:
    return Collector(
        name,
        render,
        read,
        frozenset({"lines", "exit"}),
        keeps=is_task,
        group=by_task,
        escape=_escape,
        names=_names,
    )


COLLECTORS = (
    _collector("honcho", _render_file, _read_file),
    _collector("honcho-colours", _render_terminal, _read_terminal),
)
