"""Work in a child process, whose death costs only what it was at: a file that is mapped may be cut in that moment.

A page of a mapping that its file no longer has, or its disk does not give, is SIGBUS, which no language can catch.
The child is forked, as a core takes less time than an interpreter's start. It may be so although a decompressor has a
thread: the child touches nothing that threads share, writes to its pipe alone and ends without clearing up.
"""

from __future__ import annotations

import os
import pickle
import resource
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeVar

from analyzer.interrupts import die_with_parent

Item = TypeVar("Item")
Result = TypeVar("Result")

MAX_ATTEMPTS = 2
MAX_ERROR_CHARS = 500  # characters of an error: a pipe takes them in one go
SIGNAL_REASONS = {
    signal.SIGBUS: "SIGBUS: its file was cut or could not be read in that moment",
    signal.SIGKILL: "SIGKILL, perhaps for memory",
}


@dataclass(frozen=True, slots=True)
class ChildCrash:
    """Why two children did not come to the end of something, in a sentence."""

    reason: str

    def __str__(self) -> str:
        return f"the process that read it was ended twice ({self.reason})"


def map_in_child(items: Sequence[Item], work: Callable[[Item], Result]) -> Iterator[tuple[Item, Result | ChildCrash]]:
    """Every item in its order with what `work` makes of it, or with how the second child died that was at it.

    Where no process can be started the work is done in this one.
    """
    at = tries = 0
    while at < len(items):
        child = _fork_child(items[at:], work)
        if child is None:
            yield from ((item, work(item)) for item in items[at:])
            return
        process, pipe = child
        reason = ""
        try:
            for result in _read_results(pipe):
                if isinstance(result, ChildCrash):
                    reason = result.reason
                    break
                yield items[at], result
                at, tries = at + 1, 0
        except BaseException:
            os.kill(process, signal.SIGKILL)
            raise
        finally:
            number = _wait_for_signal(process)
        if at < len(items):
            tries += 1
            if tries == MAX_ATTEMPTS:
                yield items[at], ChildCrash(reason or _describe_signal(number))
                at, tries = at + 1, 0


def _fork_child(items: Sequence[Item], work: Callable[[Item], Result]) -> tuple[int, BinaryIO] | None:
    if not hasattr(os, "fork"):
        return None
    theirs, ours = os.pipe()
    parent = os.getpid()
    try:
        process = os.fork()
    except OSError:  # too many processes, too little memory
        os.close(theirs)
        os.close(ours)
        return None
    if process:
        os.close(ours)
        return process, os.fdopen(theirs, "rb")
    try:
        os.close(theirs)
        _run_in_child(items, work, ours, parent)
    finally:  # nothing that the parent has open is flushed, closed or removed here
        if error := sys.exc_info()[1]:
            os.write(ours, pickle.dumps(ChildCrash(repr(error)[:MAX_ERROR_CHARS])))
        os._exit(0)


def prefer_as_oom_victim() -> None:
    """Whoever runs out of memory is ended by the kernel: a child rather than its parent, which can tell of it."""
    score = Path("/proc/self/oom_score_adj")
    with suppress(OSError, ValueError):
        score.write_text(str(min(int(score.read_text()) + 300, 1000)))


def _run_in_child(items: Sequence[Item], work: Callable[[Item], Result], out: int, parent: int) -> None:
    """In the child. A terminal's Ctrl-C is the parent's, which ends this; so does its end."""
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))  # a SIGBUS would leave one
    prefer_as_oom_victim()
    die_with_parent(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    with os.fdopen(out, "wb", closefd=False) as pipe:
        for item in items:
            pipe.write(pickle.dumps(work(item)))
            pipe.flush()


def _read_results(pipe: BinaryIO) -> Iterator[Result | ChildCrash]:
    with pipe, suppress(EOFError, pickle.UnpicklingError):  # its end, or its death as it wrote
        while True:
            yield pickle.load(pipe)


def _wait_for_signal(process: int) -> int:
    """The signal that ended it; 0 where it ended by itself."""
    with suppress(ChildProcessError):  # somebody's handler of SIGCHLD was faster
        _, status = os.waitpid(process, 0)
        return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    return 0


def _describe_signal(number: int) -> str:
    known = signal.Signals(number) if number in signal.valid_signals() else None
    return f"signal {number}" if known is None else SIGNAL_REASONS.get(known, known.name)
