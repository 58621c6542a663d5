"""Grid Engine: the .o and .e files of an array job's tasks with qacct -j, and the .o and .po files of a parallel job.

Sources: "NAMES OF FILES" of qsub(1) and qacct(1) of Son of Grid Engine 8.1.9, https://arc.liv.ac.uk/SGE/htmlman/
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
    by_rank,
    is_last_attempt,
    is_shell_notice,
    is_task,
    is_visible,
    join_lines,
    lines_of_all,
    shell_notice,
    signal_words,
    split_lines,
    visible_lines,
    weave,
)
from accuracy.identities import Identities
from accuracy.runs import Process, Run

_SPOOL = "/var/spool/sge"
_SCRIPT = rb"/var/spool/sge/\S+/job_scripts/\d+"


def _accounting(run: Run, identities: Identities, number: int, start_ns: int, process: Process) -> str:
    """One task of `qacct -j`."""
    chance = identities.chance("qacct", process.task)
    end_ns = process.ended_ns or start_ns
    moments = {"qsub_time": start_ns - 5 * SECOND, "start_time": start_ns, "end_time": end_ns}
    seconds = (end_ns - start_ns) / SECOND
    fields = {
        "qname": "all.q",
        "hostname": process.host,
        "group": "users",
        "owner": identities.user,
        "project": "NONE",
        "department": "defaultdepartment",
        "jobname": identities.job,
        "jobnumber": str(identities.job_number),
        "taskid": str(number),
        "account": "sge",
        "priority": "0",
        **{key: f"{run.local(process.host, moment):%a %b %e %H:%M:%S %Y}" for key, moment in moments.items()},
        "granted_pe": "smp",
        "slots": "8",
        "failed": "0",
        "exit_status": _status(process),
        "ru_wallclock": f"{seconds:.0f}s",
        "ru_utime": f"{seconds * 1.4:.3f}s",
        "ru_stime": f"{seconds * 0.2:.3f}s",
        "ru_maxrss": f"{chance.uniform(600, 2600):.3f}MB",
        **{f"ru_{key}": "0.000B" for key in ("ixrss", "ismrss", "idrss", "isrss")},
        "ru_minflt": str(chance.randrange(200_000, 900_000)),
        "ru_majflt": str(chance.randrange(40)),
        **{f"ru_{key}": "0" for key in ("nswap", "inblock")},
        "ru_oublock": str(chance.randrange(8, 900)),
        **{f"ru_{key}": "0" for key in ("msgsnd", "msgrcv", "nsignals")},
        "ru_nvcsw": str(chance.randrange(4_000, 60_000)),
        "ru_nivcsw": str(chance.randrange(100, 4_000)),
        "cpu": f"{seconds * 1.6:.3f}s",
        "mem": f"{seconds * 2.9:.3f}GBs",
        "io": f"{chance.uniform(8, 400):.3f}MB",
        "iow": "0.000s",
        "maxvmem": f"{chance.uniform(3, 14):.3f}GB",
        "arid": "undefined",
        "ar_sub_time": "undefined",
        "category": f"-u {identities.user} -pe smp 8",
    }
    return "=" * 62 + "\n" + "".join(f"{key:<12} {value}\n" for key, value in fields.items())


def _status(process: Process) -> str:
    status = process.shell_status or 0
    return f"{status:<20} ({signal_words(process.signal)})" if process.signal else str(status)


def _render_array(run: Run, identities: Identities, chance: random.Random) -> Files:
    """qsub -t: a task of the job for each task of the cluster, with its two streams apart."""
    number, files, records = identities.job_number, {}, []
    for tasks in attempts(run).values():
        index = identities.rank(tasks[0]) + 1
        lines, last = lines_of_all(run, tasks), tasks[-1]
        script = f"{_SPOOL}/{last.host}/job_scripts/{number}"
        errors = [(line.time_ns, line.text + b"\n") for line in lines if line.stream == "err"]
        notices = [(task.ended_ns, shell_notice(script, 11, task)) for task in tasks if task.ended_ns]
        files[f"{identities.job}.o{number}.{index}"] = join_lines([line for line in lines if line.stream == "out"])
        files[f"{identities.job}.e{number}.{index}"] = weave(errors, notices)
        if last.ended_ns is not None:
            records.append(_accounting(run, identities, index, tasks[0].started_ns, last))
    files["qacct.txt"] = "".join(records).encode()
    return files


def _read_array(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        if match := re.search(r"\.[oe]\d+\.(\d+)$", path):
            texts = (text for text in split_lines(content) if not is_shell_notice(text, _SCRIPT))
            yield from ((str(int(match[1]) - 1), text) for text in texts)


def _render_parallel(run: Run, identities: Identities, chance: random.Random) -> Files:
    """qsub -pe mpi -j y: all output in one file; the parallel environment's start script writes the .po file."""
    number = identities.job_number
    hosts = list(dict.fromkeys(task.host for task in identities.run.tasks))
    spool = f"{_SPOOL}/{hosts[0]}/active_jobs/{number}.1/pe_hostfile"
    return {
        f"{identities.job}.o{number}": b"".join(line.text + b"\n" for line in visible_lines(run)),
        f"{identities.job}.po{number}": "\n".join([f"-catch_rsh {spool}", *hosts, ""]).encode(),
    }


def _read_parallel(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        if re.search(r"\.o\d+$", path):
            yield from (("all", text) for text in content.split(b"\n")[:-1])


COLLECTORS = (
    Collector(
        "grid-engine-array",
        _render_array,
        _read_array,
        frozenset({"lines", "exit"}),
        keeps=is_task,
        group=by_rank,
        ends=is_last_attempt,
        stamps=False,
        ordered=False,
    ),
    Collector(
        "grid-engine-parallel",
        _render_parallel,
        _read_parallel,
        frozenset({"lines", "launcher"}),
        keeps=is_visible,
        group=all_together,
        stamps=False,
    ),
)
