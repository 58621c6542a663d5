"""What the intake hands on, and the bounds it keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from analyzer.model import SourceStatus

if TYPE_CHECKING:
    from typing_extensions import Buffer  # collections.abc has it from Python 3.12 on

MIB = 1 << 20
GIB = 1 << 30


class DamageError(Exception):  # it is what the bundle suffered, not an error of the program
    """A stream breaks in the middle. The text is a sentence for the report; what was read before it is good."""


class LimitReachedError(DamageError):
    """The bytes may be sound, but a setting of `Limits` forbids going on; the sentence names it."""


STOPPED_REASON = "not read: the reading was stopped"  # the reason of a Loss


class StoppedError(DamageError):
    """Nothing is wrong: whoever reads was told to end."""


class Readable(Protocol):
    """A forward-only binary stream. Reads give less than asked for only at the end or before `DamageError`."""

    position: int  # bytes that were read

    def bytes_left(self) -> int | None:
        """Bytes behind what was read, as they are stored; None where nobody can tell how many."""
        ...

    def read(self, size: int = -1, /) -> bytes: ...

    def readinto(self, buffer: Buffer, /) -> int: ...


@dataclass(frozen=True, slots=True)
class Member:
    """One file of the bundle.

    `path` is `/`-joined, printable and unique in the bundle. `size` is in bytes, None where only reading to the end
    tells (a compressed file). `mtime` is in seconds UTC, None where the container does not state a zone. `stream` is
    decompressed and holds until the next member is asked for. `local` is set where the same bytes lie on disk.
    """

    path: str
    size: int | None
    mtime: float | None
    stream: Readable
    local: Path | None = None


@dataclass(frozen=True, slots=True)
class Loss:
    """What the bundle holds and nobody will read. `status` is `skipped` (may not) or `failed` (cannot).

    `size`: the bytes that are thus not read, as they are stored; None where nobody can tell.
    """

    path: str
    size: int | None
    reason: str
    status: SourceStatus = "failed"


@dataclass(frozen=True, slots=True)
class BundleLimits:
    """Bounds of one bundle; every message about a bound names the field.

    `ratio` is judged for each compressed stream, and for all of them against the input's size on disk, once
    `ratio_from` bytes came out: cores that are mostly zeros compress 100:1 and more, gzip cannot pass 1032:1.
    Holes of sparse members cost neither disk nor decompression, so they have a bound of their own.
    """

    members: int = 200_000
    expanded: int = 1024 * GIB
    holes: int = 256 * GIB
    ratio: int = 1000
    ratio_from: int = 64 * MIB
    depth: int = 4
    name_length: int = 1024
    nested_memory: int = 64 * MIB  # a zip inside an archive needs seeking: up to here in memory …
    nested_spool: int = 16 * GIB  # … and up to here in the scratch folder
    window: int = 128 * MIB  # memory that a decompressor may ask for; zstd's and xz's own defaults fit


DEFAULT_LIMITS = BundleLimits()


@dataclass(frozen=True, slots=True)
class LimitRange:
    """What a limit may be set to. `in_memory`: so many bytes may be taken from the machine's memory at once."""

    minimum: int
    maximum: int
    in_bytes: bool = False
    in_memory: bool = False


MAX_FILE_BYTES = (1 << 63) - 1  # of a file, as the operating system has it
LIMIT_RANGES: Mapping[str, LimitRange] = {
    "members": LimitRange(1, 1 << 31),
    "expanded": LimitRange(1, MAX_FILE_BYTES, in_bytes=True),
    "holes": LimitRange(0, MAX_FILE_BYTES, in_bytes=True),
    "ratio": LimitRange(1, MAX_FILE_BYTES),
    "ratio_from": LimitRange(0, MAX_FILE_BYTES, in_bytes=True),
    "depth": LimitRange(0, 32),  # each level is read through those above it: Python gives up at some hundred calls
    "name_length": LimitRange(1, 1 << 16),
    "nested_memory": LimitRange(0, MAX_FILE_BYTES, in_bytes=True, in_memory=True),
    "nested_spool": LimitRange(0, MAX_FILE_BYTES, in_bytes=True),
    "window": LimitRange(1 << 10, MAX_FILE_BYTES, in_bytes=True, in_memory=True),  # zstd has none below 1 KiB
}
