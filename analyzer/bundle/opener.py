"""Opening inputs: one pass over archives, folders and files. Their first bytes decide how each is opened."""

from __future__ import annotations

import io
import logging
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from analyzer.bundle.archive import ArchiveEntry, OpenArchive
from analyzer.bundle.compression import decompress, detect_compression
from analyzer.bundle.disk import open_disk_file
from analyzer.bundle.folder import describe_file_type, open_regular_file
from analyzer.bundle.input_files import INPUT_HINT, InputFile, file_size, list_input_files
from analyzer.bundle.mail import MAIL_HEAD_BYTES, MAX_MAIL_BYTES, may_be_mail, parse_mail
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
from analyzer.bundle.zip.data import ByteCoverage
from analyzer.bundle.zip.seekable import open_seekable
from analyzer.errors import InputError

_TAR_SUFFIXES = (".tar", ".tgz", ".tbz2", ".txz", ".tzst")
MIN_READ_AHEAD_BYTES = 2 << 20  # compressed bytes from which on a thread that decompresses ahead saves time
# Seconds of decompression per second of reading the logs that come out, measured on one core.
_DECOMPRESSION_COST = {"gzip": 0.3, "zstd": 0.3, "lz4": 0.25, "bzip2": 10.0, "xz": 5.0}
_log = logging.getLogger("analyzer.bundle")


@dataclass(frozen=True, slots=True)
class _OpenContext:
    """What all streams of one call share."""

    limits: BundleLimits
    scratch: Path | None
    meter: Meter
    paths: UniquePaths = field(default_factory=UniquePaths)


@dataclass(frozen=True, slots=True)
class _PendingStream:
    """A stream that will become a member or be opened as an archive. An empty `path` means the bundle itself."""

    path: str
    name: str  # for messages, where `path` is empty
    stream: ForwardStream
    size: int | None
    mtime: float | None
    depth: int = 0
    local: Path | None = None
    stored: int | None = None  # size in bytes as it is stored, compressed or not


def is_archive(path: Path) -> bool:
    """Return whether a file, decompressed, begins like a tar or zip archive; False if it cannot be read."""
    context = _OpenContext(DEFAULT_LIMITS, None, Meter(DEFAULT_LIMITS))
    try:
        descriptor, status = open_regular_file(path, follow=True)
    except (OSError, ValueError):
        return False
    context.meter.count_input(status.st_size)
    with io.FileIO(descriptor) as file, open_disk_file(file, status.st_size, context.meter.count_read) as stream:
        pending = _decompress_layers(
            _PendingStream(path="", name=path.name, stream=stream, size=status.st_size, mtime=None),
            context,
            ExitStack(),
        )
        return _begins_archive(pending.stream.peek(BLOCK_BYTES))


def relative_walk_cost(path: Path, follow_link: bool) -> float:
    """Return the time to pass through an archive without reading its members, as a part of the time to read them.

    0 for a zip and a bare tar, infinite for a file that is no archive or cannot be opened.
    """
    meter = Meter(DEFAULT_LIMITS)
    try:
        descriptor, status = open_regular_file(path, follow_link)
    except OSError:
        return math.inf
    with io.FileIO(descriptor) as file, open_disk_file(file, status.st_size, meter.count_read) as stream:
        compression = detect_compression(stream.peek(16))
        if compression is None:
            return 0.0 if _begins_archive(stream.peek(BLOCK_BYTES)) else math.inf
        head = decompress(compression, stream, meter).peek(BLOCK_BYTES)
        return _DECOMPRESSION_COST[compression] if _begins_tar(head) else math.inf


def open_bundle(
    inputs: Sequence[Input], limits: BundleLimits = DEFAULT_LIMITS, scratch: Path | None = None
) -> Iterator[Member | Loss]:
    """Yield all members of all inputs in order, and a Loss for everything that is not read.

    A member is valid until the next is asked for, and need not be read. `scratch`: a private folder of the caller for
    zips inside archives above `limits.nested_memory`. Raises InputError at once if no input can be opened, and at the
    end if none has a single member.
    """
    return require_members(inputs, open_input_files(list_input_files(inputs), limits, scratch))


