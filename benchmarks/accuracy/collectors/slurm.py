"""A Slurm job: the files of srun's tasks, and what srun, slurmstepd and sacct say of them.

Sources: filename patterns and --label in https://slurm.schedmd.com/srun.html; srun's words in _task_finish and
slurmstepd's in _oom_event_monitor and _signal_jobstep of https://github.com/SchedMD/slurm;
columns in https://slurm.schedmd.com/sacct.html.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._processes import (
    Timed,
    all_together,
    by_rank,
    command_of,
    ended_tasks,
    fold_hosts,
    front_host,
    has_failed,
    is_task,
    join_lines,
    launcher_of,
    lines_of_all,
    ranks,
    signal_words,
    split_lines,
    was_oom_killed,
    weave,
)
from accuracy.identities import Identities
from accuracy.runs import Carried, Process, Run

_OURS = re.compile(rb"(?:srun|slurmstepd): error: |srun: Job step aborted: ")
_OOM = "Some of the step tasks have been OOM Killed."
_LIMIT = rb"time limit|wall ?clock|wall ?time|longer than its limit|deadline.exceeded|timeout: sending signal"
_REASONS = {"TIME LIMIT": re.compile(_LIMIT, re.IGNORECASE), "PREEMPTION": re.compile(rb"preempt", re.IGNORECASE)}
_STATES = {"TIME LIMIT": "TIMEOUT", "PREEMPTION": "PREEMPTED"}
_WAITS = "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.\n"


def _words(run: Run, identities: Identities) -> list[Timed]:
    """What srun and slurmstepd write to the standard error of the job script."""
    step = f"StepId={identities.job_number}.0"
    words: list[Timed] = []
    for time_ns, reason in _cancelled(run):
        when = f"{run.local(front_host(run), time_ns):%Y-%m-%dT%H:%M:%S}"
        step = f"STEP {identities.job_number}.0 ON {_hosts(run)[0]}"
        words.append(
            (time_ns, f"{_WAITS}slurmstepd: error: *** {step} CANCELLED AT {when} DUE TO {reason} ***\n".encode())
        )
    for process in ended_tasks(run):
        end = process.ended_ns or 0
        if was_oom_killed(run, process):
            words.append((end, f"slurmstepd: error: Detected 1 oom_kill event in {step}. {_OOM}\n".encode()))
        if has_failed(process):
            how = _how(run, process)
            words.append((end, f"srun: error: {process.host}: task {identities.rank(process)}: {how}\n".encode()))
    return words


def _cancelled(run: Run) -> list[tuple[int, str]]:
    """When and why the run's launcher ended the job, if it said that time was up or that another job came first."""
    launcher = launcher_of(run)
    lines = run.lines_of(launcher.name) if launcher else []
    cancellations = [
        (line.time_ns, reason) for line in lines for reason, pattern in _REASONS.items() if pattern.search(line.text)
    ]
    return cancellations[:1]


def _hosts(run: Run) -> list[str]:
    return sorted({task.host for task in run.tasks}) or [front_host(run)]


def _how(run: Run, process: Process) -> str:
    if process.signal is None:
        return f"Exited with exit code {process.status}"
    if was_oom_killed(run, process):
        return "Out Of Memory"
    return signal_words(process.signal) + (" (core dumped)" if process.core else "")


def _accounting(run: Run, identities: Identities) -> bytes:
    """`sacct -j JOB --format=JobID,JobName,NodeList,State,ExitCode,Start,End`."""
    widths = (12, 10, 15, 10, 8, 19, 19)
    titles = ("JobID", "JobName", "NodeList", "State", "ExitCode", "Start", "End")
    rows = [titles, tuple("-" * width for width in widths), *_account(run, identities)]
    return "".join(_row(cells, widths) for cells in rows).encode()


def _row(cells: tuple[str, ...], widths: tuple[int, ...]) -> str:
    cut = [cell if len(cell) <= width else cell[: width - 1] + "+" for cell, width in zip(cells, widths, strict=True)]
    first = f"{cut[0]:<{widths[0]}} "
    return first + "".join(f"{cell:>{width}} " for cell, width in zip(cut[1:], widths[1:], strict=True)) + "\n"


