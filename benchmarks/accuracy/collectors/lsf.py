"""IBM Spectrum LSF: the output file of each element of a job array, with LSF's report behind the output, and bjobs -l.

Source: "Job output" and bjobs in https://www.ibm.com/docs/en/spectrum-lsf/10.1.0; with LSB_STDOUT_DIRECT=Y the
output stands above the report.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import chain

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._processes import (
    SECOND,
    attempts,
    by_rank,
    command_of,
    front_host,
    is_last_attempt,
    is_shell_notice,
    is_task,
    lines_of_all,
    shell_notice,
    split_lines,
    weave,
)
from accuracy.identities import Identities
from accuracy.runs import Process, Run

_DASHES = "-" * 60
_LOADS = (
    "",
    " SCHEDULING PARAMETERS:",
    "           r15s   r1m  r15m   ut      pg    io   ls    it    tmp    swp    mem",
    " loadSched   -     -     -     -       -     -    -     -     -      -      -  ",
    " loadStop    -     -     -     -       -     -    -     -     -      -      -  ",
    "",
    " RESOURCE REQUIREMENT DETAILS:",
    " Combined: select[type == local] order[r15s:pg]",
    " Effective: select[type == local] order[r15s:pg] ",
)
_REPORT = re.compile(rb"\n-{60}\nSender: LSF System <")
_SCRIPT = rb"\S+/\.lsbatch/\d+\.\d+\.\d+"


def _when(run: Run, time_ns: int) -> str:
    return f"{run.local(front_host(run), time_ns):%a %b %e %H:%M:%S %Y}"


def _report(run: Run, identities: Identities, element: int, start: int, process: Process) -> bytes:
    job, title, user = identities.job_number, identities.job, identities.user
    end = process.ended_ns or 0
    result = "Exited" if process.shell_status else "Done"
    home = f"/home/{user}"
    submitted, started, ended = (_when(run, moment) for moment in (start - 4 * SECOND, start, end))
    who = f"user <{user}> in cluster <ml_cluster>"
    chance = identities.chance("lsf", process.name)
    memory, seconds = chance.randrange(900, 4200), (end - start) // SECOND
    usage = {
        "CPU time": f"{seconds * 1.7 + 3.2:.2f} sec.",
        "Max Memory": f"{memory} MB",
        "Average Memory": f"{memory * 0.8:.2f} MB",
        "Total Requested Memory": "8192.00 MB",
        "Delta Memory": f"{8192 - memory}.00 MB",
        "Max Swap": "-",
        "Max Processes": "4",
        "Max Threads": str(chance.randrange(30, 90)),
        "Run time": f"{seconds} sec.",
        "Turnaround time": f"{seconds + 4} sec.",
    }
    resources = "".join(f"    {name + ' :':<44} {value}\n" for name, value in usage.items())
    return f"""
{_DASHES}
Sender: LSF System <lsfadmin@{process.host}>
Subject: Job {job}[{element}]: <{title}[{element}]> in cluster <ml_cluster> {result}

Job <{title}[{element}]> was submitted from host <{front_host(run)}> by {who} at {submitted}
Job was executed on host(s) <{process.host}>, in queue <normal>, as {who} at {started}
<{home}> was used as the home directory.
<{home}/train> was used as the working directory.
Started at {started}
Terminated at {ended}
Results reported at {ended}

Your job looked like:

{_DASHES}
# LSBATCH: User input
{command_of(process)}
{_DASHES}

{_result(process)}

Resource usage summary:

{resources}
The output (if any) is above this job summary.

""".encode()


def _result(process: Process) -> str:
    return f"Exited with exit code {process.shell_status}." if process.shell_status else "Successfully completed."


def _listing(run: Run, identities: Identities, element: int, tasks: list[Process]) -> str:
    """One job of `bjobs -l`, whose lines are folded at 80 columns."""
    last, start = tasks[-1], tasks[0].started_ns
    status = "RUN" if last.ended_ns is None else "EXIT" if last.shell_status else "DONE"
    job = f"{identities.job_number}[{element}]"
    head = (
        f"Job <{job}>, Job Name <{identities.job}[{element}]>, User <{identities.user}>, Project <default>, "
        f"Status <{status}>, Queue <normal>, Command <{command_of(last)}>"
    )
    out = f"out.{identities.job_number}.{element}"
    parts = [
        head,
        f"{_when(run, start - 4 * SECOND)[:-5]}: Submitted from host <{front_host(run)}>, CWD <$HOME/train>, "
        f"Output File <{out}>, 8 Task(s);",
        f"{_when(run, start)[:-5]}: [{element}] started 8 Task(s) on Host(s) <8*{last.host}>, Allocated 8 Slot(s) on "
        f"Host(s) <8*{last.host}>, Execution Home </home/{identities.user}>, "
        f"Execution CWD </home/{identities.user}/train>;",
    ]
    if last.ended_ns is not None:
        how = f"Exited with exit code {last.shell_status}" if last.shell_status else "Done successfully"
        used = f"{(last.ended_ns - start) // SECOND * 1.7 + 3.2:.1f}"
        parts.append(f"{_when(run, last.ended_ns)[:-5]}: {how}. The CPU time used is {used} seconds.")
        if last.shell_status:
            parts.append(f"{_when(run, last.ended_ns)[:-5]}: Completed <exit>.")
    first, *others = (_fold(part) for part in parts)
    return "\n".join([*first, "", *chain.from_iterable(others), *_LOADS, ""])


def _fold(text: str) -> list[str]:
    """At 80 columns, in the middle of words; what goes on stands below the 21st column."""
    lines, overflow = [text[:80]], text[80:]
    while overflow:
        lines.append(" " * 21 + overflow[:59])
        overflow = overflow[59:]
    return lines


def _render(run: Run, identities: Identities, chance: random.Random) -> Files:
    job = identities.job_number
    files: dict[str, bytes] = {}
    listings = []
    for tasks in attempts(run).values():
        element, start = identities.rank(tasks[0]) + 1, tasks[0].started_ns
        script = f"/home/{identities.user}/.lsbatch/{start // SECOND}.{job}.{element}"
        lines = [(line.time_ns, line.text + b"\n") for line in lines_of_all(run, tasks)]
        notices = [(task.ended_ns, shell_notice(script, 8, task)) for task in tasks if task.ended_ns]
        report = _report(run, identities, element, start, tasks[-1]) if tasks[-1].ended_ns else b""
        files[f"out.{job}.{element}"] = weave(lines, notices) + report
        listings.append(_listing(run, identities, element, tasks))
    files["bjobs-l.txt"] = ("\n" + f"{'-' * 78}\n\n".join(listings)).encode()
    return files


def _read(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        if match := re.fullmatch(r"out\.\d+\.(\d+)", path):
            texts = split_lines(_REPORT.split(content)[0])
            yield from ((str(int(match[1]) - 1), text) for text in texts if not is_shell_notice(text, _SCRIPT))


COLLECTORS = (
    Collector(
        "lsf-array",
        _render,
        _read,
        frozenset({"lines", "exit"}),
        keeps=is_task,
        group=by_rank,
        ends=is_last_attempt,
        stamps=False,
    ),
)
