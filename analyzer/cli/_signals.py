"""How signals end the program: the first unwinds, so that private folders go away, and the next do not stop that."""

from __future__ import annotations

import os
import signal
from types import FrameType

END_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
MAX_SIGNALS = 4  # of them: somebody insists
_received = 0


class EndedBySignal(BaseException):
    """A signal of this `number` came. Of our own: libraries know better than we what to do with KeyboardInterrupt."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def raise_ended(number: int, _: FrameType | None) -> None:
    """Raises Ended, once."""
    global _received  # a signal's handler is one for the whole process
    _received += 1
    if _received >= MAX_SIGNALS:
        os._exit(128 + number)
    if _received > 1:
        return
    raise EndedBySignal(number)


def install_end_handlers() -> None:
    """What a shell told us to ignore (`nohup`, `&`) stays ignored."""
    for number in END_SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, raise_ended)
