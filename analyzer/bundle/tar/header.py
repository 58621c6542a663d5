"""The 512-byte headers of a tar archive, the records of PAX headers, and the search for the next header after damage.

Format: POSIX.1-2017 pax, "ustar Interchange Format" and "pax Header Block"; GNU tar manual, "Basic Tar Format".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from analyzer.bundle.stream import ForwardStream
from analyzer.bundle.types import DamageError

BLOCK_BYTES = 512
MAGIC, MAGIC_OFFSET = b"ustar", 257
_CHECKSUM = slice(148, 156)
_UNSIGNED_SPACES = 8 * 0x20
_CHUNK_BYTES = 512 * BLOCK_BYTES


@dataclass(frozen=True, slots=True)
class TarHeader:
    """A header that was checked. `link`: the target of a link; `block`: the 512 bytes."""

    name: str
    size: int  # bytes that follow in the archive
    mtime: int
    type: bytes
    link: str
    block: bytes


def is_header(block: bytes) -> bool:
    """Return whether the checksum is valid, as v7 tar has no magic. A block that is cut off must show `ustar`."""
    if len(block) < BLOCK_BYTES:
        return has_magic(block)
    return bool(block[0]) and _is_checksum_valid(block[:BLOCK_BYTES])


def has_magic(block: bytes) -> bool:
    """Return whether a block has the magic of a header; its checksum is not checked."""
    return block[MAGIC_OFFSET : MAGIC_OFFSET + len(MAGIC)] == MAGIC


def _is_checksum_valid(block: bytes) -> bool:
    try:
        stated = int(block[_CHECKSUM].strip(b" \0") or b"-1", 8)
    except ValueError:
        return False
    covered = block[:148] + block[156:]
    unsigned = sum(covered) + _UNSIGNED_SPACES
    # The tars of old Sun and NeXT systems added up signed bytes.
    return stated == unsigned or stated == unsigned - 256 * sum(byte > 127 for byte in covered)


def parse_header(block: bytes) -> TarHeader:
    """Return the header in `block`. Raises DamageError if it is not valid."""
    if not _is_checksum_valid(block):
        raise DamageError("a header of the tar archive is damaged")
    name = _decode_text(block[:100])
    if block[MAGIC_OFFSET : MAGIC_OFFSET + 6] == MAGIC + b"\0" and block[345]:
        name = f"{_decode_text(block[345:500])}/{name}"
    size, kind = read_number(block[124:136]), block[156:157]
    if size < 0:
        raise DamageError("a header of the tar archive states a negative size")
    if kind in b"123456":  # links, devices, folders and FIFOs have no data, whatever size they state
        size = 0
    if kind in (b"\0", b"7"):
        kind = b"0"
    if kind == b"0" and name.endswith("/") and not size:
        kind = b"5"  # v7 tar has no type for folders. A long name, which is stored elsewhere, may be cut after a slash
    return TarHeader(
        name=name,
        size=size,
        mtime=read_number(block[136:148]),
        type=kind,
        link=_decode_text(block[157:257]),
        block=block,
    )


def read_number(field: bytes) -> int:
    """Return the number in a field: octal text, or GNU's base 256 if the first byte is 0x80 (or 0xff: negative)."""
    if field[0] in (0x80, 0xFF):
        value = int.from_bytes(field[1:], "big")
        return value if field[0] == 0x80 else value - (1 << 8 * (len(field) - 1))
    digits = field.partition(b"\0")[0].strip() or b"0"
    if not digits.isdigit() or digits.strip(b"01234567"):
        raise DamageError("a number in a header of the tar archive is not valid")
    return int(digits, 8)


def read_pax(data: bytes) -> Iterator[tuple[str, str]]:
    r"""Yield (key, value) of records such as `27 path=some/long/name\n` in order; keys may repeat (GNU sparse 0.0)."""
    at = 0
    while at < len(data) and data[at]:
        space = data.find(b" ", at, at + 20)
        digits = data[at:space] if space > 0 else b""
        end = at + int(digits) if digits.isdigit() else 0
        record = data[space + 1 : end]
        key, equals, value = record.partition(b"=")
        if not at < space < end <= len(data) or not equals or not record.endswith(b"\n"):
            raise DamageError("an extended header of the tar archive is damaged")
        yield _decode_text(key), value[:-1].decode("utf-8", "surrogateescape")
        at = end


def _decode_text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode("utf-8", "surrogateescape")


def skip_to_next_header(source: ForwardStream) -> int:
    """Skip to the next header or to the end, and return how many bytes were skipped.

    One wrong bit must not cost all that follows it; GNU tar does the same ("Skipping to next header"). Headers of v7
    tar are not found, because they have no magic. If the stream breaks, the next read meets the break.
    """
    start = source.position
    kept = b""
    try:
        while read := source.read(_CHUNK_BYTES):
            chunk = kept + read
            at = _find_header(chunk)
            if at is not None:
                source.push_back(chunk[at:])
                break
            kept = chunk[1 - BLOCK_BYTES :]
    except DamageError:
        pass
    return source.position - start


def _find_header(chunk: bytes) -> int | None:
    """Return the offset of a header in `chunk`, at any byte.

    After damage in a compressed stream the decoder may return a few bytes more or fewer than there were, so blocks are
    no longer aligned.
    """
    magic_start = chunk.find(MAGIC, MAGIC_OFFSET)
    while magic_start >= 0:
        at = magic_start - MAGIC_OFFSET
        if at + BLOCK_BYTES <= len(chunk) and is_header(chunk[at : at + BLOCK_BYTES]):
            return at
        magic_start = chunk.find(MAGIC, magic_start + 1)
    return None
