"""Read just enough of an ELF core to leave most of it out: segments, stack pointers, mapped files. 64-bit cores only.

The analyzer reads cores far better but needs a newer Python; this module is for the standalone collector. Format: the
gABI, chapter 5; notes as fs/binfmt_elf.c of Linux writes them; registers as asm/ptrace.h orders them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import IO, NamedTuple

ET_CORE, PT_LOAD, PT_NOTE, PN_XNUM = 4, 1, 4, 0xFFFF
NT_PRSTATUS, NT_PRPSINFO, NT_AUXV, NT_FILE = 1, 3, 6, 0x46494C45
PRPSINFO_USER_OFFSET = (
    16  # offset of the user id in NT_PRPSINFO of 64-bit systems: struct elf_prpsinfo of linux/elfcore.h
)
AT_EXECFN = 31  # of the auxiliary vector: the program's name, right above the environment's strings
MAX_SEGMENTS, MAX_NOTE_BYTES = 1 << 18, 64 << 20
MAX_STRINGS_BYTES = 6 << 20  # bytes; Linux allows a quarter of the stack's limit, and no more than that
# Offset of the stack pointer in NT_PRSTATUS: behind 112 bytes come the registers; x86-64: the 20th, aarch64: the 32nd.
STACK_POINTER_OFFSETS = {62: 112 + 19 * 8, 183: 112 + 31 * 8}


class CoreSegment(NamedTuple):
    """One program header; sizes and addresses are in bytes."""

    kind: int
    flags: int
    offset: int
    address: int
    file_size: int  # in the file
    memory_size: int


class CoreHeaders(NamedTuple):
    """The tables of a core. `byte_order` is struct's `<` or `>`; `stack_pointers` begin with the crashed thread's.

    `mapped_files`: each path once. `strings_end`: the address above arguments and environment, 0 if unknown. `user_id`:
    the user that the process ran as, None if unknown.
    """

    elf_header: bytes
    byte_order: str
    segments: tuple[CoreSegment, ...]
    stack_pointers: tuple[int, ...]
    mapped_files: tuple[str, ...]
    strings_end: int
    user_id: int | None


def read_core_headers(file: IO[bytes]) -> CoreHeaders | None:
    """Return the tables of a 64-bit core; None for anything else."""
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
    if count == PN_XNUM:  # over 65534 mappings: the number is in the first section header
        file.seek(sections + 44)
        count = int.from_bytes(file.read(4), "little" if order == "<" else "big")
    file.seek(table)
    rows = file.read(min(count, MAX_SEGMENTS) * 56)
    segments = tuple(
        CoreSegment(kind=kind, flags=flags, offset=offset, address=address, file_size=held, memory_size=memory)
        for kind, flags, offset, address, _, held, memory, _ in struct.iter_unpack(
            f"{order}IIQQQQQQ", rows[: len(rows) // 56 * 56]
        )
    )
    notes = [note for segment in segments if segment.kind == PT_NOTE for note in _read_notes(file, segment, order)]
    stack_pointer_offset = STACK_POINTER_OFFSETS.get(machine)
    stacks = [
        struct.unpack_from(f"{order}Q", body, stack_pointer_offset)[0]
        for kind, body in notes
        if kind == NT_PRSTATUS and stack_pointer_offset is not None and len(body) >= stack_pointer_offset + 8
    ]
    files = [name for kind, body in notes if kind == NT_FILE for name in _mapped_files(body, order)]
    vector = next((body for kind, body in notes if kind == NT_AUXV), b"")
    pairs = dict(struct.iter_unpack(f"{order}QQ", vector[: len(vector) // 16 * 16]))
    process_info = next(
        (body for kind, body in notes if kind == NT_PRPSINFO and len(body) >= PRPSINFO_USER_OFFSET + 4), None
    )
    user = None if process_info is None else struct.unpack_from(f"{order}I", process_info, PRPSINFO_USER_OFFSET)[0]
    return CoreHeaders(
        elf_header=head,
        byte_order=order,
        segments=segments,
        stack_pointers=tuple(stacks),
        mapped_files=tuple(dict.fromkeys(files)),
        strings_end=pairs.get(AT_EXECFN, 0),
        user_id=user,
    )


def _read_notes(file: IO[bytes], segment: CoreSegment, order: str) -> Iterator[tuple[int, bytes]]:
    file.seek(segment.offset)
    data = file.read(min(segment.file_size, MAX_NOTE_BYTES))
    at = 0
    while at + 12 <= len(data):
        name, size, kind = struct.unpack_from(f"{order}III", data, at)
        start = at + 12 + (name + 3) // 4 * 4
        yield kind, data[start : start + size]
        at = start + (size + 3) // 4 * 4


def _mapped_files(body: bytes, order: str) -> Iterator[str]:
    """Yield the paths of an NT_FILE note: the count, the page size, three words for each file, then the names."""
    if len(body) < 16:
        return
    count = struct.unpack_from(f"{order}Q", body)[0]
    for name in body[16 + 24 * count :].split(b"\0")[:count]:
        yield name.decode("utf-8", "surrogateescape")


def read_strings(file: IO[bytes], core: CoreHeaders) -> list[bytes]:
    """Return the words of arguments and environment in order, among others that lie below them on the stack."""
    for segment in core.segments:
        start = max(segment.address, core.strings_end - MAX_STRINGS_BYTES)
        if segment.kind == PT_LOAD and segment.address < core.strings_end <= segment.address + segment.file_size:
            file.seek(segment.offset + start - segment.address)
            return file.read(core.strings_end - start).split(b"\0")
    return []


def pack_segments(segments: list[CoreSegment], order: str) -> bytes:
    pack = struct.Struct(f"{order}IIQQQQQQ").pack
    return b"".join(pack(s.kind, s.flags, s.offset, s.address, 0, s.file_size, s.memory_size, 1) for s in segments)
