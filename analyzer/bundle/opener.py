"""From inputs to members: one pass over archives, folders and files, each opened by what its first bytes show."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from analyzer.bundle.archive import ArchiveEntry, OpenArchive
from analyzer.bundle.compression import decompress, detect_compression
from analyzer.bundle.disk import open_disk_file
from analyzer.bundle.folder import describe_file_type, open_regular_file
from analyzer.bundle.input_files import INPUT_HINT, InputFile, file_size, list_input_files
from analyzer.bundle.meter import Meter, ReadObserver
from analyzer.bundle.names import UniquePaths, make_printable, normalize_name, why_unsafe
from analyzer.bundle.remote import Input, RemoteFile, open_remote, open_transfer
from analyzer.bundle.stream import ForwardStream
from analyzer.bundle.tar.archive import read_tar
from analyzer.bundle.tar.header import BLOCK_BYTES, has_magic, is_header
from analyzer.bundle.types import (
    DEFAULT_LIMITS,
    STOPPED_REASON,
    BundleLimits,
    DamageError,
    LimitReachedError,
    Loss,
    Member,
    StoppedError,
)
from analyzer.bundle.zip.archive import ELF_MAGIC, has_members, is_zip, may_be_self_extracting, read_zip
from analyzer.bundle.zip.coverage import ByteCoverage
from analyzer.bundle.zip.seekable import open_seekable
from analyzer.errors import InputError

_TAR_SUFFIXES = (".tar", ".tgz", ".tbz2", ".txz", ".tzst")
MIN_READ_AHEAD_BYTES = 2 << 20  # compressed bytes from which on a thread that decompresses ahead makes a difference


@dataclass(frozen=True, slots=True)
class _OpenContext:
    """What is shared by all that one call opens."""

    limits: BundleLimits
    scratch: Path | None
    meter: Meter
    paths: UniquePaths = field(default_factory=UniquePaths)


@dataclass(frozen=True, slots=True)
class _PendingStream:
    """A stream on its way to become a member, or an archive to look into. An empty `path` is the bundle itself."""

    path: str
    name: str  # for messages, where `path` is empty
    stream: ForwardStream
    size: int | None
    mtime: float | None
    depth: int = 0
    local: Path | None = None
    stored: int | None = None  # bytes that it takes where it lies, compressed or not


def is_archive(path: Path) -> bool:
    """Whether a file, decompressed, begins as a tar or zip archive does; False where it cannot be read."""
    context = _OpenContext(DEFAULT_LIMITS, None, Meter(DEFAULT_LIMITS))
    try:
        descriptor, status = open_regular_file(path, follow=True)
    except (OSError, ValueError):
        return False
    context.meter.count_input(status.st_size)
    with io.FileIO(descriptor) as file, open_disk_file(file, status.st_size, context.meter.count_read) as stream:
        pending = _decompress_layers(_PendingStream("", path.name, stream, status.st_size, None), context, ExitStack())
        return _begins_archive(pending.stream.peek(BLOCK_BYTES))


def open_bundle(
    inputs: Sequence[Input], limits: BundleLimits = DEFAULT_LIMITS, scratch: Path | None = None
) -> Iterator[Member | Loss]:
    """All members of all inputs, as they come, and every name that is not read with the reason.

    Members are valid until the next is asked for and need not be read. `scratch` is a private folder of the caller's,
    used for zips inside archives over `limits.nested_memory`. Raises InputError if no input can be opened, here, or if
    none holds a single member, at the end.
    """
    return require_members(inputs, open_input_files(list_input_files(inputs), limits, scratch))


def open_input_files(
    files: Iterable[InputFile | Loss],
    limits: BundleLimits = DEFAULT_LIMITS,
    scratch: Path | None = None,
    observer: ReadObserver | None = None,
) -> Iterator[Member | Loss]:
    """What is in the files, as `open_bundle` gives it.

    `watch` is told of all bytes that are taken from the disk; where it raises StoppedError, nothing more is read and
    every file that is left over is a Loss.
    """
    context, files = _OpenContext(limits, scratch, Meter(limits, observer or ReadObserver())), iter(files)
    for place in files:
        try:
            context.meter.count_skipped_rest()
            if isinstance(place, Loss):
                yield Loss(context.paths.claim(place.path), place.size, place.reason, place.status)
            else:
                if not place.is_input:
                    context.meter.count_member()
                yield from _read_input_file(place, context)
        except StoppedError:
            name = place.path if isinstance(place, Loss) else place.name
            yield Loss(context.paths.claim(make_printable(name)), place.size, STOPPED_REASON, "skipped")
        except LimitReachedError as limit:
            yield _lose_remaining([place, *files], limit, context)
            return


def _lose_remaining(remaining: Sequence[InputFile | Loss], limit: LimitReachedError, context: _OpenContext) -> Loss:
    """All that was not come to, as one loss under the name of the first."""
    name = remaining[0].path if isinstance(remaining[0], Loss) else remaining[0].name
    reason = f"this and {len(remaining) - 1:,} more files are not read: {limit}"
    return Loss(context.paths.claim(make_printable(name)), sum(one.size or 0 for one in remaining), reason, "skipped")


def require_members(inputs: Sequence[Input], items: Iterable[Member | Loss]) -> Iterator[Member | Loss]:
    """The same; raises InputError at the end where there was no member."""
    members, first_loss = 0, None
    for item in items:
        members += isinstance(item, Member)
        if first_loss is None and isinstance(item, Loss):
            first_loss = item
        yield item
    if not members:
        reason = f": {first_loss.path}: {first_loss.reason}" if first_loss else ""
        names = ", ".join(make_printable(str(path)) for path in inputs)
        raise InputError(f"nothing in {names} can be read{reason}", INPUT_HINT)


def _read_input_file(input_file: InputFile, context: _OpenContext) -> Iterator[Member | Loss]:
    if isinstance(input_file.path, RemoteFile):
        yield from _read_remote(input_file.path, input_file, context)
    else:
        yield from _read_file(input_file.path, input_file.label, input_file.name, context, input_file.is_input)


def _read_remote(remote: RemoteFile, input_file: InputFile, context: _OpenContext) -> Iterator[Member | Loss]:
    try:
        with open_remote(remote) as (file, remark):
            size = file.size if isinstance(getattr(file, "size", None), int) else remote.size
            if remark:
                context.meter.observer.add_note(f"{input_file.name}: {remark}")
            with open_transfer(file, size, context.meter) as stream:
                printable = make_printable(input_file.label), make_printable(input_file.name)
                yield from _open_pending(
                    _PendingStream(*printable, stream, size, remote.mtime, 0 if input_file.is_input else 1), context
                )
    except OSError as error:
        reason = f"it cannot be opened: {error.strerror or error}"
        yield Loss(context.paths.claim(make_printable(input_file.name)), remote.size, reason)


def _read_file(
    path: Path, label: str, name: str, context: _OpenContext, follow: bool = False
) -> Iterator[Member | Loss]:
    try:
        problem = None if follow else describe_file_type(path.lstat().st_mode)
        if problem:
            yield Loss(context.paths.claim(make_printable(name)), 0, problem, "skipped")
            return
        descriptor, status = open_regular_file(path, follow)
    except OSError as error:
        reason = f"it cannot be opened: {error.strerror}"
        yield Loss(context.paths.claim(make_printable(name)), file_size(path), reason)
        return
    context.meter.count_input(status.st_size)
    sparse = status.st_blocks * 512 < status.st_size
    with (
        io.FileIO(descriptor) as file,
        open_disk_file(file, status.st_size, context.meter.count_read, sparse) as stream,
    ):
        printable = make_printable(label), make_printable(name)
        pending = _PendingStream(*printable, stream, status.st_size, status.st_mtime, 0 if follow else 1, path)
        yield from _open_pending(pending, context)


def _open_pending(pending: _PendingStream, context: _OpenContext) -> Iterator[Member | Loss]:
    """A member of `found`, or all that lies in it if it is an archive."""
    with ExitStack() as read_ahead:
        unpacked = _decompress_layers(replace(pending, stored=pending.size), context, read_ahead)
        yield from _open_decompressed(unpacked, pending.stream, context)
        unpacked.stream.close()


def _decompress_layers(pending: _PendingStream, context: _OpenContext, read_ahead: ExitStack) -> _PendingStream:
    """Without its compressions. What lies on this disk and is large is decompressed while others read."""
    ahead = read_ahead if pending.local and (pending.size or 0) >= MIN_READ_AHEAD_BYTES else None
    for _ in range(context.limits.depth + 1):  # x.gz.gz.gz
        compression = detect_compression(pending.stream.peek(16))
        if not compression:
            break
        stream = decompress(compression, pending.stream, context.meter, ahead)
        pending, ahead = replace(pending, stream=stream, size=None, local=None), None
    return pending


def _open_decompressed(
    pending: _PendingStream, packed: ForwardStream, context: _OpenContext
) -> Iterator[Member | Loss]:
    head = pending.stream.peek(BLOCK_BYTES)
    if not head and pending.stream.damage:
        left = packed.bytes_left()
        size = None if left is None else packed.position + left
        yield Loss(_claim_path(pending, context), size, str(pending.stream.damage))
    elif detect_compression(head):
        reason = f"compressions inside compressions are undone {context.limits.depth} deep (limit: depth)"
        yield Loss(_claim_path(pending, context), pending.stored, reason, "skipped")
    elif _begins_tar(head) or _is_empty_tar(head, pending):
        tar, entries = pending.stream, read_tar(pending.stream, context.meter)
        yield from _open_archive(
            OpenArchive(entries, lambda: tar.position, tar.bytes_left, tar.drain), pending, context
        )
    elif is_zip(head):
        yield from _open_zip(pending, context)
    elif may_be_self_extracting(head) and _is_self_extracting(pending, context):
        yield from _open_zip(pending, context)
        if pending.local and head.startswith(ELF_MAGIC):  # some core may need it as its program
            yield Member(
                _claim_path(pending, context),
                pending.size,
                _plausible_mtime(pending.mtime),
                pending.stream,
                pending.local,
            )
    else:
        yield Member(
            _claim_path(pending, context), pending.size, _plausible_mtime(pending.mtime), pending.stream, pending.local
        )


def _begins_tar(head: bytes) -> bool:
    return is_header(head) or has_magic(head)


def _begins_archive(head: bytes) -> bool:
    return _begins_tar(head) or is_zip(head)


def _plausible_mtime(mtime: float | None) -> float | None:
    """0 is what packers write that do not say, and later than the year 5000 what nobody meant."""
    return mtime if mtime is not None and 0 < mtime < 1e11 else None


def _is_empty_tar(head: bytes, pending: _PendingStream) -> bool:
    """Only the name can tell an archive without members from a file of zeros."""
    return len(head) == BLOCK_BYTES and not any(head) and any(end in pending.name.lower() for end in _TAR_SUFFIXES)


def _open_zip(pending: _PendingStream, context: _OpenContext) -> Iterator[Member | Loss]:
    try:
        with open_seekable(pending.stream, pending.local, not pending.depth, context.meter, context.scratch) as file:
            coverage = ByteCoverage(file)
            opened = OpenArchive(
                read_zip(file, context.meter, coverage), file.tell, coverage.uncovered, coverage.uncovered
            )
            yield from _open_archive(opened, pending, context)
    except DamageError as damage:
        yield Loss(_claim_path(pending, context), pending.stored, str(damage))


def _is_self_extracting(pending: _PendingStream, context: _OpenContext) -> bool:
    """Whether a zip lies behind a program. Inside an archive one is looked for where the whole has room in memory."""
    if pending.local is None:
        small = pending.size is not None and pending.size <= context.limits.nested_memory
        return small and has_members(io.BytesIO(pending.stream.peek(pending.size or 0)))
    try:
        with open_seekable(pending.stream, pending.local, not pending.depth, context.meter, context.scratch) as file:
            return has_members(file)
    except DamageError:
        return False


def _open_archive(opened: OpenArchive, pending: _PendingStream, context: _OpenContext) -> Iterator[Member | Loss]:
    limits = context.limits
    if pending.depth > limits.depth:
        reason = f"archives inside archives are followed {limits.depth} deep (limit: depth)"
        yield Loss(_claim_path(pending, context), pending.stored, reason, "skipped")
        return
    empty = True
    try:
        for entry in opened.entries:
            empty = False
            context.meter.count_member()
            yield from _open_entry(entry, pending, context)
        behind = opened.trailing_bytes()
    except DamageError as damage:
        verb = "is read up to" if isinstance(damage, LimitReachedError) else "ends after"
        reason = f"the archive {verb} {opened.position():,} bytes: {damage}"
        yield Loss(_claim_path(pending, context), opened.bytes_left(), reason)
        return
    if empty:
        yield Loss(_claim_path(pending, context), pending.stored, "the archive is empty", "skipped")
    elif behind:
        reason = f"{behind:,} bytes of the archive belong to none of its members"
        yield Loss(_claim_path(pending, context), behind, reason, "skipped")


def _open_entry(entry: ArchiveEntry, archive: _PendingStream, context: _OpenContext) -> Iterator[Member | Loss]:
    if entry.stream is None and not entry.reason:
        return  # a folder
    name = normalize_name(entry.name)
    longest = context.limits.name_length
    printable = make_printable(name[:longest]) or "unnamed"
    path = f"{archive.path}/{printable}".strip("/")
    reason, status = entry.reason or why_unsafe(name), entry.status
    if len(name) > longest:
        reason, status = f"its name is longer than {longest:,} characters (limit: name_length)", "skipped"
    if reason or entry.stream is None:
        size = entry.stream.bytes_left() if entry.stream else entry.size
        yield Loss(context.paths.claim(path), size, reason or "", status)
        return
    yield from _open_pending(
        _PendingStream(path, path, entry.stream, entry.size, entry.mtime, archive.depth + 1), context
    )


def _claim_path(pending: _PendingStream, context: _OpenContext) -> str:
    return context.paths.claim(pending.path or pending.name)
