"""The facts about x86_64 and aarch64 that the unwinder needs: DWARF numbers, signal frames, calls, signed pointers."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from typing import NamedTuple

from analyzer.cores.elf.memory import ProcessMemory

# DWARF numbers (System V psABI): 16 is the return address.
X86_64 = ("rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", *(f"r{n}" for n in range(8, 16)), "rip")
# 31 is sp. 32 is our own number for the program counter, which has no DWARF number.
AARCH64 = (*(f"x{n}" for n in range(31)), "sp", "pc")

# mov rax, 15; syscall: the rt_sigreturn trampoline of every libc. gdb and libgcc recognize it by these bytes too.
SIGRETURN_CODE_X86_64 = bytes.fromhex("48c7c00f0000000f05")
SIGRETURN_CODE_AARCH64 = bytes.fromhex("681180d2010000d4")  # mov x8, 139; svc 0
# ucontext_t.uc_mcontext.gregs in DWARF numbers.
GREGS_X86_64 = (8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, 16)

Registers = list[int | None]


class FrameState(NamedTuple):
    """A frame: an address inside its instruction, as a virtual address of the file, its registers, and its CFA.

    An address in the process is the file's address plus `bias`. `caller` is set if it is in the same file.
    """

    address: int
    bias: int
    registers: Registers
    cfa: int | None
    caller: FrameState | None = None


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine. Indices are DWARF register numbers. `code_mask` are the bits of a code address for
    its authentication.
    """

    name: str
    names: tuple[str, ...]
    pc: int
    sp: int
    fp: int
    preserved: frozenset[int]  # registers that a called function must restore (the ABI)
    code_mask: int = 0

    def with_code_mask(self, mask: int) -> Machine:
        return replace(self, code_mask=mask)

    def registers_from_note(self, registers: dict[str, int]) -> Registers:
        values: Registers = [registers.get(name) for name in self.names]
        pc = values[self.pc]
        values[self.pc] = None if pc is None else self.strip_pointer_code(pc)
        return values

    def strip_pointer_code(self, address: int) -> int:
        """Return a code address without its authentication code."""
        if self.code_mask:
            return address & ~self.code_mask
        # Without NT_ARM_PAC_MASK (QEMU, cores before Linux 5.0): user addresses have at most 48 bits and bit 55 clear.
        if self.name == "aarch64" and address >> 48 and not address >> 55 & 1:
            return address & (1 << 48) - 1
        return address

    def restore_interrupted_registers(self, memory: ProcessMemory, registers: Registers) -> Registers | None:
        """Return the registers that a signal interrupted; None if the program counter is not at a signal trampoline."""
        pc, sp = registers[self.pc], registers[self.sp]
        is_trampoline = pc is not None and sp is not None and self.is_trampoline(memory, pc)
        return self.interrupted_registers(memory, sp) if is_trampoline and sp is not None else None

    def is_trampoline(self, memory: ProcessMemory, pc: int) -> bool:
        """Return whether the code at an address returns from a signal handler."""
        code = SIGRETURN_CODE_X86_64 if self.name == "x86_64" else SIGRETURN_CODE_AARCH64
        return memory.read(pc, len(code)) == code

    def interrupted_registers(self, memory: ProcessMemory, sp: int) -> Registers | None:
        """Return the registers in the signal frame at a trampoline's stack pointer; None if the core lacks them."""
        if self.name == "x86_64":
            if (raw := memory.read(sp + 40, 17 * 8)) is None:
                return None
            values: Registers = [None] * len(self.names)
            for number, value in zip(GREGS_X86_64, struct.unpack("<17Q", raw), strict=True):
                values[number] = value
            return values
        if (raw := memory.read(sp + 312, 33 * 8)) is None:
            return None
        return list(struct.unpack("<33Q", raw))

    def undo_call(self, memory: ProcessMemory, registers: Registers) -> Registers | None:
        """Return the registers before the call of a bad address, which has pushed only the return address."""
        sp, caller = registers[self.sp], list(registers)
        if sp is None:
            return None
        if self.name == "x86_64":
            caller[self.pc], caller[self.sp] = memory.read_word(sp), sp + 8
        else:
            link = registers[30]
            caller[self.pc] = None if link is None else self.strip_pointer_code(link)
        target = caller[self.pc]
        return caller if target and self.is_return_address(memory, target) else None

    def is_after_system_call(self, memory: ProcessMemory, pc: int) -> bool:
        """Return whether a system call precedes an address; true if the code cannot be read."""
        code = memory.read(pc - 4, 4)
        return code is None or (code[2:] == b"\x0f\x05" if self.name == "x86_64" else code == b"\x01\x00\x00\xd4")

    def is_return_address(self, memory: ProcessMemory, target: int) -> bool:
        """Return whether a call instruction precedes an address; true if the code cannot be read."""
        if self.name == "x86_64":
            code = memory.read(target - 7, 7)
            if code is None:
                return True
            # call rel32; call r/m64 (ff /2) with no, 8-bit or 32-bit displacement, with or without SIB
            return code[2] == 0xE8 or any(code[-n] == 0xFF and code[1 - n] & 0x38 == 0x10 for n in (2, 3, 4, 6, 7))
        word = memory.read_number(target - 4, 4)
        # bl imm26; blr Xn, blraa and the like
        return word is None or word >> 26 == 0x25 or word & 0xFEFFF000 == 0xD63F0000


MACHINES = {
    62: Machine(name="x86_64", names=X86_64, pc=16, sp=7, fp=6, preserved=frozenset((3, 6, 7, 12, 13, 14, 15, 16))),
    183: Machine(name="aarch64", names=AARCH64, pc=32, sp=31, fp=29, preserved=frozenset(range(19, 33))),
}
