"""Keeps each line of each process with its stream and the time at which it was received."""

from __future__ import annotations

import os
import threading
import time

from accuracy.runs import ReceivedLine, Stream


class Listener:
    """Readers of any number of pipes, one thread each; `lines` grows while they read."""

    def __init__(self) -> None:
        self.lines: list[ReceivedLine] = []
        self.threads: list[threading.Thread] = []
        self.partial: dict[str, bytes] = {}  # what stands at a process's end and is no line yet
        self.closed = threading.Event()

    def follow(self, process: str, stream: Stream, descriptor: int) -> None:
        thread = threading.Thread(target=self._read, args=(process, stream, descriptor), daemon=True)
        self.threads.append(thread)
        thread.start()

    def hear(self, process: str, stream: Stream, text: str) -> None:
        """A line of a process that has no pipe."""
        self.lines.append(ReceivedLine(time.time_ns(), process, stream, text.encode()))

    def _read(self, process: str, stream: Stream, descriptor: int) -> None:
        unended, last = b"", 0
        while data := os.read(descriptor, 65536):
            if self.closed.is_set():
                break
            last = time.time_ns()
            *full_lines, unended = (unended + data).split(b"\n")
            for text in full_lines:
                self.lines.append(ReceivedLine(last, process, stream, text))
            self.partial[process] = unended[-4096:]
        if unended:
            self.lines.append(ReceivedLine(last, process, stream, unended, False))
        os.close(descriptor)

    def finish(self, seconds: float = 5) -> list[ReceivedLine]:
        """All lines in the order of their times, once the pipes are at their end."""
        for thread in self.threads:
            thread.join(seconds)
        self.closed.set()
        return sorted(self.lines, key=lambda line: line.time_ns)
