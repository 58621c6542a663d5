"""Where reading processes write how far they are, and read whether they shall stop."""

from __future__ import annotations

import ctypes
from multiprocessing.sharedctypes import RawArray, RawValue
from typing import Any

from analyzer.engine.watch import Watch

LONGEST = 200  # bytes of a path that a reader tells


class _Slot(ctypes.Structure):
    _fields_ = (("read", ctypes.c_int64), ("path", ctypes.c_char * LONGEST))


class Board:
    """Shared memory without a lock: no process can be killed while it holds one."""

    def __init__(self, readers: int) -> None:
        self._slots: Any = RawArray(_Slot, readers)
        self._stop: Any = RawValue(ctypes.c_bool, False)
        self._seen = [0] * readers

    def reader(self, number: int) -> Watch:
        """The watch of the process that has this number."""
        return _Scribe(self._slots[number], self._stop)

    def begun(self) -> bool:
        """Whether anything was read when it was passed on last."""
        return any(self._seen)

    def pass_on(self, watch: Watch) -> None:
        """Tells `watch` what was written since the last time, and the readers whether it wants to stop."""
        for number, slot in enumerate(self._slots):
            if more := slot.read - self._seen[number]:
                self._seen[number] += more
                watch.advance(slot.path.decode("utf-8", "replace"), more)
        self._stop.value = watch.stopped()


class _Scribe(Watch):
    def __init__(self, slot: Any, stop: Any) -> None:
        self._slot, self._stop = slot, stop

    def advance(self, path: str, size: int) -> None:
        self._slot.read += size
        self._slot.path = path.encode()[-LONGEST + 1 :]

    def stopped(self) -> bool:
        return bool(self._stop.value)
