"""As much of an ELF core as it takes to leave most of it out: segments, stack pointers, mapped files.

The analyzer reads cores far better and needs a newer Python; this is for the collector as one file. 64-bit cores alone.
Format: the gABI, chapter 5; notes as fs/binfmt_elf.c of Linux writes them; registers as asm/ptrace.h orders them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import IO, NamedTuple

ET_CORE, PT_LOAD, PT_NOTE, PN_XNUM = 4, 1, 4, 0xFFFF
NT_PRSTATUS, NT_PRPSINFO, NT_AUXV, NT_FILE = 1, 3, 6, 0x46494C45
USER = 16  # where the user's number stands in NT_PRPSINFO of 64-bit systems: struct elf_prpsinfo of linux/elfcore.h
AT_EXECFN = 31  # of the auxiliary vector: the program's name, right above the environment's strings
MOST_SEGMENTS, MOST_NOTES = 1 << 18, 64 << 20
MOST_STRINGS = 6 << 20  # bytes; Linux allows a quarter of the stack's limit, and no more than that
# Where the stack pointer stands in NT_PRSTATUS: 112 bytes, then the registers. x86-64: the 20th, aarch64: the 32nd.
STACK_POINTER = {62: 112 + 19 * 8, 183: 112 + 31 * 8}


class Segment(NamedTuple):
    """One program header; sizes and addresses in bytes."""

    kind: int
    flags: int
    offset: int
    address: int
    size: int  # in the file
    memory: int


class Core(NamedTuple):
    """`head` is the ELF header, `order` struct's `<` or `>`. `stacks`: stack pointers, the crashed thread's first.
    `files`: paths that are mapped, each once. `strings_end`: address above arguments and environment, 0: not known.
    `user`: as whom the process ran, None: not known."""

    head: bytes
    order: str
    segments: tuple[Segment, ...]
    stacks: tuple[int, ...]
    files: tuple[str, ...]
    strings_end: int
    user: int | None


def read_core(file: IO[bytes]) -> Core | None:
    """None for anything but a 64-bit core with its tables."""
    file.seek(0)
    head = file.read(64)
    if len(head) < 64 or head[:5] != b"\x7fELF\x02" or head[5] not in (1, 2):
        return None
    order = "<" if head[5] == 1 else ">"
    kind, machine = struct.unpack_from(f"{order}HH", head, 16)
    table, sections = struct.unpack_from(f"{order}QQ", head, 32)
    size, count = struct.unpack_from(f"{order}HH", head, 54)
    if kind != ET_CORE or size != 56:
        return None
    if count == PN_XNUM:  # over 65534 mappings: the number stands in the first section header
        file.seek(sections + 44)
        count = int.from_bytes(file.read(4), "little" if order == "<" else "big")
    file.seek(table)
    rows = file.read(min(count, MOST_SEGMENTS) * 56)
    segments = tuple(
        Segment(kind, flags, offset, address, held, memory)
        for kind, flags, offset, address, _, held, memory, _ in struct.iter_unpack(
            f"{order}IIQQQQQQ", rows[: len(rows) // 56 * 56]
        )
    )
    notes = [note for one in segments if one.kind == PT_NOTE for note in _notes(file, one, order)]
    at = STACK_POINTER.get(machine)
    stacks = [
        struct.unpack_from(f"{order}Q", body, at)[0]
        for kind, body in notes
        if kind == NT_PRSTATUS and at is not None and len(body) >= at + 8
    ]
    files = [name for kind, body in notes if kind == NT_FILE for name in _files(body, order)]
    vector = next((body for kind, body in notes if kind == NT_AUXV), b"")
    pairs = dict(struct.iter_unpack(f"{order}QQ", vector[: len(vector) // 16 * 16]))
    about = next((body for kind, body in notes if kind == NT_PRPSINFO and len(body) >= USER + 4), None)
    user = None if about is None else struct.unpack_from(f"{order}I", about, USER)[0]
    return Core(head, order, segments, tuple(stacks), tuple(dict.fromkeys(files)), pairs.get(AT_EXECFN, 0), user)


def _notes(file: IO[bytes], segment: Segment, order: str) -> Iterator[tuple[int, bytes]]:
    file.seek(segment.offset)
    data = file.read(min(segment.size, MOST_NOTES))
    at = 0
    while at + 12 <= len(data):
        name, size, kind = struct.unpack_from(f"{order}III", data, at)
        start = at + 12 + (name + 3) // 4 * 4
        yield kind, data[start : start + size]
        at = start + (size + 3) // 4 * 4


def _files(body: bytes, order: str) -> Iterator[str]:
    """Their number, the page size, three words each, then the names."""
    if len(body) < 16:
        return
    count = struct.unpack_from(f"{order}Q", body)[0]
    for name in body[16 + 24 * count :].split(b"\0")[:count]:
        yield name.decode("utf-8", "surrogateescape")


def read_strings(file: IO[bytes], core: Core) -> list[bytes]:
    """The words of arguments and environment in their order, among others that stand on the stack below them."""
    for one in core.segments:
        start = max(one.address, core.strings_end - MOST_STRINGS)
        if one.kind == PT_LOAD and one.address < core.strings_end <= one.address + one.size:
            file.seek(one.offset + start - one.address)
            return file.read(core.strings_end - start).split(b"\0")
    return []


def pack_segments(segments: list[Segment], order: str) -> bytes:
    pack = struct.Struct(f"{order}IIQQQQQQ").pack
    return b"".join(pack(s.kind, s.flags, s.offset, s.address, 0, s.size, s.memory, 1) for s in segments)
