"""Logs that somebody gathered by hand on a computer with Windows, and named as people name files.

Sources: Notepad saves UTF-8 with a byte order mark on request and ends lines with CR LF; Windows PowerShell 5.1
decodes what a program prints with the console's code page, ends a line at CR, LF and CR LF, and writes `>` as UTF-16:
https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_character_encoding
"""

from __future__ import annotations

import codecs
import random
import re
from collections.abc import Iterator

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._processes import by_attempt, collected_ns, front_host, is_task, is_visible, replace_runs
from accuracy.identities import Identities
from accuracy.runs import Process, Run

_PAGE = "cp437"  # of a console in the United States
_REMARKS = (" (bad one?)", " FULL", " - from ssh", " complete", "")
_COPY = " - Copy"


def _render_zip(run: Run, identities: Identities, chance: random.Random) -> Files:
    """Renamed files, one of them twice, and a note that knows nothing."""
    folder = f"logs {run.local(front_host(run), collected_ns(identities)):%d-%m}"
    files = {f"{folder}/{_name(process, chance)}.txt": _save(run, process) for process in run.tasks}
    for twice in chance.sample(sorted(files), min(1, len(files))):
        files[f"{twice.removesuffix('.txt')}{_COPY}.txt"] = files[twice]
    files[f"{folder}/README.txt"] = _note(run, identities).replace("\n", "\r\n").encode()
    return files


def _name(process: Process, chance: random.Random) -> str:
    kind, _, index = process.task.partition(":")
    again = f" try {process.attempt}" if process.attempt > 1 else ""
    return f"{kind} {index}{again}{chance.choice(_REMARKS)}"


def _save(run: Run, process: Process) -> bytes:
    lines = run.lines_of(process.name)
    text = b"\r\n".join(replace_runs(line.text) for line in lines)
    return codecs.BOM_UTF8 + text + (b"\r\n" if lines and lines[-1].is_complete else b"")


def _note(run: Run, identities: Identities) -> str:
    return (
        f"Hi,\n\nthese are the logs of {identities.job} ({len({task.task for task in run.tasks})} tasks, "
        f"TF {run.tensorflow}). I renamed the files so\nthat you see which is which. Not sure I got everything, "
        f"tell me if something is missing.\n\nThanks\n{identities.user}\n"
    )


def _read_zip(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        name = path.rpartition("/")[2]
        match = re.match(r"([a-z_]+) (\d+)(?: try (\d+))?", name)
        if match and not name.endswith(f"{_COPY}.txt"):
            texts = content.removeprefix(codecs.BOM_UTF8).split(b"\r\n")
            who = f"{match[1]}:{match[2]}/{match[3] or 1}"
            yield from ((who, text) for text in (texts if texts[-1] else texts[:-1]))


def _places(identities: Identities, process: Process) -> frozenset[str]:
    return frozenset({process.task.replace(":", " ")})


def _break(text: bytes) -> bytes:
    return re.sub(rb"\r\n?", b"\n", text.removesuffix(b"\r"))


def _render_powershell(run: Run, identities: Identities, chance: random.Random) -> Files:
    """ssh HOST cat train/worker-0.log > worker-0.txt."""
    files = {}
    for process in run.processes:
        if is_visible(run, process):
            pieces = [piece for line in run.lines_of(process.name) for piece in _break(line.text).split(b"\n")]
            text = "".join(piece.decode(_PAGE) + "\r\n" for piece in pieces)
            files[f"{process.name}.txt"] = codecs.BOM_UTF16_LE + text.encode("utf-16-le")
    return files


def _read_powershell(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        for text in content.decode("utf-16").split("\r\n")[:-1]:
            yield path.removesuffix(".txt"), text.encode(_PAGE)


COLLECTORS = (
    Collector(
        "hand-made",
        _render_zip,
        _read_zip,
        keeps=is_task,
        group=by_attempt,
        escape=replace_runs,
        names=_places,
        stamps=False,
    ),
    Collector(
        "powershell",
        _render_powershell,
        _read_powershell,
        frozenset({"lines", "launcher"}),
        keeps=is_visible,
        escape=_break,
        stamps=False,
    ),
)
