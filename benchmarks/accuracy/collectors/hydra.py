"""mpiexec of MPICH (Hydra): -prepend-rank, and the box about the first bad end.

Sources: stdoe_cb in src/pm/hydra/mpiexec/uiu.c, control_cb in pmiserv_cb.c and main in mpiexec.c of
https://github.com/pmodels/mpich
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import reduce
from operator import or_

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._processes import (
    by_rank,
    is_first_failure,
    is_task,
    lines_of_all,
    noticed_failure,
    ranks,
    signal_words,
    split_lines,
)
from accuracy.identities import Identities
from accuracy.runs import Process, Run

_RULE = "=" * 83
_BOX = re.compile(rb"\n={83}\n=   BAD TERMINATION ")
_CORE = 0x80  # of a wait status
_SIGNAL = 0x7F


def _wait_status(process: Process) -> int:
    """As wait(2) returns it."""
    if process.signal is None:
        return (process.status or 0) << 8
    return process.signal | (_CORE if process.core else 0)


def _verdict(run: Run, identities: Identities) -> bytes:
    process = noticed_failure(run, identities)
    if process is None:
        return b""
    code = process.status if process.signal is None else _wait_status(process)
    box = f"""
{_RULE}
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   PID {process.pid} RUNNING AT {process.host}
=   EXIT CODE: {code}
=   CLEANING UP REMAINING PROCESSES
=   YOU CAN IGNORE THE BELOW CLEANUP MESSAGES
{_RULE}
"""
    return (box + _last_words(reduce(or_, map(_wait_status, run.tasks)))).encode()


def _last_words(status: int) -> str:
    """Of the wait statuses of all processes, joined by `or`, as mpiexec does it."""
    number = status & _SIGNAL
    if not 0 < number < _SIGNAL:
        return ""
    return (
        f"YOUR APPLICATION TERMINATED WITH THE EXIT STRING: {signal_words(number)} (signal {number})\n"
        "This typically refers to a problem with your application.\n"
        "Please see the FAQ page for debugging suggestions\n"
    )


def _render(run: Run, identities: Identities, chance: random.Random) -> Files:
    numbers = ranks(run, identities)
    output = [b"[%d] %s\n" % (numbers[line.process], line.text) for line in lines_of_all(run, run.tasks)]
    return {"mpiexec.log": b"".join(output) + _verdict(run, identities)}


def _read(files: Files) -> Iterator[GroupLine]:
    for line in split_lines(_BOX.split(files["mpiexec.log"])[0]):
        rank, _, text = line.partition(b"] ")
        yield rank.removeprefix(b"[").decode(), text


def _names(identities: Identities, process: Process) -> frozenset[str]:
    return frozenset({f"rank {identities.rank(process)}", str(identities.rank(process))})


COLLECTORS = (
    Collector(
        "mpich-ranks",
        _render,
        _read,
        frozenset({"lines", "exit"}),
        keeps=is_task,
        group=by_rank,
        ends=is_first_failure,
        names=_names,
        stamps=False,
    ),
)
