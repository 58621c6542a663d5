"""Termination from outside: signals that are held back while they would do harm, and death of the parent process."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

TERMINATION_SIGNALS = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
_PR_SET_PDEATHSIG = 1  # linux/prctl.h


@contextmanager
def signals_held() -> Iterator[None]:
    """Hold back the signals that would end the program until the block is left.

    A process or thread that starts in the block never receives them. A thread must not: the kernel would deliver to it
    any signal that the main thread holds back, and Python would then raise it there after all.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, TERMINATION_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def die_with_parent(parent: int) -> None:
    """Have this process killed when `parent` (a process id) ends for any reason; the parent cleans up for both."""
    import ctypes  # only children need it

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != parent:  # it ended before the call
        os._exit(1)
