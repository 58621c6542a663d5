"""Small cores put together by hand, for classes, byte orders and lies that no machine here produces."""

from __future__ import annotations

import struct
from collections.abc import Sequence

Load = tuple[int, int, bytes, int]  # address, flags, file bytes, memory size

MACHINE = {
    "i386": (32, "<", 3),
    "arm": (32, "<", 40),
    "ppc": (32, ">", 20),
    "ppc64": (64, ">", 21),
    "s390x": (64, ">", 22),
    "x86_64": (64, "<", 62),
    "aarch64": (64, "<", 183),
}


def make_note(order: str, kind: int, desc: bytes, name: bytes = b"CORE\0") -> bytes:
    padded = name + bytes(-len(name) % 4)
    return struct.pack(order + "III", len(name), len(desc), kind) + padded + desc + bytes(-len(desc) % 4)


def make_prstatus(bits: int, order: str, tid: int, signal: int, registers: Sequence[int]) -> bytes:
    wide = bits == 64
    head = struct.pack(order + "iiihxx" + ("QQ" if wide else "II"), signal, 0, 0, signal, 0, 0)
    times = bytes(64 if wide else 32)
    return (
        head
        + struct.pack(order + "4i", tid, 1, tid, tid)
        + times
        + struct.pack(f"{order}{len(registers)}{'Q' if wide else 'I'}", *registers)
        + bytes(8)
    )


def make_prpsinfo(bits: int, order: str, narrow_ids: bool, pid: int, comm: bytes, args: bytes) -> bytes:
    head = struct.pack(order + ("4B4xQ" if bits == 64 else "4BI"), 0, 82, 0, 0, 0)
    ids = struct.pack(order + ("HH" if narrow_ids else "II"), 1000, 100)
    return head + ids + struct.pack(order + "4i", pid, 7, pid, pid) + comm.ljust(16, b"\0") + args.ljust(80, b"\0")


def make_siginfo(bits: int, order: str, signo: int, code: int, address: int) -> bytes:
    head = struct.pack(order + "iii", signo, 0, code) + (bytes(4) if bits == 64 else b"")
    return (head + struct.pack(order + ("Q" if bits == 64 else "I"), address)).ljust(128, b"\0")


def make_core(machine: str, notes: bytes, loads: Sequence[Load] = (), page: int = 4096) -> bytes:
    """Headers, notes, then each load's bytes at a page's start, as the kernel lays a core out."""
    bits, order, number = MACHINE[machine]
    size, entry = (64, 56) if bits == 64 else (52, 32)
    count = 1 + len(loads)
    at = size + count * entry
    rows = [(4, 0, at, 0, len(notes), 0)]
    body = bytearray(notes)
    for address, flags, content, memory in loads:
        body += bytes(-(at + len(body)) % page)
        rows.append((1, flags, at + len(body), address, len(content), memory))
        body += content
    ident = b"\x7fELF" + bytes([bits // 32, 1 if order == "<" else 2, 1]) + bytes(9)
    letter = "Q" if bits == 64 else "I"
    shown = min(count, 0xFFFF)
    header = ident + struct.pack(f"{order}HHI3{letter}I6H", 4, number, 1, 0, size, 0, 0, size, entry, shown, 0, 0, 0)
    return header + b"".join(_pack_row(bits, order, row) for row in rows) + bytes(body)


def _pack_row(bits: int, order: str, row: tuple[int, ...]) -> bytes:
    kind, flags, offset, address, filesz, memsz = row
    if bits == 64:
        return struct.pack(order + "II6Q", kind, flags, offset, address, 0, filesz, memsz, 4096)
    return struct.pack(order + "8I", kind, offset, address, 0, filesz, memsz, flags, 4096)
