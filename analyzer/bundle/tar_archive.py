"""Tar archives, forward only: members are read straight from the decompressor into the reader's buffer.

The standard tarfile copies each block three times in its streaming mode and keeps every header in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from analyzer.bundle.archive import Entry
from analyzer.bundle.meter import Meter
from analyzer.bundle.names import make_printable
from analyzer.bundle.stream import Stream, open_part
from analyzer.bundle.tar_header import BLOCK, Header, is_header, parse_header, read_pax
from analyzer.bundle.tar_search import skip_to_header
from analyzer.bundle.tar_sparse import (
    Segment,
    SparseStream,
    check_map,
    parse_pax_map,
    read_decimal,
    read_leading_map,
    read_old_map,
)
from analyzer.bundle.types import DamageError

_LONGEST_HEADER = 16 << 20  # a PAX 0.1 sparse map of a large core takes megabytes
_MOST_PADDING = 1 << 20  # zero blocks behind the end mark; GNU tar writes up to a record of 10 KiB
_UNREAD = {
    b"1": "a hard link to {link}: links are not followed",
    b"2": "a symbolic link to {link}: links are not followed",
    b"3": "a character device",
    b"4": "a block device",
    b"6": "a FIFO",
    b"M": "the rest of a file that began on another volume",
}
_FOLDERS = (b"5", b"D", b"V")  # folder, GNU's folder with a listing, volume label


@dataclass(slots=True)
class _Extras:
    """What headers in front of a member say about it."""

    name: str | None = None
    link: str | None = None
    pax: list[tuple[str, str]] = field(default_factory=list)
    size: int = 0  # bytes that these headers take


@dataclass(frozen=True, slots=True)
class _Member:
    header: Header
    extras: _Extras
    pax: Mapping[str, str]
    data: Stream  # the bytes as stored
    size: int  # of `data`
    whole: int  # of the file, holes included
    segments: Sequence[Segment] | None  # of type S


def read_tar(source: Stream, meter: Meter) -> Iterator[Entry]:
    """Every entry in the order of the archive, also of several archives one behind the other. Raises DamageError."""
    shared: dict[str, str] = {}
    extras = _Extras()
    for block in _read_blocks(source):
        try:
            member = _begin(parse_header(block), source, extras, shared)
        except DamageError as damage:
            source.push_back(block[1:])
            lost = 1 + skip_to_header(source)
            name = extras.name or block[:100].partition(b"\0")[0].decode("utf-8", "surrogateescape")
            yield Entry(
                name, lost, None, None, f"{damage}: {lost:,} bytes up to the next header are not read", "failed"
            )
            extras = _Extras()
            if not source.peek(1) and not source.damage:
                return  # there was no other
            continue
        if member is not None:
            yield _open_entry(member, meter)
            extras = _Extras()
            member.data.skip(member.size - member.data.position)
            member.data.close()
            source.skip(-member.size % BLOCK)
    if extras.size:
        yield Entry(
            extras.name or "", extras.size, None, None, "an extended header without a member behind it", "failed"
        )


def _begin(header: Header, source: Stream, extras: _Extras, shared: dict[str, str]) -> _Member | None:
    """The member that a header begins; None for one that says something of the next, which is noted. DamageError."""
    if header.type not in (b"L", b"K", b"x", b"X", b"g"):
        pax = {**shared, **dict(extras.pax)}
        size = _state_size(header, pax)
        segments, whole = read_old_map(header.block, source) if header.type == b"S" else (None, size)
        return _Member(header, extras, pax, open_part(source, size, "tar archive"), size, whole, segments)
    if header.size > _LONGEST_HEADER:
        raise DamageError("an extended header of the tar archive is too long")
    _note_extra(header, source.read(header.size), extras, shared)
    source.skip(-header.size % BLOCK)
    extras.size += 0 if header.type == b"g" else BLOCK + header.size
    return None


def _read_blocks(source: Stream) -> Iterator[bytes]:
    """What should be headers, up to the end mark. Raises DamageError."""
    zeros = 0
    while zeros * BLOCK < _MOST_PADDING:
        block = source.read(BLOCK)
        if len(block) < BLOCK:
            _check_end(block, zeros, source.damage)
            return
        if not block.strip(b"\0"):
            zeros += 1
        elif zeros and not is_header(block):
            source.push_back(block)
            return  # what follows the end mark is not part of the archive
        else:
            zeros = 0
            yield block


def _check_end(block: bytes, zeros: int, damage: DamageError | None) -> None:
    if damage:
        raise damage
    if block.strip(b"\0") or (block and not zeros):
        raise DamageError("the tar archive ends inside a header")
    if not zeros:
        raise DamageError("the tar archive has no end mark; members may be missing")


def _note_extra(header: Header, data: bytes, extras: _Extras, shared: dict[str, str]) -> None:
    text = data.rstrip(b"\0").decode("utf-8", "surrogateescape")
    if len(data) < header.size:
        raise DamageError("an extended header of the tar archive is cut off")
    if header.type == b"L":
        extras.name = text
    elif header.type == b"K":
        extras.link = text
    elif header.type == b"g":
        shared.update(read_pax(data))
    else:
        extras.pax += read_pax(data)


def _state_size(header: Header, pax: Mapping[str, str]) -> int:
    stated = pax.get("size")
    if stated is None or header.type in _UNREAD or header.type == b"5":
        return header.size
    if not (stated.isascii() and stated.isdigit() and len(stated) < 20):
        raise DamageError("an extended header of the tar archive states a size that is no number")
    return int(stated)


def _open_entry(member: _Member, meter: Meter) -> Entry:
    header, pax = member.header, member.pax
    name = pax.get("GNU.sparse.name") or pax.get("path") or member.extras.name or header.name
    link = pax.get("linkpath") or member.extras.link or header.link
    mtime = _read_mtime(header, pax)
    if header.type in _FOLDERS:
        said = "what an incremental archive lists of a folder" if member.size else ""
        return Entry(name, member.size, mtime, None, said)
    if header.type in _UNREAD:
        return Entry(name, member.size, mtime, None, _UNREAD[header.type].format(link=make_printable(link)))
    try:
        segments, whole = _read_map(member)
    except DamageError as damage:
        return Entry(name, member.size, mtime, None, str(damage), "failed")
    if segments is None:
        return Entry(name, member.size, mtime, member.data)
    problem = check_map(segments, whole, member.size - member.data.position)
    if problem:
        return Entry(name, member.size, mtime, None, problem, "failed")
    return Entry(name, whole, mtime, SparseStream(member.data, segments, whole, meter))


def _read_map(member: _Member) -> tuple[Sequence[Segment] | None, int]:
    """The segments of a sparse member and its true size; no segments for one that is stored whole."""
    pax = member.pax
    whole = pax.get("GNU.sparse.realsize") or pax.get("GNU.sparse.size")
    if whole is None:
        return member.segments, member.whole
    if pax.get("GNU.sparse.major") == "1":
        return read_leading_map(member.data), read_decimal(whole)
    return parse_pax_map(member.extras.pax), read_decimal(whole)


def _read_mtime(header: Header, pax: Mapping[str, str]) -> float | None:
    try:
        return float(pax.get("mtime", header.mtime))
    except ValueError:
        return None
