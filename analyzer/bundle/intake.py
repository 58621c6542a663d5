"""From inputs to members: one pass over archives, folders and files, each opened by what its first bytes show."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from analyzer.bundle.archive import Entry, Opened
from analyzer.bundle.compression import decompress, detect_compression
from analyzer.bundle.disk import open_file
from analyzer.bundle.folder import name_kind, open_regular
from analyzer.bundle.meter import Meter, Watcher
from analyzer.bundle.names import Names, find_escape, make_printable, tidy_name
from analyzer.bundle.places import HINT, Place, list_places, measure
from analyzer.bundle.remote import Input, Remote, open_remote, open_transfer
from analyzer.bundle.stream import Stream
from analyzer.bundle.tar_archive import read_tar
from analyzer.bundle.tar_header import BLOCK, is_header, shows_tar
from analyzer.bundle.types import (
    DEFAULT_LIMITS,
    STOPPED,
    DamageError,
    LimitReachedError,
    Limits,
    Loss,
    Member,
    StoppedError,
)
from analyzer.bundle.zip_archive import ELF, has_members, is_stub, is_zip, read_zip
from analyzer.bundle.zip_cover import Cover
from analyzer.bundle.zip_seek import open_seekable
from analyzer.errors import InputError

_TAR_NAME = (".tar", ".tgz", ".tbz2", ".txz", ".tzst")
WORTH = 2 << 20  # compressed bytes from which on a thread that decompresses ahead makes a difference


@dataclass(frozen=True, slots=True)
class _Intake:
    """What is shared by all that one call opens."""

    limits: Limits
    scratch: Path | None
    meter: Meter
    names: Names = field(default_factory=Names)


@dataclass(frozen=True, slots=True)
class _Found:
    """A stream on its way to become a member, or an archive to look into. An empty `path` is the bundle itself."""

    path: str
    name: str  # for messages, where `path` is empty
    stream: Stream
    size: int | None
    mtime: float | None
    depth: int = 0
    local: Path | None = None
    stored: int | None = None  # bytes that it takes where it lies, compressed or not


def is_archive(path: Path) -> bool:
    """Whether a file, decompressed, begins as a tar or zip archive does; False where it cannot be read."""
    intake = _Intake(DEFAULT_LIMITS, None, Meter(DEFAULT_LIMITS))
    try:
        descriptor, status = open_regular(path, follow=True)
    except (OSError, ValueError):
        return False
    intake.meter.count_input(status.st_size)
    with io.FileIO(descriptor) as file, open_file(file, status.st_size, intake.meter.take) as stream:
        found = _unpack(_Found("", path.name, stream, status.st_size, None), intake, ExitStack())
        return _begins_archive(found.stream.peek(BLOCK))


def open_bundle(
    inputs: Sequence[Input], limits: Limits = DEFAULT_LIMITS, scratch: Path | None = None
) -> Iterator[Member | Loss]:
    """All members of all inputs, as they come, and every name that is not read with the reason.

    Members are valid until the next is asked for and need not be read. `scratch` is a private folder of the caller's,
    used for zips inside archives over `limits.nested_memory`. Raises InputError if no input can be opened, here, or if
    none holds a single member, at the end.
    """
    return check_members(inputs, open_places(list_places(inputs), limits, scratch))


def open_places(
    places: Iterable[Place | Loss],
    limits: Limits = DEFAULT_LIMITS,
    scratch: Path | None = None,
    watch: Watcher | None = None,
) -> Iterator[Member | Loss]:
    """What is in the files, as `open_bundle` gives it.

    `watch` is told of all bytes that are taken from the disk; where it raises StoppedError, nothing more is read and
    every file that is left over is a Loss.
    """
    intake, places = _Intake(limits, scratch, Meter(limits, watch or Watcher())), iter(places)
    for place in places:
        try:
            intake.meter.catch_up()
            if isinstance(place, Loss):
                yield Loss(intake.names.claim(place.path), place.size, place.reason, place.status)
            else:
                if not place.given:
                    intake.meter.count_member()
                yield from _read_place(place, intake)
        except StoppedError:
            name = place.path if isinstance(place, Loss) else place.name
            yield Loss(intake.names.claim(make_printable(name)), place.size, STOPPED, "skipped")
        except LimitReachedError as limit:
            yield _give_up([place, *places], limit, intake)
            return


def _give_up(rest: Sequence[Place | Loss], limit: LimitReachedError, intake: _Intake) -> Loss:
    """All that was not come to, as one loss under the name of the first."""
    name = rest[0].path if isinstance(rest[0], Loss) else rest[0].name
    reason = f"this and {len(rest) - 1:,} more files are not read: {limit}"
    return Loss(intake.names.claim(make_printable(name)), sum(one.size or 0 for one in rest), reason, "skipped")


def check_members(inputs: Sequence[Input], found: Iterable[Member | Loss]) -> Iterator[Member | Loss]:
    """The same; raises InputError at the end where there was no member."""
    members, first_loss = 0, None
    for item in found:
        members += isinstance(item, Member)
        if first_loss is None and isinstance(item, Loss):
            first_loss = item
        yield item
    if not members:
        reason = f": {first_loss.path}: {first_loss.reason}" if first_loss else ""
        names = ", ".join(make_printable(str(path)) for path in inputs)
        raise InputError(f"nothing in {names} can be read{reason}", HINT)


def _read_place(place: Place, intake: _Intake) -> Iterator[Member | Loss]:
    if isinstance(place.path, Remote):
        yield from _read_remote(place.path, place, intake)
    else:
        yield from _read_file(place.path, place.label, place.name, intake, place.given)


def _read_remote(remote: Remote, place: Place, intake: _Intake) -> Iterator[Member | Loss]:
    try:
        with open_remote(remote) as (file, remark):
            size = file.size if isinstance(getattr(file, "size", None), int) else remote.size
            if remark:
                intake.meter.watch.note(f"{place.name}: {remark}")
            with open_transfer(file, size, intake.meter) as stream:
                printable = make_printable(place.label), make_printable(place.name)
                yield from _open_found(_Found(*printable, stream, size, remote.mtime, 0 if place.given else 1), intake)
    except OSError as error:
        reason = f"it cannot be opened: {error.strerror or error}"
        yield Loss(intake.names.claim(make_printable(place.name)), remote.size, reason)


def _read_file(path: Path, label: str, name: str, intake: _Intake, follow: bool = False) -> Iterator[Member | Loss]:
    try:
        kind = None if follow else name_kind(path.lstat().st_mode)
        if kind:
            yield Loss(intake.names.claim(make_printable(name)), 0, kind, "skipped")
            return
        descriptor, status = open_regular(path, follow)
    except OSError as error:
        reason = f"it cannot be opened: {error.strerror}"
        yield Loss(intake.names.claim(make_printable(name)), measure(path), reason)
        return
    intake.meter.count_input(status.st_size)
    sparse = status.st_blocks * 512 < status.st_size
    with io.FileIO(descriptor) as file, open_file(file, status.st_size, intake.meter.take, sparse) as stream:
        printable = make_printable(label), make_printable(name)
        found = _Found(*printable, stream, status.st_size, status.st_mtime, 0 if follow else 1, path)
        yield from _open_found(found, intake)


def _open_found(found: _Found, intake: _Intake) -> Iterator[Member | Loss]:
    """A member of `found`, or all that lies in it if it is an archive."""
    with ExitStack() as threads:
        unpacked = _unpack(replace(found, stored=found.size), intake, threads)
        yield from _open_unpacked(unpacked, found.stream, intake)
        unpacked.stream.close()


def _unpack(found: _Found, intake: _Intake, threads: ExitStack) -> _Found:
    """Without its compressions. What lies on this disk and is large is decompressed while others read."""
    ahead = threads if found.local and (found.size or 0) >= WORTH else None
    for _ in range(intake.limits.depth + 1):  # x.gz.gz.gz
        compression = detect_compression(found.stream.peek(16))
        if not compression:
            break
        stream = decompress(compression, found.stream, intake.meter, ahead)
        found, ahead = replace(found, stream=stream, size=None, local=None), None
    return found


def _open_unpacked(found: _Found, packed: Stream, intake: _Intake) -> Iterator[Member | Loss]:
    head = found.stream.peek(BLOCK)
    if not head and found.stream.damage:
        left = packed.left()
        size = None if left is None else packed.position + left
        yield Loss(_claim(found, intake), size, str(found.stream.damage))
    elif detect_compression(head):
        reason = f"compressions inside compressions are undone {intake.limits.depth} deep (limit: depth)"
        yield Loss(_claim(found, intake), found.stored, reason, "skipped")
    elif _begins_tar(head) or _is_empty_tar(head, found):
        tar, entries = found.stream, read_tar(found.stream, intake.meter)
        yield from _open_archive(Opened(entries, lambda: tar.position, tar.left, tar.drain), found, intake)
    elif is_zip(head):
        yield from _open_zip(found, intake)
    elif is_stub(head) and _unpacks_itself(found, intake):
        yield from _open_zip(found, intake)
        if found.local and head.startswith(ELF):  # some core may need it as its program
            yield Member(_claim(found, intake), found.size, _believe(found.mtime), found.stream, found.local)
    else:
        yield Member(_claim(found, intake), found.size, _believe(found.mtime), found.stream, found.local)


def _begins_tar(head: bytes) -> bool:
    return is_header(head) or shows_tar(head)


def _begins_archive(head: bytes) -> bool:
    return _begins_tar(head) or is_zip(head)


def _believe(mtime: float | None) -> float | None:
    """0 is what packers write that do not say, and later than the year 5000 what nobody meant."""
    return mtime if mtime is not None and 0 < mtime < 1e11 else None


def _is_empty_tar(head: bytes, found: _Found) -> bool:
    """Only the name can tell an archive without members from a file of zeros."""
    return len(head) == BLOCK and not any(head) and any(end in found.name.lower() for end in _TAR_NAME)


def _open_zip(found: _Found, intake: _Intake) -> Iterator[Member | Loss]:
    try:
        with open_seekable(found.stream, found.local, not found.depth, intake.meter, intake.scratch) as file:
            cover = Cover(file)
            opened = Opened(read_zip(file, intake.meter, cover), file.tell, cover.left, cover.left)
            yield from _open_archive(opened, found, intake)
    except DamageError as damage:
        yield Loss(_claim(found, intake), found.stored, str(damage))


def _unpacks_itself(found: _Found, intake: _Intake) -> bool:
    """Whether a zip lies behind a program. Inside an archive one is looked for where the whole has room in memory."""
    if found.local is None:
        small = found.size is not None and found.size <= intake.limits.nested_memory
        return small and has_members(io.BytesIO(found.stream.peek(found.size or 0)))
    try:
        with open_seekable(found.stream, found.local, not found.depth, intake.meter, intake.scratch) as file:
            return has_members(file)
    except DamageError:
        return False


def _open_archive(opened: Opened, found: _Found, intake: _Intake) -> Iterator[Member | Loss]:
    limits = intake.limits
    if found.depth > limits.depth:
        reason = f"archives inside archives are followed {limits.depth} deep (limit: depth)"
        yield Loss(_claim(found, intake), found.stored, reason, "skipped")
        return
    empty = True
    try:
        for entry in opened.entries:
            empty = False
            intake.meter.count_member()
            yield from _open_entry(entry, found, intake)
        behind = opened.behind()
    except DamageError as damage:
        verb = "is read up to" if isinstance(damage, LimitReachedError) else "ends after"
        reason = f"the archive {verb} {opened.tell():,} bytes: {damage}"
        yield Loss(_claim(found, intake), opened.left(), reason)
        return
    if empty:
        yield Loss(_claim(found, intake), found.stored, "the archive is empty", "skipped")
    elif behind:
        reason = f"{behind:,} bytes of the archive belong to none of its members"
        yield Loss(_claim(found, intake), behind, reason, "skipped")


def _open_entry(entry: Entry, archive: _Found, intake: _Intake) -> Iterator[Member | Loss]:
    if entry.stream is None and not entry.reason:
        return  # a folder
    name = tidy_name(entry.name)
    longest = intake.limits.name_length
    printable = make_printable(name[:longest]) or "unnamed"
    path = f"{archive.path}/{printable}".strip("/")
    reason, status = entry.reason or find_escape(name), entry.status
    if len(name) > longest:
        reason, status = f"its name is longer than {longest:,} characters (limit: name_length)", "skipped"
    if reason or entry.stream is None:
        size = entry.stream.left() if entry.stream else entry.size
        yield Loss(intake.names.claim(path), size, reason or "", status)
        return
    yield from _open_found(_Found(path, path, entry.stream, entry.size, entry.mtime, archive.depth + 1), intake)


def _claim(found: _Found, intake: _Intake) -> str:
    return intake.names.claim(found.path or found.name)
