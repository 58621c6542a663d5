"""Work in a child process, so that its death costs only the item it worked on. A mapped file may be cut at any moment.

If a page of a mapping is no longer in its file, or its disk fails, the process gets SIGBUS, which no language can
catch. The child is forked, because reading a core takes less time than starting an interpreter. It may fork although a
decompressor has a thread: the child touches nothing that threads share, writes only to its pipe, and exits without
cleaning up.
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
MAX_ERROR_CHARS = 500  # of an error, so that a pipe takes it in one write
SIGNAL_REASONS = {
    signal.SIGBUS: "SIGBUS: its file was cut or could not be read at that moment",
    signal.SIGKILL: "SIGKILL, perhaps for lack of memory",
}


@dataclass(frozen=True, slots=True)
class ChildCrash:
    """A sentence that says why two child processes failed one after the other on the same item."""

    reason: str

    def __str__(self) -> str:
        return f"the process that read it failed twice ({self.reason})"


def map_in_child(items: Sequence[Item], work: Callable[[Item], Result]) -> Iterator[tuple[Item, Result | ChildCrash]]:
    """Yield every item in order with what `work` returns for it, or with how the second child process died that worked
    on it.

    If no process can be started, the work is done in this one.
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
    finally:  # leave without flushing, closing or removing what the parent has open
        if error := sys.exc_info()[1]:
            os.write(ours, pickle.dumps(ChildCrash(repr(error)[:MAX_ERROR_CHARS])))
        os._exit(0)


def prefer_as_oom_victim() -> None:
    """Make the kernel prefer this process if memory runs out: its parent survives and can report that."""
    score = Path("/proc/self/oom_score_adj")
    with suppress(OSError, ValueError):
        score.write_text(str(min(int(score.read_text()) + 300, 1000)))


def _run_in_child(items: Sequence[Item], work: Callable[[Item], Result], out: int, parent: int) -> None:
    """Run in the child. Only the parent handles a terminal's Ctrl-C, and the child dies with its parent."""
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))  # a SIGBUS would leave a core file
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
    """Wait for the process and return the number of the signal that killed it; 0 if it exited."""
    with suppress(ChildProcessError):  # another SIGCHLD handler was faster
        _, status = os.waitpid(process, 0)
        return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    return 0


def _describe_signal(number: int) -> str:
    signal_member = signal.Signals(number) if number in signal.valid_signals() else None
    return f"signal {number}" if signal_member is None else SIGNAL_REASONS.get(signal_member, signal_member.name)