def open_input_files(
    files: Iterable[InputFile | Loss],
    limits: BundleLimits = DEFAULT_LIMITS,
    scratch: Path | None = None,
    observer: ReadObserver | None = None,
) -> Iterator[Member | Loss]:
    """Yield what is in `files`, as `open_bundle` does.

    `observer` is notified of all bytes that are read from the inputs. If it raises StoppedError, nothing more is read
    and every remaining file is a Loss.
    """
    context, files = _OpenContext(limits, scratch, Meter(limits, observer or ReadObserver())), iter(files)
    for file in files:
        try:
            context.meter.count_skipped_rest()
            if isinstance(file, Loss):
                yield Loss(context.paths.claim(file.path), file.size, file.reason, file.status)
            else:
                if not file.is_input:
                    context.meter.count_member()
                yield from _read_input_file(file, context)
        except StoppedError:
            name = file.path if isinstance(file, Loss) else file.name
            yield Loss(context.paths.claim(make_printable(name)), file.size, STOPPED_REASON, "skipped")
        except LimitReachedError as limit:
            _log.info("%s and the rest is not read: %s", file.path if isinstance(file, Loss) else file.name, limit)
            yield _lose_remaining([file, *files], limit, context)
            return


def _lose_remaining(remaining: Sequence[InputFile | Loss], limit: LimitReachedError, context: _OpenContext) -> Loss:
    """Return one loss for all files that were not reached, under the name of the first."""
    name = remaining[0].path if isinstance(remaining[0], Loss) else remaining[0].name
    reason = f"this file and {len(remaining) - 1:,} more are not read: {limit}"
    return Loss(context.paths.claim(make_printable(name)), sum(item.size or 0 for item in remaining), reason, "skipped")


def require_members(inputs: Sequence[Input], items: Iterable[Member | Loss]) -> Iterator[Member | Loss]:
    """Yield `items`; raise InputError at the end if none of them was a member."""
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
        with open_remote(remote) as (file, note):
            size = file.size if isinstance(getattr(file, "size", None), int) else remote.size
            if note:
                context.meter.observer.add_note(f"{input_file.name}: {note}")
            with open_transfer(file, size, context.meter) as stream:
                pending = _PendingStream(
                    path=make_printable(input_file.label),
                    name=make_printable(input_file.name),
                    stream=stream,
                    size=size,
                    mtime=remote.mtime,
                    depth=0 if input_file.is_input else 1,
                )
                yield from _open_pending(pending, context)
    except OSError as error:
        reason = f"it cannot be opened: {error.strerror or error}"
        yield Loss(context.paths.claim(make_printable(input_file.name)), remote.size, reason)


def _read_file(
    path: Path, label: str, name: str, context: _OpenContext, follow_link: bool = False
) -> Iterator[Member | Loss]:
    try:
        problem = None if follow_link else describe_file_type(path.lstat().st_mode)
        if problem:
            yield Loss(context.paths.claim(make_printable(name)), 0, problem, "skipped")
            return
        descriptor, status = open_regular_file(path, follow_link)
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
        pending = _PendingStream(
            path=make_printable(label),
            name=make_printable(name),
            stream=stream,
            size=status.st_size,
            mtime=status.st_mtime,
            depth=0 if follow_link else 1,
            local=path,
        )
        yield from _open_pending(pending, context)


def _open_pending(pending: _PendingStream, context: _OpenContext) -> Iterator[Member | Loss]:
    """Yield the member that `pending` is, or all that is in it if it is an archive."""
    with ExitStack() as read_ahead:
        unpacked = _decompress_layers(replace(pending, stored=pending.size), context, read_ahead)
        yield from _open_decompressed(unpacked, pending.stream, context)
        unpacked.stream.close()


def _decompress_layers(pending: _PendingStream, context: _OpenContext, read_ahead: ExitStack) -> _PendingStream:
    """Return the stream without its compressions.

    A large file on this disk is decompressed in a thread of its own, while this one works on what came out.
    """
    ahead = read_ahead if pending.local and (pending.size or 0) >= MIN_READ_AHEAD_BYTES else None
    for _ in range(context.limits.depth + 1):  # x.gz.gz.gz
        compression = detect_compression(pending.stream.peek(16))
        if not compression:
            break
        _log.debug("%s is %s-compressed, by its first bytes", pending.name, compression)
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
        reason = f"it is compressed more than {context.limits.depth} times (limit: depth)"
        yield Loss(_claim_path(pending, context), pending.stored, reason, "skipped")
    elif _begins_tar(head) or _is_empty_tar(head, pending):
        _log.log(_archive_level(pending), "%s is a tar archive", pending.name)
        tar, entries = pending.stream, read_tar(pending.stream, context.meter)
        archive = OpenArchive(
            entries=entries, position=lambda: tar.position, bytes_left=tar.bytes_left, trailing_bytes=tar.drain
        )
        yield from _open_archive(archive, pending, context)
    elif is_zip(head):
        _log.log(_archive_level(pending), "%s is a zip archive", pending.name)
        yield from _open_zip(pending, context)
    elif may_be_self_extracting(head) and _is_self_extracting(pending, context):
        _log.log(_archive_level(pending), "%s is a self-extracting program or script: a zip follows", pending.name)
        yield from _open_zip(pending, context)
        if pending.local and head.startswith(ELF_MAGIC):  # it may be the program of a core
            yield _as_member(pending, context)
    elif (parts := _parts_of_mail(pending, context)) is not None:
        _log.log(_archive_level(pending), "%s is a mail or a mailbox with parts", pending.name)
        size = len(pending.stream.read())
        mail = OpenArchive(entries=iter(parts), position=lambda: size, bytes_left=lambda: 0, trailing_bytes=lambda: 0)
        yield from _open_archive(mail, pending, context)
    else:
        yield _as_member(pending, context)


