"""ELF headers and program headers of cores and of mapped modules, of both classes and byte orders.

Format: the gABI, chapters 4 and 5. The code uses struct on a buffer that is never copied as a whole, because pyelftools
would take seconds for a library of 800 MB.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from mmap import mmap
from typing import Literal, NamedTuple

Buffer = bytes | bytearray | memoryview | mmap

ET_EXEC, ET_DYN, ET_CORE = 2, 3, 4
PT_LOAD, PT_DYNAMIC, PT_NOTE = 1, 2, 4
PT_GNU_EH_FRAME = 0x6474E550
PF_X, PF_W, PF_R = 1, 2, 4
PN_XNUM = 0xFFFF
EM_CUDA = 190

MACHINE_NAMES = {
    3: "i386",
    8: "mips",
    20: "ppc",
    21: "ppc64",
    22: "s390x",
    40: "arm",
    62: "x86_64",
    183: "aarch64",
    EM_CUDA: "cuda",
    243: "riscv",
    258: "loongarch",
}

# vm.max_map_count is 65530 and is raised to 262144 for big-memory jobs; each mapping costs us some 400 bytes.
MAX_SEGMENTS = 1 << 18


class ElfHeader(NamedTuple):
    """The ELF header. `order` is struct's `<` or `>`; `phnum` is what the header says, PN_XNUM not yet resolved."""

    bits: int
    order: str
    type: int
    machine: int
    entry: int
    phoff: int
    shoff: int
    phentsize: int
    phnum: int
    shentsize: int
    shnum: int
    shstrndx: int

    @property
    def word_size(self) -> int:
        return self.bits // 8

    @property
    def header_size(self) -> int:
        return 64 if self.bits == 64 else 52

    @property
    def program_header_size(self) -> int:
        return 56 if self.bits == 64 else 32

    @property
    def machine_name(self) -> str:
        return MACHINE_NAMES.get(self.machine, f"machine {self.machine}")


class ElfSegment(NamedTuple):
    """One program header; sizes and addresses in bytes."""

    type: int
    flags: int
    offset: int
    vaddr: int
    filesz: int
    memsz: int

    @property
    def end(self) -> int:
        return self.vaddr + self.memsz


def is_elf_core(head: bytes) -> bool:
    """Return whether a file that begins with these bytes (18 are enough) is an ELF core."""
    return len(head) >= 18 and read_elf_type(head) == ET_CORE


def read_elf_type(head: bytes) -> int | None:
    if head[:4] != b"\x7fELF" or head[4] not in (1, 2) or head[5] not in (1, 2):
        return None
    return int.from_bytes(head[16:18], "little" if head[5] == 1 else "big")


def read_header(data: Buffer, at: int = 0) -> ElfHeader | None:
    """Return the ELF header at this offset; None if there is none."""
    head = bytes(data[at : at + 64])
    if len(head) < 52 or read_elf_type(head) is None:
        return None
    bits, order = 32 * head[4], "<" if head[5] == 1 else ">"
    if bits == 64 and len(head) < 64:
        return None
    fields = struct.unpack_from(order + ("HHIQQQIHHHHHH" if bits == 64 else "HHIIIIIHHHHHH"), head, 16)
    kind, machine, _, entry, phoff, shoff, _, _, phentsize, phnum, shentsize, shnum, shstrndx = fields
    return ElfHeader(
        bits=bits,
        order=order,
        type=kind,
        machine=machine,
        entry=entry,
        phoff=phoff,
        shoff=shoff,
        phentsize=phentsize,
        phnum=phnum,
        shentsize=shentsize,
        shnum=shnum,
        shstrndx=shstrndx,
    )


def read_segments(data: Buffer, header: ElfHeader, count: int | None = None) -> list[ElfSegment]:
    """Return the program headers that the data holds completely, at most `count`."""
    if header.phentsize != header.program_header_size:
        return []
    count = min(header.phnum if count is None else count, MAX_SEGMENTS)
    table = bytes(data[header.phoff : header.phoff + count * header.program_header_size])
    table = table[: len(table) // header.program_header_size * header.program_header_size]
    return list(unpack_segments(table, header))


def unpack_segments(table: bytes, header: ElfHeader) -> Iterator[ElfSegment]:
    if header.bits == 64:
        for kind, flags, offset, vaddr, _, filesz, memsz, _ in struct.iter_unpack(header.order + "IIQQQQQQ", table):
            yield ElfSegment(type=kind, flags=flags, offset=offset, vaddr=vaddr, filesz=filesz, memsz=memsz)
    else:
        for kind, offset, vaddr, _, filesz, memsz, flags, _ in struct.iter_unpack(header.order + "IIIIIIII", table):
            yield ElfSegment(type=kind, flags=flags, offset=offset, vaddr=vaddr, filesz=filesz, memsz=memsz)


def pack_segments(segments: list[ElfSegment], header: ElfHeader) -> bytes:
    """Return the bytes of program headers. Numbers wrap at the word size, since those of a damaged
    core may be larger.
    """
    top = (1 << header.bits) - 1
    rows = [(s.offset & top, s.vaddr & top, s.filesz & top, s.memsz & top) for s in segments]
    if header.bits == 64:
        pack = struct.Struct(header.order + "IIQQQQQQ").pack
        return b"".join(
            pack(s.type, s.flags, at, vaddr, 0, filesz, memsz, 1)
            for s, (at, vaddr, filesz, memsz) in zip(segments, rows, strict=True)
        )
    pack = struct.Struct(header.order + "IIIIIIII").pack
    return b"".join(
        pack(s.type, at, vaddr, 0, filesz, memsz, s.flags, 1)
        for s, (at, vaddr, filesz, memsz) in zip(segments, rows, strict=True)
    )


def count_segments(data: Buffer, header: ElfHeader) -> int:
    """Return the number of program headers with PN_XNUM resolved.

    Above 65534 mappings, the count is in section header 0, which the kernel writes at the end of the core
    (fs/binfmt_elf.c, fill_extnum_info). A truncated or streamed core lacks it. Then the distance from the table to the
    first note gives the count, because the kernel puts the note directly after the table.
    """
    if header.phnum != PN_XNUM:
        return header.phnum
    at = header.shoff + (44 if header.bits == 64 else 28)
    info = bytes(data[at : at + 4])
    if header.shoff and len(info) == 4 and (count := int.from_bytes(info, _byte_order(header))) >= PN_XNUM:
        return count
    for segment in read_segments(data, header, count=8):
        if segment.type == PT_NOTE and segment.offset > header.phoff:
            return (segment.offset - header.phoff) // header.program_header_size
    return PN_XNUM


def _byte_order(header: ElfHeader) -> Literal["little", "big"]:
    return "little" if header.order == "<" else "big"
