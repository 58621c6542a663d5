"""The types that flow through the program. Imports nothing of ours.

Times are seconds since the Unix epoch, UTC, as float (microseconds survive until the year 2100),
or None where the source gave none: a time is never made up.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    """What speaks: decides which signals a line is searched for."""

    WORKER = "worker"  # a training process: TensorFlow, Python, NCCL, Horovod
    KERNEL = "kernel"  # dmesg, journal of the kernel, pstore, netconsole
    SCHEDULER = "scheduler"  # Slurm, Kubernetes, LSF, supervisors, launchers
    SYSTEM = "system"  # syslog and journal of other daemons
    ENVIRONMENT = "environment"  # a file that states what a node is: env, TF_CONFIG, versions, limits
    SAMPLES = "samples"  # resource samples: `record`, sar, nvidia-smi dmon
    CORE = "core"  # an ELF core file
    DERIVED = "derived"  # no file says it: the analyzer concluded it from several
    UNKNOWN = "unknown"


class Role(StrEnum):
    CAUSE = "cause"
    SYMPTOM = "symptom"
    CONTEXT = "context"


class Basis(StrEnum):
    """What a time stamp counts from; says what else is needed to make it UTC."""

    UTC = "utc"  # nothing: seconds since the epoch
    LOCAL = "local"  # the zone: the wall clock's reading as if it were UTC
    YEARLESS = "yearless"  # year and zone: as LOCAL in the year 1972 (a leap year)
    UPTIME = "uptime"  # the boot time: seconds since boot
    DAYTIME = "daytime"  # date and zone: seconds since midnight


class Stamp(NamedTuple):
    """A time as a line states it, before zone, year or boot time are known. A tuple, because each line has one."""

    value: float
    basis: Basis


class Line(NamedTuple):
    """One line with its prefixes read. A tuple, as `Stamp`: to make a frozen object takes ten times as long.

    `message` is what is left behind all prefixes. `stamps` go from the outermost prefix (a container
    runtime's) to the innermost (the program's own). `stream` tells interleaved writers apart: a rank,
    a container, a task. `formats` names the prefixes that were found, outermost first.
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
        """Has a prefix of its own, so it does not continue the line before it."""
        return bool(self.formats)


class Locus(NamedTuple):
    """Where a reader opens it: a file of the bundle and a 1-based line, None for a binary file."""

    file: str
    line: int | None = None


class Setting(NamedTuple):
    """A version or setting that a line states: millions may be kept, so it is a tuple and no event.

    `whose` names a machine or pod where the file speaks of several, "" where it speaks of its own node.
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
    """Something that a source says happened. A tuple, as `Line`.

    `time` is the source's own, `inferred` when it was taken from the nearest earlier line of the same
    stream. `node` and `task` are filled in once all sources are read; `block` holds the continuation
    lines that belong to the event. `count` is over 1 where equal events were folded.
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
        """The same where and when it happened. As `_replace`, for which millions are too many."""
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
    """Neighbouring samples folded into one: `time` and `line` are the last's, `count` how many they are."""

    time: float
    low: float
    mean: float
    high: float
    line: int
    count: int = 1


@dataclass(frozen=True, slots=True)
class Series:
    """One resource over time. `what` names whose it is ("python3 (pid 7)", "gpu 0", "/dev/shm"), `scope` of what kind
    that is (process, cgroup, node, gpu, disk, interface). Times are as the source states them, on `basis`."""

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
    """How a node's clock runs against the reference, in seconds: corrected = own - lead(own).

    `offset` is how far it is ahead at the moment `at` by its own time; `drift` what it gains in a second. `jumps` holds
    (own time, seconds) of moments at which it was set: before them it was so many seconds less ahead.
    """

    offset: float = 0.0
    error: float | None = None  # half width, wherever its log has lines; None: unknown
    method: str = "none"
    drift: float = 0.0
    reference_time: float = 0.0
    jumps: tuple[tuple[float, float], ...] = ()

    def offset_at(self, own_time: float) -> float:
        later = sum(seconds for since, seconds in self.jumps if own_time < since) if self.jumps else 0.0
        return self.offset + self.drift * (own_time - self.reference_time) - later

    def correct(self, own_time: float) -> float:
        if not self.jumps:
            return own_time - (
                self.offset + self.drift * (own_time - self.reference_time)
            )  # as below: each event is asked several times
        return own_time - self.offset_at(own_time)

    def clock_reading(self, corrected: float) -> float:
        """What the clock showed at a corrected time."""
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
    """How far a node's training came: its last step, the corrected time of it, and its usual seconds a step."""

    epoch: int | None
    step: int
    time: float | None = None
    seconds_per_step: float | None = None


@dataclass(frozen=True, slots=True)
class Node:
    name: str
    hosts: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    clock: Clock = Clock()
    first_time: float | None = None
    last_time: float | None = None
    silent_since: float | None = None
    reached_step: ReachedStep | None = None
    zone: float | None = None  # seconds east of UTC of its logs' local times, where the logs prove it
    present: bool = True  # False: the cluster names it, the bundle holds nothing of it


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
    unread: int | None = 0  # of `bytes`, those that were not read; None: there are more, nobody knows how many
