"""Sparse members of GNU tar: core files are mostly holes, which are not stored.

Formats: GNU tar manual, "Storing Sparse Files": old GNU (type S), PAX 0.0, 0.1 and 1.0. libarchive writes 1.0, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from analyzer.bundle.meter import Meter
from analyzer.bundle.stream import ForwardStream, Piece
from analyzer.bundle.tar.header import BLOCK_BYTES, read_number
from analyzer.bundle.types import DamageError

SparseSegment = tuple[int, int]  # offset in the file, bytes stored
_ZEROS = bytes(256 * 1024)
_MAX_SEGMENTS = 1_000_000


class SparseStream(ForwardStream):
    """The whole file, holes as zeros. The bytes of its `segments` follow each other in `data`."""

    def __init__(self, data: ForwardStream, segments: Sequence[SparseSegment], size: int, meter: Meter) -> None:
        super().__init__(self._read_expanded, self._try_skip_in_hole, source=data)
        self._data = data
        self._segments = iter([*segments, (size, 0)])
        self._start, self._left = next(self._segments)
        self._position = 0
        self._meter = meter

    def hole_size(self) -> int:
        self._advance_segment()
        return 0 if self._lookahead else self._start - self._position

    def _advance_segment(self) -> None:
        while not self._left and self._position >= self._start:
            following = next(self._segments, None)
            if following is None:
                return
            self._start, self._left = following

    def _read_expanded(self, size: int) -> Piece:
        self._advance_segment()
        if self._position < self._start:
            piece: Piece = _ZEROS[: min(size, self._start - self._position)]
            self._meter.count_hole(len(piece))
        else:
            piece = self._data.read_some(min(size, self._left))
            if self._left and not piece:
                raise DamageError("a sparse member has less data than its map says")
            self._left -= len(piece)
            self._start += len(piece)
        self._position += len(piece)
        return piece

    def _try_skip_in_hole(self, size: int) -> bool:
        self._advance_segment()
        if size > self._start - self._position:
            return False
        self._position += size
        return True


def find_map_problem(segments: Sequence[SparseSegment], size: int, stored: int) -> str | None:
    """Return what is wrong with a map, or None. `size`: of the file; `stored`: bytes of data in the archive."""
    at = total = 0
    for offset, length in segments:
        if length < 0 or offset < at or offset + length > size:
            return "its sparse map is out of order"
        at = offset + length
        total += length
    return "its sparse map asks for more data than it has" if total > stored else None


def read_old_map(block: bytes, source: ForwardStream) -> tuple[list[SparseSegment], int]:
    """Return map and true size of a member of type S; further blocks of `source` may continue the map."""
    segments = list(_read_map_slots(block[386:482], 4))
    more = block[482]
    while more:
        if len(segments) > _MAX_SEGMENTS:
            raise DamageError("a sparse map of the tar archive has no end")
        extension = source.read(BLOCK_BYTES)
        if len(extension) < BLOCK_BYTES:
            raise DamageError("the tar archive ends inside a sparse map")
        segments += _read_map_slots(extension, 21)
        more = extension[504]
    return segments, read_number(block[483:495])


def _read_map_slots(field: bytes, count: int) -> Iterator[SparseSegment]:
    for at in range(0, count * 24, 24):
        if field[at]:
            yield read_number(field[at : at + 12]), read_number(field[at + 12 : at + 24])


def parse_pax_map(records: Sequence[tuple[str, str]]) -> list[SparseSegment]:
    """Return the map of PAX sparse 0.1 (`GNU.sparse.map=0,512,4096,100`) or 0.0 (repeated offset and numbytes)."""
    listed = [number for key, value in records if key == "GNU.sparse.map" for number in value.split(",") if number]
    if not listed:
        listed = [value for key, value in records if key in ("GNU.sparse.offset", "GNU.sparse.numbytes")]
    return _pair_numbers(read_map_number(number) for number in listed)


def read_leading_map(data: ForwardStream) -> list[SparseSegment]:
    """Return the map of PAX sparse 1.0: decimal lines in whole blocks, before the data."""
    numbers = _read_map_lines(data)
    count = next(numbers)
    if count > _MAX_SEGMENTS:
        raise DamageError("a sparse map of the tar archive has no end")
    return _pair_numbers(islice(numbers, 2 * count))


def _read_map_lines(data: ForwardStream) -> Iterator[int]:
    unread = b""
    while True:
        line, newline, behind = unread.partition(b"\n")
        if newline:
            unread = behind
            yield read_map_number(line.decode("latin-1"))
            continue
        block = data.read(BLOCK_BYTES)
        if not block or len(unread) > BLOCK_BYTES:
            raise DamageError("a sparse map of the tar archive is damaged")
        unread += block


def read_map_number(text: str) -> int:
    """Return a number of a sparse map. Raises DamageError for anything else."""
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise DamageError("a sparse map of the tar archive is damaged")
    return int(text)


def _pair_numbers(numbers: Iterator[int]) -> list[SparseSegment]:
    return list(zip(numbers, numbers, strict=False))
