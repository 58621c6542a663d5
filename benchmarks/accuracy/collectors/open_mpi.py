"""mpirun of Open MPI 4: its tags and times before each line, its folders of output, and its words about bad ends.

Sources: https://www.open-mpi.org/doc/v4.1/man1/mpirun.1.php; the tags in orte/mca/iof/base/iof_base_output.c, the
words in orte/tools/orterun/help-orterun.txt and orte/mca/errmgr/base/help-errmgr-base.txt of
https://github.com/open-mpi/ompi/tree/v4.1.x
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._processes import (
    all_together,
    attempts,
    by_rank,
    clock,
    front_host,
    is_first_failure,
    is_task,
    join_lines,
    lines_of_all,
    noticed_failure,
    ranks,
    signal_words,
    split_lines,
)
from accuracy.identities import Identities
from accuracy.runs import Carried, Process, Run

_DASHES = "-" * 74
_TAG = re.compile(rb"\[1,(\d+)\]<std(?:out|err)>:(.*)", re.DOTALL)
_STAMP = re.compile(rb"\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}<std(?:out|err)>:(.*)", re.DOTALL)


def _verdict(run: Run, identities: Identities) -> bytes:
    """mpirun speaks at its end, and of the first process that ended badly alone."""
    process = noticed_failure(run, identities)
    if process is None:
        return b""
    boxes = [
        "Primary job  terminated normally, but 1 process returned\n"
        "a non-zero exit code. Per user-direction, the job has been aborted.\n"
    ]
    rank = identities.rank(process)
    if process.signal is None:
        family = identities.number(1_000, 65_000, "job family")
        boxes.append(
            "mpirun detected that one or more processes exited with non-zero status, thus causing\n"
            "the job to be terminated. The first process to do so was:\n\n"
            f"  Process name: [[{family},1],{rank}]\n  Exit code:    {process.status}\n"
        )
    else:
        how = f"signal {process.signal} ({signal_words(process.signal)})"
        boxes.append(
            f"mpirun noticed that process rank {rank} with PID {process.pid} on node {process.host} exited on {how}.\n"
        )
    return "".join(f"{_DASHES}\n{box}{_DASHES}\n" for box in boxes).encode()


def _render_tags(run: Run, identities: Identities, chance: random.Random) -> Files:
    """mpirun --tag-output."""
    numbers = ranks(run, identities)
    output = [
        b"[1,%d]<std%s>:%s\n" % (numbers[line.process], line.stream.encode(), line.text)
        for line in lines_of_all(run, run.tasks)
    ]
    return {"mpirun.log": b"".join(output) + _verdict(run, identities)}


def _read_tags(files: Files) -> Iterator[GroupLine]:
    for line in files["mpirun.log"].split(b"\n"):
        if match := _TAG.fullmatch(line):
            yield match[1].decode(), match[2]


def _render_times(run: Run, identities: Identities, chance: random.Random) -> Files:
    """mpirun --timestamp-output, which does not say whose a line is."""
    stamp = clock(run, front_host(run), "%a %b %e %H:%M:%S %Y")
    output = [
        f"{stamp(line.time_ns)}<std{line.stream}>:".encode() + line.text + b"\n"
        for line in lines_of_all(run, run.tasks)
    ]
    return {"mpirun.log": b"".join(output) + _verdict(run, identities)}


def _read_times(files: Files) -> Iterator[GroupLine]:
    for line in files["mpirun.log"].split(b"\n"):
        if match := _STAMP.fullmatch(line):
            yield "all", match[1]


def _render_folders(run: Run, identities: Identities, chance: random.Random) -> Files:
    """mpirun --output-filename output:nocopy; what mpirun itself says stands in the file of the terminal."""
    files: dict[str, bytes] = {}
    width = len(str(len(attempts(identities.run)) - 1))
    for tasks in attempts(run).values():
        folder = f"output/1/rank.{identities.rank(tasks[0]):0{width}d}"
        lines = lines_of_all(run, tasks)
        files[f"{folder}/stdout"] = join_lines([line for line in lines if line.stream == "out"])
        files[f"{folder}/stderr"] = join_lines([line for line in lines if line.stream == "err"])
    files["mpirun.log"] = _verdict(run, identities)
    return files


def _read_folders(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        if match := re.search(r"rank\.(\d+)/std(?:out|err)$", path):
            yield from ((str(int(match[1])), text) for text in split_lines(content))


def _names(identities: Identities, process: Process) -> frozenset[str]:
    return frozenset({f"rank {identities.rank(process)}", str(identities.rank(process))})


_CARRIES: frozenset[Carried] = frozenset({"lines", "exit"})

COLLECTORS = (
    Collector(
        "open-mpi-tags",
        _render_tags,
        _read_tags,
        _CARRIES,
        keeps=is_task,
        group=by_rank,
        ends=is_first_failure,
        names=_names,
        stamps=False,
    ),
    Collector(
        "open-mpi-times",
        _render_times,
        _read_times,
        _CARRIES,
        keeps=is_task,
        group=all_together,
        ends=is_first_failure,
        names=_names,
    ),
    Collector(
        "open-mpi-folders",
        _render_folders,
        _read_folders,
        _CARRIES,
        keeps=is_task,
        group=by_rank,
        ends=is_first_failure,
        names=_names,
        stamps=False,
        ordered=False,
    ),
)
