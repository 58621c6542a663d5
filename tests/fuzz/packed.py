"""Changes of archives that keep them archives: a field of a record becomes odd, and the checksum is right again."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence
from random import Random

import lz4.frame
import zstandard

from analyzer.bundle.compression import detect_compression
from tests.bundle.packing import COMPRESSORS, pack_tar, pack_zip
from tests.fuzz import odd

BLOCK = 512
# Offset and length of the fields of a tar header; behind 345 the name's prefix, or GNU's times and sparse map.
_TAR_FIELDS = [(0, 100), (100, 8), (108, 8), (124, 12), (124, 12), (136, 12), (156, 1), (156, 1), (157, 100), (257, 8)]
_TAR_FIELDS += [(329, 8), (345, 155), (386, 24), (410, 24), (482, 1), (483, 12)]
_KINDS = b"\x000123456789SLKxXgDVMNA"
_PAX_KEYS = ["path", "linkpath", "size", "mtime", "charset", "hdrcharset", "comment", "SCHILY.xattr.user", "uid"]
_PAX_KEYS += [
    f"GNU.sparse.{key}" for key in ("major", "minor", "name", "realsize", "size", "map", "offset", "numbytes")
]
_PAX_VALUES = [
    "1",
    "0",
    "512",
    "0,512",
    "0,512,4096,512",
    "4096,512,0,512",
    "9999",
    "9" * 25,
    "-1",
    "1e3",
    "../x",
    "a\0b",
]
# Signature, and the (offset, length) of the fields behind it: APPNOTE 4.3.7, 4.3.12, 4.3.14, 4.3.15, 4.3.16.
_ZIP_RECORDS: Mapping[bytes, Sequence[tuple[int, int]]] = {
    b"PK\x03\x04": [(4, 2), (6, 2), (8, 2), (14, 4), (18, 4), (22, 4), (26, 2), (28, 2)],
    b"PK\x01\x02": [(4, 2), (8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2), (32, 2), (38, 4), (42, 4)],
    b"PK\x05\x06": [(4, 2), (8, 2), (10, 2), (12, 4), (16, 4), (20, 2)],
    b"PK\x06\x06": [(4, 8), (24, 8), (32, 8), (40, 8), (48, 8)],
    b"PK\x06\x07": [(4, 4), (8, 8), (16, 4)],
    b"PK\x07\x08": [(4, 4), (8, 4), (12, 4)],
}
_ZIP_MARK = re.compile(b"|".join(map(re.escape, _ZIP_RECORDS)))
_OPENERS: Mapping[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.decompress,
    "bzip2": bz2.decompress,
    "xz": lzma.decompress,
    "zstd": lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data),
    "lz4": lz4.frame.decompress,
}


def change_tar(data: bytes, chance: Random, seeds: Sequence[bytes]) -> bytes:
    """One header's field, one PAX record or one member more, less or elsewhere."""
    headers = [at for at in range(0, len(data) - BLOCK + 1, BLOCK) if data[at + 257 : at + 262] == b"ustar"]
    if not headers:
        return data
    at = chance.choice(headers)
    change = chance.randrange(6)
    if change < 3:
        block = bytearray(data[at : at + BLOCK])
        start, size = chance.choice(_TAR_FIELDS)
        block[start : start + size] = _field(block[start : start + size], size, chance)
        return data[:at] + _sum_up(block) + data[at + BLOCK :]
    if change == 3:
        return data[:at] + _pax(chance) + data[at:]
    start = chance.choice(headers)
    end = min((other for other in headers if other > start), default=len(data))
    if change == 4:
        return data[:start] + data[end:]
    return data[:at] + data[start:end] + data[at:]


def _field(old: bytes, size: int, chance: Random) -> bytes:
    if size == 1:
        return bytes([chance.choice(_KINDS)])
    if size in (8, 12, 24) and chance.random() < 0.7:
        value = chance.choice((*odd.INTEGERS, 512, 513, 1023, 1 << 20))
        octal = b"%0*o\0" % (size - 1, abs(value))
        binary = (b"\x80" if value >= 0 else b"\xff") + (value & ((1 << 88) - 1)).to_bytes(11, "big")[-(size - 1) :]
        return chance.choice((octal[-size:], binary)).ljust(size, b"\0")[:size]
    text = chance.choice(
        (odd.word(chance).encode("utf-8", "surrogatepass"), b"/abs", b"a/", b"../..", b"x" * size, old[::-1])
    )
    return text.ljust(size, b"\0")[:size]


def _sum_up(block: bytearray) -> bytes:
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def _pax(chance: Random) -> bytes:
    records = b"".join(_record(chance) for _ in range(chance.choice((1, 1, 2, 3))))
    block = bytearray(BLOCK)
    block[:5], block[156:157], block[257:265] = (
        b"./Pax",
        chance.choice((b"x", b"x", b"g", b"X", b"L", b"K")),
        b"ustar\x0000",
    )
    block[124:136] = b"%011o\0" % (len(records) + chance.choice((0, 0, 0, 1, -1)))
    return _sum_up(block) + records + bytes(-len(records) % BLOCK)


def _record(chance: Random) -> bytes:
    value = chance.choice((chance.choice(_PAX_VALUES), odd.word(chance), odd.number(chance)))
    body = f" {chance.choice(_PAX_KEYS)}={value}\n".encode("utf-8", "surrogatepass")
    size = len(body) + len(str(len(body) + 2))
    return str(chance.choice((size, size, size, size, size - 1, 0, 10**9))).encode() + body


def change_zip(data: bytes, chance: Random, seeds: Sequence[bytes]) -> bytes:
    """One field of one record, or bytes between them, which the offsets do not know of."""
    starts = [record.start() for record in _ZIP_MARK.finditer(data)]
    if not starts or not data.startswith(b"PK"):
        return data
    at = chance.choice(starts)
    fields = _ZIP_RECORDS[data[at : at + 4]]
    if chance.random() < 0.15:
        return data[:at] + bytes(chance.choice((1, 7, 600))) + data[at:]
    start, size = chance.choice(fields)
    old = int.from_bytes(data[at + start : at + start + size], "little")
    value = chance.choice(
        (chance.choice(odd.INTEGERS), old + chance.choice((-1, 1, 30)), 1 << chance.randrange(8 * size), at)
    )
    return data[: at + start] + (value & ((1 << 8 * size) - 1)).to_bytes(size, "little") + data[at + start + size :]


# MemoryError: of a frame that says it is larger than any memory, or is.
_CANNOT_OPEN = (
    OSError,
    EOFError,
    ValueError,
    RuntimeError,
    MemoryError,
    lzma.LZMAError,
    zstandard.ZstdError,
    struct.error,
    zlib.error,
)


def change_inside(data: bytes, chance: Random, seeds: Sequence[bytes]) -> bytes:
    """What is compressed, changed and compressed again; what is not, put into something."""
    name = detect_compression(data[:16])
    try:
        inner = _OPENERS[name](data) if name else data
    except _CANNOT_OPEN:
        return data
    inner = chance.choice((change_tar, change_zip))(inner[: 1 << 20], chance, seeds)
    wrap = chance.randrange(8)
    if wrap == 0:
        return pack_tar({chance.choice(("in.tar", "in.zip", "x.log.2.gz", "x")): inner, "beside.log": b"beside\n" * 9})
    if wrap == 1:
        return pack_zip({chance.choice(("in.tar", "in.zip", "x.log.2.gz", "x")): inner, "beside.log": b"beside\n" * 9})
    return chance.choice(list(COMPRESSORS.values()))(inner) if name or wrap < 4 else inner
