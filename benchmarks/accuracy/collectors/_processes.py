"""What collectors of launchers, batch systems and terminals ask of a run."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, lru_cache
from heapq import merge
from itertools import groupby

from accuracy.identities import Identities
from accuracy.runs import Process, ReceivedLine, Run

SECOND = 10**9
_STRAY = re.compile("[\udc80-\udcff]")
Timed = tuple[int, bytes]  # (nanoseconds, what is written then)


def clock(run: Run, host: str, pattern: str) -> Callable[[int], str]:
    """The host's local time to the second, remembered: most lines share theirs with others."""

    @cache
    def at(second: int) -> str:
        return f"{run.local(host, second * SECOND):{pattern}}"

    return lambda time_ns: at(time_ns // SECOND)


@lru_cache(4096)
def utc(second: int) -> str:
    """2025-10-09T08:53:20."""
    return f"{datetime.fromtimestamp(second, UTC):%Y-%m-%dT%H:%M:%S}"


def ranks(run: Run, identities: Identities) -> Mapping[str, int]:
    """By the names of processes."""
    return {task.name: identities.rank(task) for task in run.tasks}


def is_task(run: Run, process: Process) -> bool:
    return process.role == "task"


def is_visible(run: Run, process: Process) -> bool:
    """Tasks and the user's own launcher: what a terminal shows."""
    return process.role in ("task", "launcher")


def by_rank(run: Run, process: Process) -> str:
    """Attempts of a task share its rank."""
    return str(Identities(run).rank(process))


def by_task(run: Run, process: Process) -> str:
    """Attempts of a task share a file; other processes stand for themselves."""
    return process.task or process.name


def by_attempt(run: Run, process: Process) -> str:
    return f"{process.task}/{process.attempt}" if process.task else process.name


def by_host(run: Run, process: Process) -> str:
    return process.host


def all_together(run: Run, process: Process) -> str:
    return "all"


def attempts(run: Run) -> Mapping[str, list[Process]]:
    """All attempts of each task, in the order of the tasks' first start."""
    attempts_by_task: dict[str, list[Process]] = {}
    for process in run.tasks:
        attempts_by_task.setdefault(process.task, []).append(process)
    return attempts_by_task


def tasks_by_host(run: Run) -> Mapping[str, list[Process]]:
    processes_by_host: dict[str, list[Process]] = {}
    for process in run.tasks:
        processes_by_host.setdefault(process.host, []).append(process)
    return processes_by_host


def launcher_of(run: Run) -> Process | None:
    return next((process for process in run.processes if process.role == "launcher"), None)


def front_host(run: Run) -> str:
    """Where the job was started from."""
    launcher = launcher_of(run)
    return launcher.host if launcher else run.hosts[0].name


def lines_of_all(run: Run, processes: Iterable[Process]) -> list[ReceivedLine]:
    """In the order in which they were received."""
    names = {process.name for process in processes}
    return [line for line in run.lines if line.process in names]


def visible_lines(run: Run) -> list[ReceivedLine]:
    return lines_of_all(run, (process for process in run.processes if is_visible(run, process)))


def began_ns(run: Run) -> int:
    return min([process.started_ns for process in run.processes if process.started_ns], default=0)


def ended_ns(run: Run) -> int | None:
    """When the launcher ended, or the last task where there is none; None while one still runs."""
    launcher = launcher_of(run)
    if launcher and launcher.started_ns:
        return launcher.ended_ns
    ends = [process.ended_ns for process in run.tasks]
    return None if not ends or None in ends else max(end for end in ends if end is not None)


def collected_ns(identities: Identities) -> int:
    """When somebody gathered what was left: some minutes after the last thing that happened."""
    run = identities.run
    last = max(run.lines[-1].time_ns, *(process.ended_ns or 0 for process in run.processes))
    return last + identities.number(90, 3000, "collected") * SECOND


def has_failed(process: Process) -> bool:
    return process.ended_ns is not None and bool(process.shell_status)


def ended_tasks(run: Run) -> list[Process]:
    """In the order of their ends."""
    return sorted((task for task in run.tasks if task.ended_ns is not None), key=lambda task: task.ended_ns or 0)


def first_failure(run: Run) -> Process | None:
    """What a launcher notices that ends with its first bad process; None while a task still runs."""
    if any(task.ended_ns is None for task in run.tasks):
        return None
    return next((task for task in ended_tasks(run) if has_failed(task)), None)


def noticed_failure(run: Run, identities: Identities) -> Process | None:
    """The first failure of the whole run, unless its process is among those that are not handed in."""
    process = first_failure(identities.run)
    return process if process and process.name in run.by_name else None


def is_first_failure(run: Run, process: Process) -> bool:
    return process == first_failure(run)


def is_last_attempt(run: Run, process: Process) -> bool:
    return bool(process.task) and attempts(run)[process.task][-1] == process


def job_status(run: Run) -> int:
    """What a job script ends with: the launcher's status, else the worst of the tasks'."""
    launcher = launcher_of(run)
    if launcher and launcher.shell_status is not None:
        return launcher.shell_status
    return max((task.shell_status or 0 for task in run.tasks), default=0)


def was_oom_killed(run: Run, process: Process) -> bool:
    """Whether the kernel of its host says that its OOM killer took this very process."""
    kill_message = re.compile(rb"Killed process %d\b" % process.pid)
    kernels = [other.name for other in run.processes if other.role == "kernel" and other.host == process.host]
    return process.signal == 9 and any(
        kill_message.search(line.text) for name in kernels for line in run.lines_of(name)
    )


def signal_name(number: int) -> str:
    """SIGKILL."""
    return signal.Signals(number).name


def signal_words(number: int) -> str:
    """As strsignal(3) of glibc says it: Killed."""
    return signal.strsignal(number) or f"Unknown signal {number}"


def command_of(process: Process) -> str:
    return process.command or "python3 train.py"


def environment_of(run: Run, process: Process) -> Mapping[str, str]:
    return {**run.environment, **process.environment}


def dashed(task: str) -> str:
    return task.replace(":", "-")


def shell_notice(script: str, number: int, process: Process) -> bytes:
    """What bash says in a script about a command that a signal ended; nothing of those it keeps silent about.

    Source: pretty_print_job and notify_of_job_status in https://git.savannah.gnu.org/cgit/bash.git/tree/jobs.c
    """
    if process.signal is None or process.signal in (signal.SIGINT, signal.SIGPIPE):
        return b""
    core = "(core dumped) " if process.core else ""
    words = f"{signal_words(process.signal):<24}{core}{command_of(process)}"
    return f"{script}: line {number}: {process.pid:>5} {words}\n".encode()


def is_shell_notice(line: bytes, script: bytes) -> bool:
    return re.match(rb"%s: line \d+: +\d+ [A-Z]" % script, line) is not None


def join_lines(lines: Sequence[ReceivedLine]) -> bytes:
    """As a file holds them: without a line feed behind the last where its process ended in the middle of it."""
    text = b"".join(line.text + b"\n" for line in lines)
    return text if not lines or lines[-1].is_complete else text[:-1]


def split_lines(content: bytes) -> list[bytes]:
    lines = content.split(b"\n")
    return lines if lines[-1] else lines[:-1]


def weave(lines: Iterable[Timed], words: Iterable[Timed]) -> bytes:
    """Lines in the order in which they were received, and between them, by time, what the platform says."""
    ordered = sorted(words, key=lambda timed: timed[0])
    return b"".join(text for _, text in merge(lines, ordered, key=lambda timed: timed[0]))


def replace_each(text: bytes) -> bytes:
    """As programs in Go do it: U+FFFD for each byte that is no UTF-8."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return _STRAY.sub("\ufffd", text.decode("utf-8", "surrogateescape")).encode()
    return text


def replace_runs(text: bytes) -> bytes:
    """As Python, Node.js and .NET do it: U+FFFD for each sequence that starts like UTF-8 and does not go on like it."""
    return text.decode("utf-8", "replace").encode()


def fold_hosts(names: Iterable[str]) -> str:
    """gpu[01-03,07],login1, as Slurm and ClusterShell fold them."""
    split = [re.fullmatch(r"(.*?)(\d*)", name) for name in sorted(set(names))]
    parts = [(match[1], match[2]) for match in split if match]
    folded = []
    for (prefix, _), some in groupby(parts, key=lambda part: (part[0], len(part[1]))):
        numbers = [number for _, number in some]
        alone = len(numbers) == 1
        folded.append(prefix + numbers[0] if alone else f"{prefix}[{_fold_numbers(numbers)}]")
    return ",".join(folded)


def _fold_numbers(numbers: Sequence[str]) -> str:
    spans: list[list[str]] = []
    for number in numbers:
        if spans and int(number) == int(spans[-1][-1]) + 1:
            spans[-1] = [spans[-1][0], number]
        else:
            spans.append([number])
    return ",".join("-".join(span) for span in spans)
