"""A recorded run: what really happened in one job before anybody collected it, and the truth about it.

Times are nanoseconds since the epoch, UTC, of one true clock.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Literal, NamedTuple
from zoneinfo import ZoneInfo

Stream = Literal["out", "err"]
Role = Literal["task", "launcher", "kernel", "system"]
Scope = Literal["cause", "node"]
Carried = Literal["lines", "exit", "kernel", "launcher", "core", "environment"]


class ReceivedLine(NamedTuple):
    """One line as it was received; `whole` is false where the process ended, or was cut, in the middle of it."""

    time_ns: int
    process: str
    stream: Stream
    text: bytes  # without its line feed
    is_complete: bool = True


class Sample(NamedTuple):
    """What a process used at one moment."""

    time_ns: int
    process: str
    resident: int  # bytes
    seconds: float  # of processors, since its start
    threads: int


@dataclass(frozen=True, slots=True)
class Process:
    """`role`: a `task` of the cluster, the `launcher` of all of them, a host's `kernel`, or another program of it."""

    name: str  # of its own in the run: `worker-1`, `worker-1.2` for its second attempt, `launcher`, `kernel@HOST`
    role: Role
    host: str
    pid: int = 0
    task: str = ""  # `worker:1`; empty but for tasks
    attempt: int = 1
    started_ns: int = 0
    ended_ns: int | None = None  # None: it still ran when everything was collected
    status: int | None = None  # exit status, 0 to 255
    signal: int | None = None
    core: bool = False
    command: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)  # what its program was given: TF_CONFIG and the like

    @property
    def shell_status(self) -> int | None:
        """As a shell and container runtimes state it: 128 + signal."""
        return self.status if self.signal is None else 128 + self.signal


@dataclass(frozen=True, slots=True)
class Host:
    """`zone` is an IANA name: what the host's programs take for local time."""

    name: str
    address: str
    zone: str = "UTC"


@dataclass(frozen=True, slots=True)
class Proof:
    """Something that shows the cause, the culprit or both (`tells`) to whoever has it, alone and without the rest.

    `by` says where it stands: in a process's `lines` (then `says` is part of one of them), in how it ended (`exit`),
    in the kernel's log, the launcher's words, a core, or the environment that a process was started with.
    """

    by: Carried
    process: str
    tells: tuple[Scope, ...]
    says: str = ""


@dataclass(frozen=True, slots=True)
class Truth:
    """`cause` is "none" for a healthy run. `culprits`: tasks; empty where no single one is to blame."""

    cause: str
    culprits: tuple[str, ...] = ()
    also_acceptable: tuple[str, ...] = ()
    ended_first: str = ""  # the process that ended first; empty where none ended early
    proofs: tuple[Proof, ...] = ()
    about: str = ""  # a sentence: what was done to whom, and when

    @property
    def accepted(self) -> frozenset[str]:
        return frozenset((self.cause, *self.also_acceptable))


@dataclass(frozen=True)
class Run:
    """`lines` are in the order in which they were received."""

    name: str
    program: str
    fault: str  # "none" for a healthy run
    variation: str  # how and when the fault strikes, in a few words
    tensorflow: str
    python: str
    hosts: tuple[Host, ...]
    processes: tuple[Process, ...]
    truth: Truth
    lines: tuple[ReceivedLine, ...]
    cores: Mapping[str, bytes] = field(default_factory=dict)  # process → ELF core, slimmed
    environment: Mapping[str, str] = field(default_factory=dict)  # that all tasks were given
    samples: tuple[Sample, ...] = ()

    @cached_property
    def by_name(self) -> Mapping[str, Process]:
        return {process.name: process for process in self.processes}

    @property
    def tasks(self) -> list[Process]:
        """Processes of the cluster, with all their attempts, in the order of their start."""
        return [process for process in self.processes if process.role == "task"]

    def lines_of(self, process: str, stream: Stream | None = None) -> list[ReceivedLine]:
        return [line for line in self._lines_by_process.get(process, []) if stream in (None, line.stream)]

    @cached_property
    def _lines_by_process(self) -> Mapping[str, list[ReceivedLine]]:
        by_process: dict[str, list[ReceivedLine]] = {}
        for line in self.lines:
            by_process.setdefault(line.process, []).append(line)
        return by_process

    def local(self, host: str, time_ns: int) -> datetime:
        """The host's local time, to the microsecond, with its zone."""
        zone = next(candidate.zone for candidate in self.hosts if candidate.name == host)
        return datetime.fromtimestamp(time_ns // 1000 / 1e6, ZoneInfo(zone))

    def replace(self, **changes: Any) -> Run:
        """A copy with other fields, checked no more: disturbances take away what truth names."""
        return dataclasses.replace(self, **changes)
