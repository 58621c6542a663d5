"""What can be seen of the reading from outside, and the word that ends it early."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from multiprocessing.sharedctypes import RawArray, RawValue
from typing import Any

from analyzer.bundle import StoppedError, Watcher

LONGEST = 200  # bytes of a path that a reader tells


class Watch:
    """Sees nothing and never stops; whoever wants more overrides it. Called in the process that began the analysis."""

    def begin(self, total: int) -> None:
        """`total`: bytes that all inputs have on disk."""

    def advance(self, path: str, size: int) -> None:
        """`size` more of these bytes were read; `path` is the member that is being read."""

    def stopped(self) -> bool:
        """Whether what is not read yet shall be left unread."""
        return False


@dataclass(slots=True)
class Pulse(Watcher):
    """What the streams of one reader tell of each piece that they take."""

    watch: Watch
    path: str = ""
    notes: list[str] = field(default_factory=list)

    def note(self, sentence: str) -> None:
        self.notes.append(sentence)

    def take(self, size: int) -> None:
        """Raises StoppedError where reading shall end here."""
        if size:
            self.watch.advance(self.path, size)
        if self.watch.stopped():
            raise StoppedError("the reading was stopped here")


class _Slot(ctypes.Structure):
    _fields_ = (("read", ctypes.c_int64), ("path", ctypes.c_char * LONGEST))


class Board:
    """Where reading processes write how far they are. Memory without a lock: none can be killed while it holds one."""

    def __init__(self, readers: int) -> None:
        self._slots: Any = RawArray(_Slot, readers)
        self._stop: Any = RawValue(ctypes.c_bool, False)
        self._seen = [0] * readers

    def reader(self, number: int) -> Watch:
        """The watch of the process that has this number."""
        return _Scribe(self._slots[number], self._stop)

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
