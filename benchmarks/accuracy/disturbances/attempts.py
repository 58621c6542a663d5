"""An earlier attempt of the same job in the same bundle.

It is made from the run itself: its beginning, before anything went wrong, some minutes earlier. Somebody then
interrupted it (SIGTERM to all tasks, as on preemption), and the job was started again. An interrupted attempt is no
failure of its own: what is true of the run stays true. Kernel and other programs say nothing of it.
"""

from __future__ import annotations

import dataclasses
import random
import signal

import regex

from accuracy.disturbances import Case, Disturbance
from accuracy.disturbances._runs import find_span, merge_lines
from accuracy.disturbances._stamps import SECOND, restamp
from accuracy.runs import Process, ReceivedLine, Run

FEWEST_LINES = 4
PAUSE_S = (15, 1800)


def add_earlier_attempt(case: Case, chance: random.Random) -> Case:
    """Also renames the attempts that were there: what was `worker-1` is `worker-1.2` then, wherever it is named."""
    run = case.run
    start, sign = find_span(run)[0], _find_first_sign(run)
    cut = int(start + chance.uniform(0.7, 0.95) * (sign - start))
    back = cut - start + chance.randint(*PAUSE_S) * SECOND
    first = [task for task in run.tasks if task.attempt == 1]
    free = sorted(set(range(300, 32_768)) - {process.pid for process in run.processes})
    pids = dict(zip([task.name for task in first], sorted(chance.sample(free, len(first))), strict=True))
    earlier = tuple(
        dataclasses.replace(
            task, pid=pids[task.name], started_ns=task.started_ns - back, ended_ns=cut - back, status=None,
            signal=int(signal.SIGTERM), core=False,
        )
        for task in first
        if task.started_ns < cut
    )  # fmt: skip
    again = {task.name: _name_again(task) for task in run.tasks}
    launchers = {process.name for process in run.processes if process.role == "launcher"}
    copies = [
        _copy(line, back, run.by_name[line.process].pid, pids.get(line.process, 0))
        for line in run.lines
        if line.time_ns < cut and (line.process in launchers or line.process in {task.name for task in earlier})
    ]
    later = tuple(line._replace(process=again.get(line.process, line.process)) for line in run.lines)
    changed = run.replace(
        processes=(*earlier, *(_move_on(process, again, back) for process in run.processes)),
        lines=merge_lines(later, copies),
        cores={again.get(name, name): core for name, core in run.cores.items()},
        truth=dataclasses.replace(
            run.truth,
            ended_first=again.get(run.truth.ended_first, run.truth.ended_first),
            proofs=tuple(
                dataclasses.replace(proof, process=again.get(proof.process, proof.process))
                for proof in run.truth.proofs
            ),
        ),
    )
    missing = case.missing & {task.name for task in earlier} | {again.get(name, name) for name in case.missing}
    return dataclasses.replace(case, run=changed, missing=frozenset(missing))


def _copy(line: ReceivedLine, back: int, old_pid: int, new_pid: int) -> ReceivedLine:
    """glog's header has the pid between time and file."""
    text = restamp(line.text, -back, line.time_ns)
    if new_pid:
        text = regex.sub(rb"(?<=^[IWEF]\d{4} \S+ +)%d(?= )" % old_pid, b"%d" % new_pid, text)
    return line._replace(time_ns=line.time_ns - back, text=text)


def _move_on(process: Process, again: dict[str, str], back: int) -> Process:
    """A task becomes its next attempt; the launcher was there for both."""
    if process.role == "task":
        return dataclasses.replace(process, name=again[process.name], attempt=process.attempt + 1)
    if process.role == "launcher" and process.started_ns:
        return dataclasses.replace(process, started_ns=process.started_ns - back)
    return process


def _name_again(task: Process) -> str:
    return f"{task.name.removesuffix(f'.{task.attempt}')}.{task.attempt + 1}"


def _find_first_sign(run: Run) -> int:
    """Before this nothing shows that anything went wrong: no proof, no traceback, no end of a task."""
    says = {(proof.process, proof.says.encode()) for proof in run.truth.proofs if proof.says}
    witnesses = {process for process, _ in says}
    moments = [task.ended_ns for task in run.tasks if task.ended_ns is not None]
    for line in run.lines:
        proves = line.process in witnesses and any(name == line.process and text in line.text for name, text in says)
        if proves or b"Traceback (most recent call last)" in line.text:
            moments.append(line.time_ns)
            break
    return min(moments, default=find_span(run)[1])


def _has_a_beginning(case: Case) -> bool:
    """Some lines of tasks come before anything went wrong, and the bundle would not state the earlier end alone."""
    run = case.run
    last = {task.task: task for task in run.tasks}.values()
    if "exit" in case.collector.carries and not all(case.collector.ends(run, task) for task in last):
        return False
    start, sign = find_span(run)[0], _find_first_sign(run)
    tasks = {task.name for task in run.tasks if task.attempt == 1}
    cut = start + (sign - start) * 0.7
    return sum(line.time_ns < cut and line.process in tasks for line in run.lines) >= FEWEST_LINES


DISTURBANCES = (Disturbance("two-attempts", "attempts", add_earlier_attempt, fits=_has_a_beginning),)
