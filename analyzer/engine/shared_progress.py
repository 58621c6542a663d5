"""Shared memory in which reading processes report their progress and see the request to stop."""

from __future__ import annotations

import ctypes
from multiprocessing.sharedctypes import RawArray, RawValue
from typing import Any

from analyzer.engine.monitor import ProgressMonitor

MAX_PATH_BYTES = 200  # of a path that a reader reports


class _ProgressSlot(ctypes.Structure):
    _fields_ = (("read", ctypes.c_int64), ("path", ctypes.c_char * MAX_PATH_BYTES))


class SharedProgress:
    """One slot for each reader. There is no lock, so no process can be killed while it holds one."""

    def __init__(self, readers: int) -> None:
        self._slots: Any = RawArray(_ProgressSlot, readers)
        self._stop: Any = RawValue(ctypes.c_bool, False)
        self._forwarded = [0] * readers

    def monitor_for(self, number: int) -> ProgressMonitor:
        """Return the monitor for the process with this number, which writes into its slot."""
        return _SharedMonitor(self._slots[number], self._stop)

    def has_started(self) -> bool:
        """Return whether anything was read before the last `forward_to`."""
        return any(self._forwarded)

    def forward_to(self, monitor: ProgressMonitor) -> None:
        """Tell `monitor` what was read since the last call, and the readers whether it wants to stop."""
        for number, slot in enumerate(self._slots):
            if more := slot.read - self._forwarded[number]:
                self._forwarded[number] += more
                monitor.advance(slot.path.decode("utf-8", "replace"), more)
        self._stop.value = monitor.should_stop()


class _SharedMonitor(ProgressMonitor):
    def __init__(self, slot: Any, stop: Any) -> None:
        self._slot, self._stop = slot, stop

    def advance(self, path: str, size: int) -> None:
        self._slot.read += size
        self._slot.path = path.encode()[-MAX_PATH_BYTES + 1 :]

    def should_stop(self) -> bool:
        return bool(self._stop.value)
