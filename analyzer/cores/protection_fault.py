"""Explain a general protection fault of x86: SIGSEGV with SI_KERNEL, for which the CPU reports no address.

The instruction and the registers give the address. Opcode maps: Intel SDM volume 2, appendix A; only as far as needed
to find the memory operand of an ordinary instruction.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import NamedTuple

WORD_MASK = (1 << 64) - 1
LEGACY_PREFIXES = frozenset(b"\x66\xf2\xf3\x2e\x36\x3e\xf0")  # not FS and GS: their base is not in the address
NUMBERED_REGISTERS = ("rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", *(f"r{n}" for n in range(8, 16)))

# One-byte opcodes with a ModRM byte, and opcodes after 0F without one.
MODRM_OPCODES = frozenset(
    [
        *(row + column for row in range(0, 0x40, 8) for column in range(4)),
        *(0x63, 0x69, 0x6B, *range(0x80, 0x90), 0xC0, 0xC1, 0xC6, 0xC7, *range(0xD0, 0xD4), *range(0xD8, 0xE0)),
        *(0xF6, 0xF7, 0xFE, 0xFF),
    ]
)
NO_MODRM_0F = frozenset(
    [*range(0x04, 0x0D), *range(0x30, 0x38), 0x77, *range(0x80, 0x90), 0xA0, 0xA1, 0xA2, *range(0xA8, 0xAB)]
)
PRIVILEGED = frozenset([0xF4, 0xFA, 0xFB, *range(0x6C, 0x70), *range(0xE4, 0xE8), *range(0xEC, 0xF0)])
PRIVILEGED_0F = frozenset([0x00, 0x01, 0x06, 0x08, 0x09, *range(0x20, 0x24), 0x30, 0x32, 0x33])
RETURNS = frozenset([0xC2, 0xC3, 0xCA, 0xCB])
ALIGNED_MOVES_0F = frozenset([0x28, 0x29, 0x2B, 0x6F, 0x7F, 0xE7])  # movaps, movntps, movdqa, movntdq


class _Operand(NamedTuple):
    """`address` is the effective address in memory; None if there is none or it is unknown."""

    address: int | None
    is_aligned_move: bool
    kind: str = ""  # privileged, return


def explain_protection_fault(code: bytes, registers: Mapping[str, int], machine: str) -> str:
    """Return what SIGSEGV with SI_KERNEL means, in one sentence.

    `code` are the bytes at the program counter. On machines other than x86_64, the kernel sends this signal if it
    cannot deliver another one.
    """
    if machine != "x86_64":
        return "the kernel could not deliver a signal: the stack of its handler is exhausted or not mapped"
    operand = _decode_operand(code, registers) if code else _Operand(None, False)
    if operand.kind == "privileged":
        return "privileged instruction: only the kernel may execute it"
    if operand.kind == "return":
        return "return to a non-canonical address: the return address on the stack was overwritten"
    if operand.address is None:
        return (
            "non-canonical address: a garbage pointer (overwritten, freed, uninitialised), unless a vector access was "
            "misaligned; the CPU reports no address"
        )
    if not is_canonical(operand.address):
        return f"non-canonical address {operand.address:#x}: a garbage pointer (overwritten, freed, uninitialised)"
    if operand.is_aligned_move and operand.address % 16:
        return f"misaligned vector access at {operand.address:#x}: the instruction needs an address aligned to its size"
    return "general protection fault: a misaligned vector access or an operand that the CPU does not accept"


def find_operand_address(code: bytes, registers: Mapping[str, int]) -> int | None:
    """Return the memory address that the instruction at the start of `code` accesses; None if unknown."""
    return _decode_operand(code, registers).address


def is_division(code: bytes) -> bool:
    """Return whether an instruction is DIV or IDIV."""
    instruction = code.lstrip(bytes(LEGACY_PREFIXES))
    instruction = instruction[1:] if instruction and instruction[0] & 0xF0 == 0x40 else instruction
    return len(instruction) > 1 and instruction[0] in (0xF6, 0xF7) and instruction[1] >> 3 & 7 in (6, 7)


def is_canonical(address: int) -> bool:
    """Return whether bits 47 to 63 are equal; with five-level page tables 57 bits would count."""
    return address >> 47 in (0, (1 << 17) - 1)


def _decode_operand(code: bytes, registers: Mapping[str, int]) -> _Operand:
    """Return the memory operand of the instruction at the start of `code`, which has at least one byte."""
    at = 0
    while at < len(code) and code[at] in LEGACY_PREFIXES:
        at += 1
    rex = code[at] if at < len(code) and code[at] & 0xF0 == 0x40 else 0
    at += 1 if rex else 0
    code += bytes(16)  # a truncated instruction decodes to something, which the caller checks
    opcode = code[at]
    if opcode in (0xC4, 0xC5):  # VEX: its bits R, X, B are inverted
        rex = (~code[at + 1] >> 5 & 7) if opcode == 0xC4 else 0
        is_0f = opcode == 0xC5 or code[at + 1] & 31 == 1
        at += 3 if opcode == 0xC4 else 2
        return _Operand(_effective_address(code, at + 1, rex, registers), is_0f and code[at] in ALIGNED_MOVES_0F)
    if opcode == 0x0F:
        second = code[at + 1]
        if second in PRIVILEGED_0F:
            return _Operand(None, False, "privileged")
        if second in (0x38, 0x3A):
            return _Operand(_effective_address(code, at + 3, rex, registers), False)
        if second in NO_MODRM_0F:
            return _Operand(None, False)
        return _Operand(_effective_address(code, at + 2, rex, registers), second in ALIGNED_MOVES_0F)
    if opcode in PRIVILEGED:
        return _Operand(None, False, "privileged")
    if opcode in RETURNS:
        return _Operand(None, False, "return")
    has_modrm = opcode in MODRM_OPCODES
    return _Operand(_effective_address(code, at + 1, rex, registers) if has_modrm else None, False)


def _effective_address(code: bytes, at: int, rex: int, registers: Mapping[str, int]) -> int | None:
    """Return the address that the ModRM byte at `at` describes; None for a register, RIP, or an unknown register."""
    mode, low = code[at] >> 6, code[at] & 7
    if mode == 3 or (mode == 0 and low == 5):
        return None
    at += 1
    parts: list[tuple[int, int]] = []  # register number, scale
    has_base = True
    if low == 4:
        scale, index, low = 1 << (code[at] >> 6), code[at] >> 3 & 7 | (rex & 2) << 2, code[at] & 7
        at += 1
        has_base = mode != 0 or low != 5
        if index != 4:
            parts.append((index, scale))
    if has_base:
        parts.append((low | (rex & 1) << 3, 1))
    address = 0
    if mode == 1:
        address = struct.unpack_from("<b", code, at)[0]
    elif mode == 2 or not has_base:
        address = struct.unpack_from("<i", code, at)[0]
    for number, scale in parts:
        value = registers.get(NUMBERED_REGISTERS[number])
        if value is None:
            return None
        address += value * scale
    return address & WORD_MASK