def _account(run: Run, identities: Identities) -> Iterator[tuple[str, ...]]:
    job, host = str(identities.job_number), front_host(run)
    nodes = fold_hosts(_hosts(run))
    running = any(task.ended_ns is None for task in run.tasks)
    start = f"{run.local(host, min(task.started_ns for task in run.tasks)):%Y-%m-%dT%H:%M:%S}"
    end = (
        "Unknown" if running else f"{run.local(host, max(task.ended_ns or 0 for task in run.tasks)):%Y-%m-%dT%H:%M:%S}"
    )
    state, status, code = _state(run, running)
    script = command_of(run.tasks[0]).split()[0].rpartition("/")[2]
    fine = "RUNNING" if running else "COMPLETED"
    batch = "FAILED" if state not in ("RUNNING", "COMPLETED") else state
    yield job, identities.job, nodes, state, status, start, end
    yield f"{job}.batch", "batch", _hosts(run)[0], batch, status, start, end
    yield f"{job}.extern", "extern", nodes, fine, "0:0", start, end
    yield f"{job}.0", script, nodes, state, code, start, end


def _state(run: Run, running: bool) -> tuple[str, str, str]:
    """State, the job's exit code, and that of the step: the highest of its tasks."""
    if running:
        return "RUNNING", "0:0", "0:0"
    worst = max(run.tasks, key=lambda task: task.shell_status or 0)
    if not worst.shell_status:
        return "COMPLETED", "0:0", "0:0"
    for _, reason in _cancelled(run):
        return _STATES[reason], "0:0", f"0:{worst.signal or 15}"
    if any(was_oom_killed(run, task) for task in run.tasks):
        return "OUT_OF_MEMORY", "0:125", "0:125"
    code = f"{worst.status}:0" if worst.signal is None else f"0:{worst.signal}"
    return "FAILED", f"{worst.shell_status}:0", code


def _render_per_task(run: Run, identities: Identities, chance: random.Random) -> Files:
    """srun --output=slurm-%j_%t.out or --output=job.%N.%t.out; the job script's own file has srun's words."""
    job = identities.job_number
    by_node = chance.random() < 0.5
    files: dict[str, bytes] = {}
    for rank, (host, tasks) in _ranks(run, identities).items():
        name = f"job.{host}.{rank}.out" if by_node else f"slurm-{job}_{rank}.out"
        files[name] = join_lines(lines_of_all(run, tasks))
    files[f"slurm-{job}.out"] = weave((), _words(run, identities))
    return {**files, "sacct.txt": _accounting(run, identities)} if run.tasks else files


def _ranks(run: Run, identities: Identities) -> dict[int, tuple[str, list[Process]]]:
    ranks: dict[int, tuple[str, list[Process]]] = {}
    for process in run.tasks:
        ranks.setdefault(identities.rank(process), (process.host, []))[1].append(process)
    return ranks


def _read_per_task(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        if match := re.fullmatch(r"(?:slurm-\d+_|job\..+\.)(\d+)\.out", path):
            yield from ((match[1], text) for text in split_lines(content))


def _render_one_file(run: Run, identities: Identities, chance: random.Random) -> Files:
    lines = [(line.time_ns, line.text + b"\n") for line in lines_of_all(run, run.tasks)]
    return {f"slurm-{identities.job_number}.out": weave(lines, _words(run, identities))}


def _read_one_file(files: Files) -> Iterator[GroupLine]:
    for content in files.values():
        yield from (("all", text) for text in content.split(b"\n")[:-1] if not _OURS.match(text))


def _render_label(run: Run, identities: Identities, chance: random.Random) -> Files:
    """srun --label: the task's number before each line."""
    width = len(str(len({task.task for task in identities.run.tasks}) - 1))
    numbers = ranks(run, identities)
    lines = [
        (line.time_ns, b"%0*d: %s\n" % (width, numbers[line.process], line.text))
        for line in lines_of_all(run, run.tasks)
    ]
    return {f"slurm-{identities.job_number}.out": weave(lines, _words(run, identities))}


def _read_label(files: Files) -> Iterator[GroupLine]:
    for content in files.values():
        for line in content.split(b"\n")[:-1]:
            if not _OURS.match(line):
                rank, _, text = line.partition(b": ")
                yield str(int(rank)), text


def _names(identities: Identities, process: Process) -> frozenset[str]:
    return frozenset({f"task {identities.rank(process)}", str(identities.rank(process))})


_CARRIES: frozenset[Carried] = frozenset({"lines", "exit"})

COLLECTORS = (
    Collector(
        "slurm-per-task",
        _render_per_task,
        _read_per_task,
        _CARRIES,
        keeps=is_task,
        group=by_rank,
        names=_names,
        stamps=False,
    ),
    Collector(
        "slurm-one-file",
        _render_one_file,
        _read_one_file,
        _CARRIES,
        keeps=is_task,
        group=all_together,
        names=_names,
        stamps=False,
    ),
    Collector(
        "slurm-label", _render_label, _read_label, _CARRIES, keeps=is_task, group=by_rank, names=_names, stamps=False
    ),
)