def _parts_of_mail(pending: _PendingStream, context: _OpenContext) -> list[ArchiveEntry] | None:
    """Return the parts of a mail that is small enough to be decoded in memory; None for any other file."""
    if not may_be_mail(pending.stream.peek(MAIL_HEAD_BYTES)):
        return None
    largest = min(MAX_MAIL_BYTES, context.limits.nested_memory)
    data = pending.stream.peek(largest + 1)
    return parse_mail(data) if len(data) <= largest else None


def _as_member(pending: _PendingStream, context: _OpenContext) -> Member:
    return Member(
        path=_claim_path(pending, context),
        size=pending.size,
        mtime=_plausible_mtime(pending.mtime),
        stream=pending.stream,
        local=pending.local,
    )


def _archive_level(pending: _PendingStream) -> int:
    """Return the log level for an archive: INFO for one that is itself an input."""
    return logging.DEBUG if pending.depth else logging.INFO


def _begins_tar(head: bytes) -> bool:
    return is_header(head) or has_magic(head)


def _begins_archive(head: bytes) -> bool:
    return _begins_tar(head) or is_zip(head)


def _plausible_mtime(mtime: float | None) -> float | None:
    """Return `mtime`, or None for 0, which packers write if they do not know it, and for a time after the year 5000."""
    return mtime if mtime is not None and 0 < mtime < 1e11 else None


def _is_empty_tar(head: bytes, pending: _PendingStream) -> bool:
    """Return whether this is an archive without members; only its name distinguishes it from a file of zeros."""
    return len(head) == BLOCK_BYTES and not any(head) and any(end in pending.name.lower() for end in _TAR_SUFFIXES)


def _open_zip(pending: _PendingStream, context: _OpenContext) -> Iterator[Member | Loss]:
    try:
        with open_seekable(pending.stream, pending.local, not pending.depth, context.meter, context.scratch) as file:
            coverage = ByteCoverage(file)
            opened = OpenArchive(
                entries=read_zip(file, context.meter, coverage),
                position=file.tell,
                bytes_left=coverage.uncovered,
                trailing_bytes=coverage.uncovered,
            )
            yield from _open_archive(opened, pending, context)
    except DamageError as damage:
        yield Loss(_claim_path(pending, context), pending.stored, str(damage))


def _is_self_extracting(pending: _PendingStream, context: _OpenContext) -> bool:
    """Return whether a zip follows a program or script.

    A member of an archive is searched only if all of it fits into memory.
    """
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
        reason = f"nested archives are read to a depth of {limits.depth} (limit: depth)"
        yield Loss(_claim_path(pending, context), pending.stored, reason, "skipped")
        return
    empty = True
    try:
        for entry in opened.entries:
            empty = False
            context.meter.count_member()
            yield from _open_entry(entry, pending, context)
        trailing = opened.trailing_bytes()
    except DamageError as damage:
        verb = "is read up to" if isinstance(damage, LimitReachedError) else "ends after"
        reason = f"the archive {verb} {opened.position():,} bytes: {damage}"
        yield Loss(_claim_path(pending, context), opened.bytes_left(), reason)
        return
    if empty:
        yield Loss(_claim_path(pending, context), pending.stored, "the archive is empty", "skipped")
    elif trailing:
        reason = f"{trailing:,} bytes of the archive belong to no member"
        yield Loss(_claim_path(pending, context), trailing, reason, "skipped")


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
        _PendingStream(
            path=path, name=path, stream=entry.stream, size=entry.size, mtime=entry.mtime, depth=archive.depth + 1
        ),
        context,
    )


def _claim_path(pending: _PendingStream, context: _OpenContext) -> str:
    """Return a path for `pending` that no member has yet."""
    return context.paths.claim(pending.path or pending.name)
