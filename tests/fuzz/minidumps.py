"""Minidumps: always an answer, and soon, whatever their directory, their lists and their texts say."""

from __future__ import annotations

import io
import struct
import tarfile
from collections.abc import Sequence
from functools import cache
from random import Random

from zstandard import ZstdDecompressor

from tests.cores.made_minidumps import ARM64, MinidumpFile, pack_amd64, pack_arm64, pack_exception, pack_system
from tests.fuzz import odd
from tests.fuzz.dumps import FIXTURES, check
from tests.fuzz.target import Target, disturb

BASE, STACK = 0x555555554000, 0x7FFF00000000
MAPS = (
    f"{BASE:x}-{BASE + 0x2000:x} r-xp 00000000 08:01 7 /bin/crash\n"
    f"{STACK:x}-{STACK + 0x1000:x} rw-p 00000000 00:00 0 [stack]\n"
)
STATUS = "Name:\tcrash\nTgid:\t7\nPid:\t8\nPPid:\t1\nUid:\t1000\t0\t0\t0\n"
KINDS = (3, 4, 5, 6, 7, 9, 15, 24, 16, 0x43500001, *range(0x47670003, 0x4767000B))


@cache
def seeds() -> Sequence[bytes]:
    """A real one of Crashpad, and two by Breakpad's layout."""
    packed = (FIXTURES / "crashpad-null.tar.zst").read_bytes()
    with tarfile.open(fileobj=io.BytesIO(ZstdDecompressor().decompress(packed, max_output_size=1 << 20))) as archive:
        member = archive.extractfile("crash.dmp")
        assert member is not None
        return [member.read(), _make_small(9), _make_small(ARM64)]


def _make_small(architecture: int) -> bytes:
    out = MinidumpFile(streams=11)
    registers = {"rip": BASE + 16, "rsp": STACK + 64, "rbp": STACK + 128, "pc": BASE + 16, "sp": STACK + 64}
    context = out.append((pack_arm64 if architecture == ARM64 else pack_amd64)(registers))
    stack = out.append(b"".join(struct.pack("<Q", BASE + 8 * number) for number in range(128)))
    threads = [struct.pack("<IIIIQQIIII", tid, 0, 0, 0, 0, STACK, *stack, *context) for tid in (7, 8)]
    out.add_stream(3, struct.pack("<I", 2) + b"".join(threads))
    build_id = out.append(b"LEpB" + bytes(range(20)))
    name = out.append_text("/bin/crash")
    module = struct.pack("<QIIII", BASE, 0x2000, 0, 0, name) + bytes(52) + struct.pack("<II", *build_id) + bytes(24)
    out.add_stream(4, struct.pack("<II", 1, 0) + module)
    out.add_stream(5, struct.pack("<IQII", 1, STACK, *stack))
    out.add_stream(6, pack_exception(8, 11, 1, 0xDEAD, context))
    out.add_stream(7, pack_system(architecture))
    out.add_stream(9, struct.pack("<QQQQ", 1, stack[1], STACK, stack[0]))
    out.add_stream(15, struct.pack("<III", 24, 1, 7) + bytes(12))
    out.add_stream(24, struct.pack("<IIQ", 1, 7, out.append_text("loader")))
    out.add_stream(0x47670004, STATUS.encode())
    out.add_stream(0x47670009, MAPS.encode())
    out.add_stream(0x47670008, struct.pack("<4Q", 3, BASE + 64, 0, 0))
    return out.finish()


def change_directory(data: bytes, chance: Random, _seeds: Sequence[bytes]) -> bytes:
    """A stream is of another type, elsewhere, of another size, or there twice."""
    at = _choose_row(data, chance)
    if at is None:
        return data
    kind, size, offset = struct.unpack_from("<III", data, at)
    change = chance.randrange(4)
    if change == 0:
        kind = chance.choice(KINDS)
    elif change == 1:
        size = chance.choice((0, size - 1, size + 4, 4, len(data), 0xFFFFFFFF))
    elif change == 2:
        offset = chance.choice((0, 32, offset + 4, len(data) - 1, chance.randrange(len(data)), 0xFFFFFFFF))
    elif (other := _choose_row(data, chance)) is not None:
        kind, size, offset = struct.unpack_from("<III", data, other)
    return data[:at] + struct.pack("<III", kind, size & 0xFFFFFFFF, offset & 0xFFFFFFFF) + data[at + 12 :]


def change_stream(data: bytes, chance: Random, _seeds: Sequence[bytes]) -> bytes:
    """Numbers inside a stream become others: counts, addresses, sizes, offsets of names and contexts."""
    at = _choose_row(data, chance)
    if at is None:
        return data
    _, size, offset = struct.unpack_from("<III", data, at)
    out = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 6))):
        width = chance.choice((1, 2, 4, 4, 8))
        place = offset + (chance.randrange(max(1, min(size, chance.choice((8, 1 << 20))))) & -width)
        old = int.from_bytes(data[place : place + width], "little")
        value = chance.choice((chance.choice(odd.INTEGERS), old + chance.choice((-1, 1, 8, 4096)), offset, len(data)))
        if place + width <= len(out):
            out[place : place + width] = (value & ((1 << 8 * width) - 1)).to_bytes(width, "little")
    return bytes(out)


def change_text(data: bytes, chance: Random, seeds: Sequence[bytes]) -> bytes:
    """The content of a stream disturbed, at its old length."""
    at = _choose_row(data, chance)
    if at is None:
        return data
    _, size, offset = struct.unpack_from("<III", data, at)
    piece = data[offset : offset + size]
    return (
        data[:offset]
        + disturb(piece, chance, seeds)[: len(piece)].ljust(len(piece), b"\0")
        + data[offset + len(piece) :]
    )


def _choose_row(data: bytes, chance: Random) -> int | None:
    """The place of a row of the directory; None if there is none."""
    if len(data) < 32 or data[:4] != b"MDMP":
        return None
    count, offset = struct.unpack_from("<II", data, 8)
    rows = min(count, 64, max(0, len(data) - offset) // 12)
    return offset + 12 * chance.randrange(rows) if rows else None


TARGET = Target("minidumps", seeds, check, (change_directory, change_stream, change_stream, change_text))
