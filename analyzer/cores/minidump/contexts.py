"""Registers of a thread of a minidump, by the names that cores have for them."""

from __future__ import annotations

import io
import struct
from typing import NamedTuple

from minidump.streams import CONTEXT, WOW64_CONTEXT

from analyzer.cores.elf.headers import Buffer

CONTEXT_BYTES, WOW64_BYTES = 1232, 716
ARM64_REGISTERS = struct.Struct("<33Q")  # x0 to x30, sp, pc: after the flags, in all three layouts
ARM64_AT = 8
X86_64_NAMES = (
    *("rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "rip"),
    *(f"r{number}" for number in range(8, 16)),
)
I386_NAMES = ("eax", "ebx", "ecx", "edx", "esi", "edi", "ebp", "esp", "eip")


class Processor(NamedTuple):
    """A processor as ELF knows it: its machine number, its name, the bits of an address."""

    machine: int
    bits: int


# PROCESSOR_ARCHITECTURE_* of winnt.h; Breakpad has its own numbers for newer processors.
PROCESSORS = {
    0: Processor(3, 32),
    5: Processor(40, 32),
    9: Processor(62, 64),
    12: Processor(183, 64),
    0x8003: Processor(183, 64),
}


def read_registers(data: Buffer, offset: int, size: int, processor: Processor) -> dict[str, int]:
    """Return the registers of the thread context at an offset; empty if it is cut off or of another processor."""
    raw = bytes(data[offset : offset + min(size, CONTEXT_BYTES)])
    if processor.machine == 62 and len(raw) == CONTEXT_BYTES:
        context = CONTEXT.parse(io.BytesIO(raw))
        registers = {name: getattr(context, name.title()) for name in X86_64_NAMES}
        return {**registers, "eflags": context.EFlags, "cs": context.SegCs, "ss": context.SegSs}
    if processor.machine == 3 and len(raw) >= WOW64_BYTES:
        short = WOW64_CONTEXT.parse(io.BytesIO(raw))
        return {name: getattr(short, name.title()) for name in I386_NAMES} | {"eflags": short.EFlags}
    if processor.machine == 183 and len(raw) >= ARM64_AT + ARM64_REGISTERS.size:
        names = (*(f"x{number}" for number in range(31)), "sp", "pc")
        return dict(zip(names, ARM64_REGISTERS.unpack_from(raw, ARM64_AT), strict=True))
    return {}
