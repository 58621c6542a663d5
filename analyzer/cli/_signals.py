"""End the program on signals: the first one unwinds, so that private folders are removed; the next ones do not stop
that.
"""

from __future__ import annotations

import os
import signal
from types import FrameType

END_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
MAX_SIGNALS = 4  # signals after which the program exits at once
_received = 0


class EndedBySignal(BaseException):
    """Signal `number` arrived. Not KeyboardInterrupt, because libraries handle that one in their own ways."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def raise_ended(number: int, _: FrameType | None) -> None:
    """Raise EndedBySignal for the first signal. Exit at once from the MAX_SIGNALS-th on."""
    global _received  # a signal's handler is one for the whole process
    _received += 1
    if _received >= MAX_SIGNALS:
        os._exit(128 + number)
    if _received > 1:
        return
    raise EndedBySignal(number)


def install_end_handlers() -> None:
    """Handle the signals that end the program. A signal that the shell made us ignore (`nohup`, `&`) stays ignored."""
    for number in END_SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, raise_ended)
