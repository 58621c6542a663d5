"""How signals end the program: the first unwinds, so that private folders go away, and the next do not stop that."""

from __future__ import annotations

import os
import signal
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
MOST = 4  # of them: somebody insists
_came = 0


class Ended(BaseException):
    """A signal of this `number` came. Of our own: libraries know better than we what to do with KeyboardInterrupt."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def end(number: int, _: FrameType | None) -> None:
    """Raises Ended, once."""
    global _came  # a signal's handler is one for the whole process
    _came += 1
    if _came >= MOST:
        os._exit(128 + number)
    if _came > 1:
        return
    raise Ended(number)


def end_on_signals() -> None:
    """What a shell told us to ignore (`nohup`, `&`) stays ignored."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end)
