"""The end that comes from outside: signals that are held back where they would come amiss, and a parent that died."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

TERMINATION_SIGNALS = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
_PR_SET_PDEATHSIG = 1  # linux/prctl.h


@contextmanager
def signals_held() -> Iterator[None]:
    """A signal that would end the program meanwhile ends it afterwards.

    A process or thread that is started meanwhile never hears one, and a thread must not: the kernel gives it any signal
    that the first thread holds back, and Python then raises it there after all.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, TERMINATION_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def die_with_parent(parent: int) -> None:
    """This process is killed when `parent` (a process id) ends, also outright: that one clears up for both."""
    import ctypes  # for children alone

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != parent:  # it ended before this
        os._exit(1)
