"""Parts in several processes of this machine."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from pathlib import Path

from analyzer.bundle import Limits
from analyzer.engine.board import Board
from analyzer.engine.join import in_order, telling
from analyzer.engine.members import Intake
from analyzer.engine.parts import Part
from analyzer.engine.readers import Order, Reader, Ready, start_readers
from analyzer.engine.room import Room, make_room
from analyzer.engine.watch import Watch
from analyzer.reading import Plan, SourceResult
from analyzer.rules.types import Packs
from analyzer.scratch import scratch_folder

LOOK = 0.1  # seconds between two looks at how far the processes are


class _NoProcessError(Exception):
    """The machine lets no process start."""


@dataclass(slots=True)
class _Done:
    """What was read of each part. What waits to be put together is as bounded as what is: a part may fill all room."""

    parts: Sequence[Part]
    room: Room
    intakes: dict[int, Intake] = field(default_factory=dict)

    def put(self, index: int, intake: Intake) -> None:
        if intake.room.level > self.room.level:
            self.room.adopt(intake.room.level, self._loud())
        for result in intake.results.loud:
            self.room.fit(result)
        self.intakes[index] = intake
        intake.room.level = self.room.level
        if self.room.full:
            self.room.close(self._loud())
            for each in self.intakes.values():
                each.room.level = self.room.level

    def _loud(self) -> list[SourceResult]:
        return telling(self.parts, self.intakes)


def read_parts(
    parts: Sequence[Part],
    packs: Packs,
    plan: Plan,
    limits: Limits,
    sysroots: Sequence[Path],
    jobs: int,
    watch: Watch | None = None,
) -> Intake:
    """As one process would read them, to the bit. A part whose process was killed is tried again, alone.

    Where no process can be had (a limit of processes or files, no shared memory), this one reads.
    """
    watch = watch or Watch()
    done = _Done(parts, make_room(packs.signals.values()))
    largest_first = sorted(range(len(parts)), key=lambda index: -parts[index].size)
    with scratch_folder() as scratch:
        ready = Ready(Order(parts, packs, limits, tuple(sysroots), scratch), plan)
        try:
            _read_all(largest_first, ready, jobs, watch, done)
            for index in (index for index in largest_first if index not in done.intakes and not watch.stopped()):
                _read_all([index], ready, 1, watch, done)
            if watch.stopped():  # what is left is named, for which no process need start
                _read_here(ready, watch, done)
        except _NoProcessError:
            _read_here(ready, watch, done)
    merged = Intake(room=make_room(packs.signals.values()))
    for intake in in_order(parts, done.intakes, watch.stopped()):
        merged.add(intake)
    return merged


def _read_all(indexes: Sequence[int], ready: Ready, jobs: int, watch: Watch, done: _Done) -> None:
    """Of these parts those whose readers do not die, unless the word to stop comes before any reader has begun."""
    try:
        board = Board(jobs)
    except OSError as error:
        raise _NoProcessError from error
    waiting = deque(indexes)
    with start_readers(jobs, ready, board) as readers:
        if not readers:
            raise _NoProcessError
        idle, busy = list(readers), dict[Reader, int]()
        while (idle and waiting) or busy:
            while idle and waiting:
                busy[reader := idle.pop()] = waiting.popleft()
                reader.give(busy[reader])
            answered = wait([reader.pipe for reader in busy], LOOK)
            for reader in [reader for reader in busy if reader.pipe in answered]:
                index, intake = busy.pop(reader), reader.take()
                if intake is not None:
                    done.put(index, intake)
                    idle.append(reader)
            board.pass_on(watch)
            if watch.stopped() and not board.begun():
                return


def _read_here(ready: Ready, watch: Watch, done: _Done) -> None:
    """What is not read yet."""
    for index in range(len(done.parts)):
        if index not in done.intakes:
            done.put(index, ready.read(index, watch))
