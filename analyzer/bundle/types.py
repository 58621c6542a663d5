"""What the bundle yields (members and losses), its errors, and its limits."""

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


class DamageError(Exception):  # an error of the bundle, not of the program or its user
    """A stream breaks in the middle. The text is a sentence for the report; what was read before the break is good."""


class LimitReachedError(DamageError):
    """The bytes may be sound, but a setting of `BundleLimits`, which the sentence names, forbids to read on."""


STOPPED_REASON = "not read: reading was stopped"  # the reason of a Loss


class StoppedError(DamageError):
    """Nothing is wrong: the reader was asked to stop."""


class Readable(Protocol):
    """A forward-only binary stream. Reads return fewer bytes than requested only at the end or before `DamageError`."""

    position: int  # bytes read so far

    def bytes_left(self) -> int | None:
        """Return how many bytes, as stored, follow what was read; None if unknown."""
        ...

    def read(self, size: int = -1, /) -> bytes: ...

    def readinto(self, buffer: Buffer, /) -> int: ...


@dataclass(frozen=True, slots=True)
class Member:
    """One file of the bundle.

    `path` is `/`-joined, printable and unique in the bundle. `size` is in bytes, None if only reading to the end would
    tell (a compressed file). `mtime` is in seconds UTC, None if the container does not state a zone. `stream` is
    decompressed and valid until the next member is asked for. `local` is set if the same bytes are in a file on disk.
    """

    path: str
    size: int | None
    mtime: float | None
    stream: Readable
    local: Path | None = None


@dataclass(frozen=True, slots=True)
class Loss:
    """Something in the bundle that is not read. `status`: `skipped` (may not be read) or `failed` (cannot be read).

    `size`: the bytes that are not read, as stored; None if unknown.
    """

    path: str
    size: int | None
    reason: str
    status: SourceStatus = "failed"


@dataclass(frozen=True, slots=True)
class BundleLimits:
    """Bounds of one bundle; every message about a bound names the field.

    `ratio` is checked for each compressed stream, and for all of them against the size of the input on disk, once
    `ratio_from` bytes came out: cores that are mostly zeros compress 100:1 and more, and gzip cannot exceed 1032:1.
    Holes of sparse members cost neither disk space nor decompression, so they have a bound of their own.
    """

    members: int = 200_000
    expanded: int = 1024 * GIB
    holes: int = 256 * GIB
    ratio: int = 1000
    ratio_from: int = 64 * MIB
    depth: int = 4
    name_length: int = 1024
    nested_memory: int = 64 * MIB  # a zip inside an archive must be seekable: up to this size in memory …
    nested_spool: int = 16 * GIB  # … and up to this size in the scratch folder
    window: int = 128 * MIB  # memory of a decompressor; the defaults of zstd and xz need less


DEFAULT_LIMITS = BundleLimits()


@dataclass(frozen=True, slots=True)
class LimitRange:
    """What a limit may be set to. `in_memory`: the limit is an amount of memory that may be allocated at once."""

    minimum: int
    maximum: int
    in_bytes: bool = False
    in_memory: bool = False


MAX_FILE_BYTES = (1 << 63) - 1  # the largest file size of the operating system
LIMIT_RANGES: Mapping[str, LimitRange] = {
    "members": LimitRange(1, 1 << 31),
    "expanded": LimitRange(1, MAX_FILE_BYTES, in_bytes=True),
    "holes": LimitRange(0, MAX_FILE_BYTES, in_bytes=True),
    "ratio": LimitRange(1, MAX_FILE_BYTES),
    "ratio_from": LimitRange(0, MAX_FILE_BYTES, in_bytes=True),
    "depth": LimitRange(0, 32),  # each level is read through those above it, and Python bounds the depth of calls
    "name_length": LimitRange(1, 1 << 16),
    "nested_memory": LimitRange(0, MAX_FILE_BYTES, in_bytes=True, in_memory=True),
    "nested_spool": LimitRange(0, MAX_FILE_BYTES, in_bytes=True),
    "window": LimitRange(1 << 10, MAX_FILE_BYTES, in_bytes=True, in_memory=True),  # zstd has no window below 1 KiB
}
