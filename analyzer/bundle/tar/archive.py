"""Tar archives, read forward only.

The standard tarfile module takes a damaged header for the end of the archive. This reader continues at the next header
that it finds and reports every byte that it lost. It also keeps no headers in memory, and reads members straight from
the decompressor into the reader's buffer, where tarfile copies each block three times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from analyzer.bundle.archive import ArchiveEntry
from analyzer.bundle.meter import Meter
from analyzer.bundle.names import make_printable
from analyzer.bundle.stream import ForwardStream, open_part
from analyzer.bundle.tar.header import BLOCK_BYTES, TarHeader, is_header, parse_header, read_pax, skip_to_next_header
from analyzer.bundle.tar.sparse import (
    SparseSegment,
    SparseStream,
    find_map_problem,
    parse_pax_map,
    read_leading_map,
    read_map_number,
    read_old_map,
)
from analyzer.bundle.types import DamageError

_MAX_EXTENDED_HEADER_BYTES = 16 << 20  # a PAX 0.1 sparse map of a large core takes megabytes
_MAX_PADDING_BYTES = 1 << 20  # of zeros after the end mark; GNU tar writes up to a record of 10 KiB
_UNREAD_TYPES = {
    b"1": "a hard link to {link}: links are not followed",
    b"2": "a symbolic link to {link}: links are not followed",
    b"3": "a character device",
    b"4": "a block device",
    b"6": "a FIFO",
    b"M": "the rest of a file that begins on another volume",
}
_FOLDER_TYPES = (b"5", b"D", b"V")  # folder, GNU's folder with a listing, volume label


@dataclass(slots=True)
class _ExtendedHeaders:
    """What the headers before a member state about it."""

    name: str | None = None
    link: str | None = None
    pax: list[tuple[str, str]] = field(default_factory=list)
    size: int = 0  # bytes of these headers


@dataclass(frozen=True, slots=True)
class _TarMember:
    header: TarHeader
    extended: _ExtendedHeaders
    pax: Mapping[str, str]
    data: ForwardStream  # the bytes as stored
    size: int  # of `data`
    full_size: int  # of the file, holes included
    segments: Sequence[SparseSegment] | None  # only of type S


def read_tar(source: ForwardStream, meter: Meter) -> Iterator[ArchiveEntry]:
    """Yield every entry in the order of the archive, or of several concatenated archives.

    A damaged header is an entry that states how many bytes are lost up to the next one. Raises DamageError.
    """
    shared: dict[str, str] = {}
    extended = _ExtendedHeaders()
    for block in _read_blocks(source):
        try:
            member = _start_member(parse_header(block), source, extended, shared)
        except DamageError as damage:
            source.push_back(block[1:])
            lost = 1 + skip_to_next_header(source)
            name = extended.name or block[:100].partition(b"\0")[0].decode("utf-8", "surrogateescape")
            yield ArchiveEntry(
                name=name,
                size=lost,
                mtime=None,
                stream=None,
                reason=f"{damage}: {lost:,} bytes up to the next header are not read",
                status="failed",
            )
            extended = _ExtendedHeaders()
            if not source.peek(1) and not source.damage:
                return  # there is no further header
            continue
        if member is not None:
            yield _open_entry(member, meter)
            extended = _ExtendedHeaders()
            member.data.skip(member.size - member.data.position)
            member.data.close()
            source.skip(-member.size % BLOCK_BYTES)
    if extended.size:
        yield ArchiveEntry(
            name=extended.name or "",
            size=extended.size,
            mtime=None,
            stream=None,
            reason="an extended header without a member",
            status="failed",
        )


def _start_member(
    header: TarHeader, source: ForwardStream, extended: _ExtendedHeaders, shared: dict[str, str]
) -> _TarMember | None:
    """Return the member that a header begins; None for a header about the next member. Raises DamageError."""
    if header.type not in (b"L", b"K", b"x", b"X", b"g"):
        pax = {**shared, **dict(extended.pax)}
        size = _stated_size(header, pax)
        segments, full_size = read_old_map(header.block, source) if header.type == b"S" else (None, size)
        return _TarMember(
            header=header,
            extended=extended,
            pax=pax,
            data=open_part(source, size, "tar archive"),
            size=size,
            full_size=full_size,
            segments=segments,
        )
    if header.size > _MAX_EXTENDED_HEADER_BYTES:
        raise DamageError("an extended header of the tar archive is too long")
    _store_extended_header(header, source.read(header.size), extended, shared)
    source.skip(-header.size % BLOCK_BYTES)
    extended.size += 0 if header.type == b"g" else BLOCK_BYTES + header.size
    return None


def _read_blocks(source: ForwardStream) -> Iterator[bytes]:
    """Yield the blocks that should be headers, up to the end mark. Raises DamageError."""
    zeros = 0
    while zeros * BLOCK_BYTES < _MAX_PADDING_BYTES:
        block = source.read(BLOCK_BYTES)
        if len(block) < BLOCK_BYTES:
            _check_end_mark(block, zeros, source.damage)
            return
        if not block.strip(b"\0"):
            zeros += 1
        elif zeros and not is_header(block):
            source.push_back(block)
            return  # what follows the end mark does not belong to the archive
        else:
            zeros = 0
            yield block


def _check_end_mark(block: bytes, zeros: int, damage: DamageError | None) -> None:
    if damage:
        raise damage
    if block.strip(b"\0") or (block and not zeros):
        raise DamageError("the tar archive ends inside a header")
    if not zeros:
        raise DamageError("the tar archive has no end mark; members may be missing")


def _store_extended_header(header: TarHeader, data: bytes, extended: _ExtendedHeaders, shared: dict[str, str]) -> None:
    text = data.rstrip(b"\0").decode("utf-8", "surrogateescape")
    if len(data) < header.size:
        raise DamageError("an extended header of the tar archive is cut off")
    if header.type == b"L":
        extended.name = text
    elif header.type == b"K":
        extended.link = text
    elif header.type == b"g":
        shared.update(read_pax(data))
    else:
        extended.pax += read_pax(data)


def _stated_size(header: TarHeader, pax: Mapping[str, str]) -> int:
    stated = pax.get("size")
    if stated is None or header.type in _UNREAD_TYPES or header.type == b"5":
        return header.size
    if not (stated.isascii() and stated.isdigit() and len(stated) < 20):
        raise DamageError("an extended header of the tar archive states a size that is not a number")
    return int(stated)


def _open_entry(member: _TarMember, meter: Meter) -> ArchiveEntry:
    header, pax = member.header, member.pax
    name = pax.get("GNU.sparse.name") or pax.get("path") or member.extended.name or header.name
    link = pax.get("linkpath") or member.extended.link or header.link
    mtime = _read_mtime(header, pax)
    if header.type in _FOLDER_TYPES:
        reason = "a list of the files in a folder, which incremental archives have" if member.size else ""
        return ArchiveEntry(name=name, size=member.size, mtime=mtime, stream=None, reason=reason)
    if header.type in _UNREAD_TYPES:
        return ArchiveEntry(
            name=name,
            size=member.size,
            mtime=mtime,
            stream=None,
            reason=_UNREAD_TYPES[header.type].format(link=make_printable(link)),
        )
    try:
        segments, full_size = _read_sparse_map(member)
    except DamageError as damage:
        return ArchiveEntry(name=name, size=member.size, mtime=mtime, stream=None, reason=str(damage), status="failed")
    if segments is None:
        return ArchiveEntry(name, member.size, mtime, member.data)
    problem = find_map_problem(segments, full_size, member.size - member.data.position)
    if problem:
        return ArchiveEntry(name=name, size=member.size, mtime=mtime, stream=None, reason=problem, status="failed")
    return ArchiveEntry(name, full_size, mtime, SparseStream(member.data, segments, full_size, meter))


def _read_sparse_map(member: _TarMember) -> tuple[Sequence[SparseSegment] | None, int]:
    """Return the segments of a sparse member and its true size; None as segments if it is stored in full."""
    pax = member.pax
    full_size = pax.get("GNU.sparse.realsize") or pax.get("GNU.sparse.size")
    if full_size is None:
        return member.segments, member.full_size
    if pax.get("GNU.sparse.major") == "1":
        return read_leading_map(member.data), read_map_number(full_size)
    return parse_pax_map(member.extended.pax), read_map_number(full_size)


def _read_mtime(header: TarHeader, pax: Mapping[str, str]) -> float | None:
    try:
        return float(pax.get("mtime", header.mtime))
    except ValueError:
        return None
