"""What people save of their terminals: script(1), tmux pipe-pane, ts(1), and tee(1) behind a launcher that tags lines.

Sources: https://man7.org/linux/man-pages/man1/script.1.html; pipe-pane in
https://man7.org/linux/man-pages/man1/tmux.1.html, which hands over what the pane's program writes, before any wrapping;
ts in https://joeyh.name/code/moreutils/. A terminal ends lines with CR LF.
"""

from __future__ import annotations

import random
import re
import signal
from collections.abc import Iterator

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._processes import (
    SECOND,
    Timed,
    all_together,
    attempts,
    began_ns,
    by_task,
    clock,
    command_of,
    dashed,
    ended_ns,
    front_host,
    is_task,
    is_visible,
    job_status,
    lines_of_all,
    signal_words,
    visible_lines,
    weave,
)
from accuracy.collectors._terminal import PASTE_OFF, PASTE_ON, prompt, script_ends, script_starts, typed
from accuracy.identities import Identities
from accuracy.runs import Process, Run

_LAUNCH = "python3 launch.py --config configs/train.yaml"
_DEATHS = frozenset(signal_words(number).encode() for number in signal.valid_signals())
_TS = re.compile(rb"[A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d (.*)", re.DOTALL)
_TAGGED = re.compile(rb"\[([a-z_]+:\d+)\] (.*)", re.DOTALL)


def _render_script(run: Run, identities: Identities, chance: random.Random) -> Files:
    """A shell under script(1), in which somebody starts the launcher and leaves with Control-D when it is over."""
    host, end = front_host(run), ended_ns(run)
    asked = prompt(identities, host)
    output = b"".join(line.text + b"\r\n" for line in visible_lines(run))
    head = script_starts(run, host, began_ns(run) - 11 * SECOND) + f"{asked}{typed(_LAUNCH)}".encode()
    if end is None:
        return {"typescript": head + output}
    tail = f"{asked}{PASTE_OFF}\r\nexit\r\n".encode()
    return {"typescript": head + output + tail + script_ends(run, host, end + 9 * SECOND, job_status(run))}


def _read_script(files: Files) -> Iterator[GroupLine]:
    for _, text in _read_screen(files["typescript"]):
        yield "all", text


def _read_screen(content: bytes) -> Iterator[GroupLine]:
    """Lines between what somebody typed and the next prompt."""
    inside = False
    for line in content.split(b"\n")[:-1]:
        if line.startswith(PASTE_ON.encode()):
            inside = PASTE_OFF.encode() not in line
        elif inside:
            yield "", line.removeprefix(PASTE_OFF.encode()).removesuffix(b"\r")


def _render_panes(run: Run, identities: Identities, chance: random.Random) -> Files:
    """A pane for each task, piped into a file; an interactive bash names the signal that ended a command."""
    files: dict[str, bytes] = {}
    for task, tries in attempts(run).items():
        number = identities.rank(tries[0])
        words: list[Timed] = []
        for attempt in tries:
            words.append((attempt.started_ns - 1, typed(command_of(attempt)).encode()))
            if attempt.ended_ns is not None:
                words.append((attempt.ended_ns, _death(attempt) + prompt(identities, attempt.host).encode()))
        first = prompt(identities, tries[0].host).encode()
        lines = [(line.time_ns, line.text + b"\r\n") for line in lines_of_all(run, tries)]
        files[f"tmux-train-0.{number}-{dashed(task)}.log"] = first + weave(lines, words)
    return files


def _death(process: Process) -> bytes:
    if process.signal is None or process.signal in (signal.SIGINT, signal.SIGPIPE):
        return b""
    return f"{signal_words(process.signal)}{' (core dumped)' if process.core else ''}\r\n".encode()


def _read_panes(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        kind, _, index = path.removesuffix(".log").split(".", 1)[1].partition("-")[2].rpartition("-")
        texts = [text for _, text in _read_screen(content)]
        yield from ((f"{kind}:{index}", text) for text in texts if text.partition(b" (core")[0] not in _DEATHS)


def _states_signal(run: Run, process: Process) -> bool:
    return bool(_death(process))


def _render_ts(run: Run, identities: Identities, chance: random.Random) -> Files:
    """python3 launch.py 2>&1 | ts > train.log."""
    stamp = clock(run, front_host(run), "%b %d %H:%M:%S")
    output = (f"{stamp(line.time_ns)} ".encode() + line.text + b"\n" for line in visible_lines(run))
    return {"train.log": b"".join(output)}


def _read_ts(files: Files) -> Iterator[GroupLine]:
    for line in files["train.log"].split(b"\n"):
        if match := _TS.fullmatch(line):
            yield "all", match[1]


def _render_tee(run: Run, identities: Identities, chance: random.Random) -> Files:
    """python3 launch.py 2>&1 | tee launch.log: the launcher writes the task before each line of a task."""
    output = []
    for line in visible_lines(run):
        task = run.by_name[line.process].task
        output.append((f"[{task}] ".encode() if task else b"") + line.text + b"\n")
    return {"launch.log": b"".join(output)}


def _read_tee(files: Files) -> Iterator[GroupLine]:
    for line in files["launch.log"].split(b"\n")[:-1]:
        match = _TAGGED.fullmatch(line)
        yield (match[1].decode(), match[2]) if match else ("launcher", line)


COLLECTORS = (
    Collector(
        "script-typescript",
        _render_script,
        _read_script,
        frozenset({"lines", "launcher"}),
        keeps=is_visible,
        group=all_together,
        stamps=False,
    ),
    Collector(
        "tmux-pipe-pane",
        _render_panes,
        _read_panes,
        frozenset({"lines", "exit"}),
        keeps=is_task,
        group=by_task,
        ends=_states_signal,
        stamps=False,
    ),
    Collector("ts", _render_ts, _read_ts, frozenset({"lines", "launcher"}), keeps=is_visible, group=all_together),
    Collector(
        "tee-tagged",
        _render_tee,
        _read_tee,
        frozenset({"lines", "launcher"}),
        keeps=is_visible,
        group=by_task,
        stamps=False,
    ),
)
