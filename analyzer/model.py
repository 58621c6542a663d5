"""The types that flow through the program. This module imports nothing of the package.

Times are seconds since the Unix epoch, UTC, as float (exact to microseconds until the year 2100), or None if the source
gives none: a time is never invented.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Literal, NamedTuple

_NOTHING: Mapping[str, str] = {}
SourceStatus = Literal["read", "partly-read", "not-understood", "skipped", "failed"]  # what became of a file


class Severity(IntEnum):
    """How bad a line or a finding is; ordered."""

    DEBUG = 0
    INFO = 1
    WARNING = 2
    ERROR = 3
    FATAL = 4

    @property
    def label(self) -> str:
        return self.name.lower()


class Kind(StrEnum):
    """What wrote a source; it decides which signals its lines are searched for."""

    WORKER = "worker"  # a training process: TensorFlow, Python, NCCL, Horovod
    KERNEL = "kernel"  # dmesg, journal of the kernel, pstore, netconsole
    SCHEDULER = "scheduler"  # Slurm, Kubernetes, LSF, supervisors, launchers
    SYSTEM = "system"  # syslog and journal of other daemons
    ENVIRONMENT = "environment"  # a file that states what a node is: env, TF_CONFIG, versions, limits
    SAMPLES = "samples"  # resource samples: `record`, sar, nvidia-smi dmon
    CORE = "core"  # an ELF core file
    DERIVED = "derived"  # not in any file: the analyzer concluded it from several
    UNKNOWN = "unknown"


class Role(StrEnum):
    """The part that a finding plays in an incident."""

    CAUSE = "cause"
    SYMPTOM = "symptom"
    CONTEXT = "context"


class Basis(StrEnum):
    """What a time stamp counts from, which determines what else is needed to make it UTC."""

    UTC = "utc"  # needs nothing more: seconds since the epoch
    LOCAL = "local"  # needs the zone: the wall clock's reading as if it were UTC
    YEARLESS = "yearless"  # needs year and zone: like LOCAL in the year 1972 (a leap year)
    UPTIME = "uptime"  # needs the boot time: seconds since boot
    DAYTIME = "daytime"  # needs date and zone: seconds since midnight


class Stamp(NamedTuple):
    """A time as a line states it, before zone, year or boot time are known. A tuple, because each line has one."""

    value: float
    basis: Basis


class Line(NamedTuple):
    """One line with its prefixes read. A tuple like `Stamp`, because a frozen object takes ten times as long to create.

    `message` is what follows all prefixes. `stamps` go from the outermost prefix (a container runtime's) to the
    innermost (the program's own). `stream` distinguishes interleaved writers: a rank, a container, a task. `formats`
    names the prefixes that were found, outermost first.
    """

    message: str
    stamps: tuple[Stamp, ...] = ()
    severity: Severity | None = None
    kind: Kind | None = None
    stream: str = ""
    pid: int | None = None
    tid: int | None = None
    host: str | None = None
    logger: str | None = None  # a Python logger, a C++ "file.cc:123", a syslog identifier
    formats: tuple[str, ...] = ()

    @property
    def has_prefix(self) -> bool:
        """Whether the line has a prefix of its own, so that it does not continue the line before it."""
        return bool(self.formats)


class Locus(NamedTuple):
    """Where a reader finds it: a file of the bundle and a line number from 1, None for a binary file."""

    file: str
    line: int | None = None


class Setting(NamedTuple):
    """A version or setting that a line states. There may be millions, so it is a tuple and not an event.

    `owner` names a machine or pod if the file is about several; it is empty if the file is about its own node.
    """

    name: str
    value: str
    line: int
    owner: str = ""


class ExceptionLine(NamedTuple):
    """The line of a traceback that names its exception."""

    line: int
    text: str


class Event(NamedTuple):
    """Something that a source says happened. A tuple like `Line`.

    `time` is the source's own; it is `inferred` if it was taken from the nearest earlier line of the same stream.
    `node` and `task` are filled in once all sources are read. `block` has the continuation lines that belong to the
    event. `count` is over 1 if equal events were folded.
    """

    signal: str
    locus: Locus
    text: str
    time: float | None = None
    inferred: bool = False
    severity: Severity = Severity.INFO
    kind: Kind = Kind.UNKNOWN
    node: str = ""
    task: str | None = None
    stream: str = ""
    host: str | None = None
    pid: int | None = None
    tid: int | None = None
    captures: Mapping[str, str] = _NOTHING
    block: tuple[str, ...] = ()
    count: int = 1  # type: ignore[assignment]  # hides the tuple's own method
    exception: ExceptionLine | None = None

    def with_placement(self, node: str, task: str | None, time: float | None) -> Event:
        """Return the event with its node, task and time. `_replace` would be too slow for millions of events."""
        return Event(
            self.signal,
            self.locus,
            self.text,
            time,
            self.inferred,
            self.severity,
            self.kind,
            node,
            task,
            self.stream,
            self.host,
            self.pid,
            self.tid,
            self.captures,
            self.block,
            self.count,
            self.exception,
        )


@dataclass(frozen=True, slots=True)
class Point:
    """Neighbouring samples folded into one: `time` and `line` are those of the last sample, `count` is their number."""

    time: float
    low: float
    mean: float
    high: float
    line: int
    count: int = 1


@dataclass(frozen=True, slots=True)
class Series:
    """One resource over time.

    `subject` names what was measured ("python3 (pid 7)", "gpu 0", "/dev/shm"), `scope` its kind (process, cgroup, node,
    gpu, disk, interface). Times are as the source states them, on `basis`.
    """

    scope: str
    metric: str
    subject: str
    unit: str  # bytes, bytes/s, cores, percent, celsius, watts, count
    points: tuple[Point, ...]
    limit: float | None = None
    basis: Basis = Basis.UTC
    file: str = ""
    node: str = ""


@dataclass(frozen=True, slots=True)
class Clock:
    """How a node's clock runs against the reference, in seconds: corrected = own - offset_at(own).

    `offset` is how far the clock is ahead at `reference_time` (by its own time); `drift` is what it gains in a second.
    `jumps` has (own time, seconds) of the moments at which it was set: before each of them it was that many seconds
    less ahead.
    """

    offset: float = 0.0
    error: float | None = None  # half width in seconds, valid wherever its log has lines; None: unknown
    method: str = "none"
    drift: float = 0.0
    reference_time: float = 0.0
    jumps: tuple[tuple[float, float], ...] = ()

    def offset_at(self, own_time: float) -> float:
        """Return how far the clock is ahead, in seconds, when it shows `own_time`."""
        later = sum(seconds for since, seconds in self.jumps if own_time < since) if self.jumps else 0.0
        return self.offset + self.drift * (own_time - self.reference_time) - later

    def correct(self, own_time: float) -> float:
        """Return the reference time at which the clock shows `own_time`."""
        if not self.jumps:
            return own_time - (
                self.offset + self.drift * (own_time - self.reference_time)
            )  # as below: each event is asked several times
        return own_time - self.offset_at(own_time)

    def clock_reading(self, corrected: float) -> float:
        """Return what the clock showed at a corrected time."""
        later = sum(seconds for _, seconds in self.jumps)
        for since, seconds in (*self.jumps, (float("inf"), 0.0)):
            own = corrected + self.offset - later
            own += self.drift * (own - self.reference_time) / (1 - self.drift)
            if own < since:
                break
            later -= seconds
        return own


@dataclass(frozen=True, slots=True)
class ReachedStep:
    """How far a node's training came: its last step, the corrected time of it, and its usual seconds per step."""

    epoch: int | None
    step: int
    time: float | None = None
    seconds_per_step: float | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """A machine, pod or process that an answer can blame."""

    name: str
    hosts: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    clock: Clock = Clock()
    first_time: float | None = None
    last_time: float | None = None
    silent_since: float | None = None
    reached_step: ReachedStep | None = None
    zone: float | None = None  # seconds east of UTC of the local times in its logs; None if the logs do not prove it
    present: bool = True  # False: the cluster names it, but the bundle has no file of it
    names: tuple[str, ...] = ()  # all under which it was seen, beside its tasks and addresses
    named_by: str = ""  # the claim by which it has its name, in words


@dataclass(frozen=True, slots=True)
class Source:
    """One file of the bundle and what became of it."""

    file: str
    node: str | None
    kind: Kind
    bytes: int
    status: SourceStatus
    lines: int = 0
    timed_lines: int = 0
    first_time: float | None = None
    last_time: float | None = None
    problem: str | None = None
    unread: int | None = 0  # how many of `bytes` were not read; None: an unknown number of bytes more
    line_order: Sequence[int] = ()  # number in the file of each line that was read; empty: they are read in that order

    def line_in_file(self, line: int | None) -> int | None:
        """Return the number in the file of a line that was read."""
        return self.line_order[line - 1] if line and line <= len(self.line_order) else line
