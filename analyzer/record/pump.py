"""Pass on the program's output unchanged, and record it with the time of its arrival."""

from __future__ import annotations

import os
import select
import threading

from analyzer.record.flight import OutputLines

CHUNK_BYTES = 64 * 1024


class OutputPump(threading.Thread):
    """Read one pipe to its end.

    If our own reader goes away (`| head`), close the pipe, so that the program meets the same broken pipe as without
    us.
    """

    def __init__(self, source: int, target: int, lines: OutputLines) -> None:
        super().__init__(daemon=True)
        self._source, self._target, self._lines = source, target, lines

    def run(self) -> None:
        try:
            while data := os.read(self._source, CHUNK_BYTES):
                self._lines.add_bytes(data)
                _write_all(self._target, data)
        except OSError:
            pass  # EPIPE of the target, EIO of a closed terminal: there is no reader any more
        finally:
            os.close(self._source)
            self._lines.finish()


def _write_all(target: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(target, view) :]
        except BlockingIOError:  # the descriptor was made non-blocking before we got it
            select.select([], [target], [])


def is_same_target(first: int, second: int) -> bool:
    """Return whether two descriptors lead to the same file (`2>&1`): then one pipe keeps the order of the output."""
    try:
        a, b = os.fstat(first), os.fstat(second)
    except OSError:
        return False
    return (a.st_dev, a.st_ino, a.st_rdev) == (b.st_dev, b.st_ino, b.st_rdev)
