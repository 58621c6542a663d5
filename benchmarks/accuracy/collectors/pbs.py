"""PBS Professional: the .o and .e files of a job, or of each subjob of a job array, and qstat -xf.

Source: "Job Output" and "Job Exit Status Codes" in the PBS Professional User's Guide, https://help.altair.com/pbs/
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._processes import (
    SECOND,
    all_together,
    attempts,
    began_ns,
    by_rank,
    ended_ns,
    front_host,
    is_last_attempt,
    is_shell_notice,
    is_task,
    is_visible,
    job_status,
    join_lines,
    lines_of_all,
    shell_notice,
    split_lines,
    visible_lines,
    weave,
)
from accuracy.identities import Identities
from accuracy.runs import Run

_SPOOL = "/var/spool/pbs/mom_priv/jobs"
_SCRIPT = re.escape(_SPOOL).encode() + rb"/\S+\.SC"


def _title(identities: Identities) -> str:
    return identities.job[:15]


def _status(run: Run, identities: Identities, job: str, hosts: list[str], of: tuple[int, int | None, int]) -> str:
    """One job of `qstat -xf`. `of`: start, end, exit status."""
    start, end, status = of
    when = {"ctime": start - 3 * SECOND, "mtime": end or start, "qtime": start - 3 * SECOND, "stime": start}
    times = {key: f"{run.local(front_host(run), moment):%a %b %e %H:%M:%S %Y}" for key, moment in when.items()}
    seconds = ((end or start) - start) // SECOND
    used = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    state = "R" if end is None else "X" if "[" in job else "F"
    fields = {
        "Job_Name": _title(identities),
        "Job_Owner": f"{identities.user}@{front_host(run)}",
        "resources_used.walltime": used,
        "job_state": state,
        "queue": "workq",
        "server": "pbs01",
        "ctime": times["ctime"],
        "exec_host": "+".join(f"{host}/0*8" for host in hosts),
        "exec_vnode": "+".join(f"({host}:ncpus=8)" for host in hosts),
        "Join_Path": "n",
        "mtime": times["mtime"],
        "qtime": times["qtime"],
        "Rerunable": "True",
        "stime": times["stime"],
        "run_count": "1",
    }
    if end is not None:
        fields["Exit_status"] = str(status)
    body = "".join(f"    {key} = {value}\n" for key, value in fields.items())
    return f"Job Id: {job}.pbs01\n{body}\n"


def _render_job(run: Run, identities: Identities, chance: random.Random) -> Files:
    """One job whose script runs the user's launcher: all output in two files."""
    number, title = identities.job_number, _title(identities)
    hosts = list(dict.fromkeys(task.host for task in run.tasks))
    lines = visible_lines(run)
    status = _status(run, identities, str(number), hosts, (began_ns(run), ended_ns(run), job_status(run)))
    return {
        f"{title}.o{number}": b"".join(line.text + b"\n" for line in lines if line.stream == "out"),
        f"{title}.e{number}": b"".join(line.text + b"\n" for line in lines if line.stream == "err"),
        "qstat-xf.txt": status.encode(),
    }


def _read_job(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        if re.search(r"\.[oe]\d+$", path):
            yield from (("all", text) for text in content.split(b"\n")[:-1])


def _render_array(run: Run, identities: Identities, chance: random.Random) -> Files:
    """A job array (qsub -J) with a subjob for each task; its script is run by bash."""
    number, title = identities.job_number, _title(identities)
    files: dict[str, bytes] = {}
    states = []
    for tasks in attempts(run).values():
        index, last = identities.rank(tasks[0]), tasks[-1]
        subjob = f"{number}[{index}]"
        lines = lines_of_all(run, tasks)
        script = f"{_SPOOL}/{subjob}.pbs01.SC"
        notices = [(task.ended_ns, shell_notice(script, 14, task)) for task in tasks if task.ended_ns]
        files[f"{title}.o{number}.{index}"] = join_lines([line for line in lines if line.stream == "out"])
        errors = [(line.time_ns, line.text + b"\n") for line in lines if line.stream == "err"]
        files[f"{title}.e{number}.{index}"] = weave(errors, notices)
        end = (tasks[0].started_ns, last.ended_ns, last.shell_status or 0)
        states.append(_status(run, identities, subjob, [last.host], end))
    files[f"qstat-xf-{number}.txt"] = "".join(states).encode()
    return files


def _read_array(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        if match := re.search(r"\.[oe]\d+\.(\d+)$", path):
            lines = split_lines(content)
            yield from ((match[1], text) for text in lines if not is_shell_notice(text, _SCRIPT))


COLLECTORS = (
    Collector(
        "pbs-job",
        _render_job,
        _read_job,
        frozenset({"lines", "launcher"}),
        keeps=is_visible,
        group=all_together,
        stamps=False,
        ordered=False,
    ),
    Collector(
        "pbs-array",
        _render_array,
        _read_array,
        frozenset({"lines", "exit"}),
        keeps=is_task,
        group=by_rank,
        ends=is_last_attempt,
        stamps=False,
        ordered=False,
    ),
)
