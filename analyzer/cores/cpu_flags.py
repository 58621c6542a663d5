"""The CPU flag that an illegal instruction needs, as /proc/cpuinfo names it.

Intel SDM volume 2 (opcode maps, VEX and EVEX prefixes) and the Arm ARM (C4.1), only for
extensions that programs are compiled for: every CPU has x87.
"""

from __future__ import annotations

from collections.abc import Iterable

TRAP_INSTRUCTION = "trap"  # no flag: the program stops itself here
LEGACY_PREFIXES = frozenset(b"\x66\xf2\xf3\x2e\x36\x3e\x26\x64\x65\x67\xf0")


def _flags_by_opcode(*rows: tuple[str, Iterable[int]]) -> dict[int, str]:
    return {opcode: flag for flag, opcodes in rows for opcode in opcodes}


# Opcodes after 0F 38 and 0F 3A without VEX, by the extension that brought them.
FLAGS_0F38 = _flags_by_opcode(
    ("ssse3", [*range(0x0C), 0x1C, 0x1D, 0x1E]),
    (
        "sse4_1",
        [0x10, 0x14, 0x15, 0x17, *range(0x20, 0x26), *range(0x28, 0x2C), *range(0x30, 0x36), *range(0x38, 0x42)],
    ),
    ("sse4_2", [0x37]),
    ("aes", range(0xDB, 0xE0)),
    ("sha_ni", range(0xC8, 0xCE)),
)
FLAGS_0F3A = _flags_by_opcode(
    ("sse4_1", [*range(0x08, 0x0F), *range(0x14, 0x18), 0x20, 0x21, 0x22, 0x40, 0x41, 0x42]),
    ("ssse3", [0x0F]),
    ("pclmulqdq", [0x44]),
    ("sse4_2", range(0x60, 0x64)),
    ("sha_ni", [0xCC]),
    ("aes", [0xDF]),
)
FLAGS_VEX_0F38 = _flags_by_opcode(
    ("avx2", [0x16, 0x36, 0x45, 0x46, 0x47, 0x58, 0x59, 0x5A, 0x78, 0x79, 0x8C, 0x8E, *range(0x90, 0x94)]),
    ("f16c", [0x13]),
    ("fma", [*range(0x96, 0xA0), *range(0xA6, 0xB0), *range(0xB6, 0xC0)]),
    ("avx_vnni", range(0x50, 0x54)),
    ("amx_tile", [0x49, 0x4B, 0x5C, 0x5E]),
    ("bmi1", [0xF2, 0xF3]),
    ("bmi2", [0xF5, 0xF6, 0xF7]),
)
FLAGS_VEX_0F3A = _flags_by_opcode(("avx2", [0x00, 0x01, 0x02, 0x38, 0x39, 0x46]), ("f16c", [0x1D]), ("bmi2", [0xF0]))
# Integer operations that AVX has for 128 bits and AVX2 for 256.
AVX2_INTEGER_OPCODES = frozenset(
    [*range(0x60, 0x6E), 0x70, *range(0x71, 0x77), *range(0xD1, 0xD6), *range(0xD8, 0xE6), *range(0xE8, 0xFF)]
)
FLAGS_EVEX_0F38 = _flags_by_opcode(
    ("avx512_vnni", range(0x50, 0x52)),
    ("avx512_vbmi", [0x75, 0x7D, 0x8D]),
    ("avx512_vbmi2", [0x62, 0x63, *range(0x70, 0x74)]),
    ("avx512ifma", [0xB4, 0xB5]),
    ("avx512_bitalg", [0x54, 0x8F]),
)

# (mask, value) of words of AArch64; the first that fits counts.
AARCH64_FLAGS = (
    (0xFFFF0000, 0x00000000, TRAP_INSTRUCTION),  # udf
    (0xFFE0001F, 0xD4200000, TRAP_INSTRUCTION),  # brk
    (0x9E000000, 0x80000000, "sme"),
    (0x1E000000, 0x04000000, "sve"),
    (0x3B200C00, 0x38200000, "atomics"),  # ldadd, swp and the like
    (0x3FA07C00, 0x08A07C00, "atomics"),  # cas
    (0x9FE0FC00, 0x0E809400, "asimddp"),
    (0xBFE0FC00, 0x2E40FC00, "bf16"),
    (0xFFE0FC00, 0x6E40EC00, "bf16"),
    (0xDFE0FC00, 0x4E80A400, "i8mm"),
)


def required_cpu_flag(code: bytes, machine: str) -> str | None:
    """Return the flag (`avx512f`, `sve`, …) that the instruction at the start of `code` needs.

    TRAP_INSTRUCTION if the instruction stops the program on purpose; None if it is unknown.
    """
    if machine == "aarch64" and len(code) >= 4:
        word = int.from_bytes(code[:4], "little")  # 0 is `udf #0`, and zeros are also where a wild jump often ends
        return next((flag for mask, value, flag in AARCH64_FLAGS if word and word & mask == value), None)
    if machine == "x86_64":
        try:
            return _required_by_x86(code)
        except IndexError:
            return None
    return None


def _required_by_x86(code: bytes) -> str | None:
    at, prefixes = 0, set[int]()
    while code[at] in LEGACY_PREFIXES:
        prefixes.add(code[at])
        at += 1
    if code[at] == 0x62:
        return _required_by_evex(code[at + 1 : at + 5])
    if code[at] in (0xC4, 0xC5):
        return _required_by_vex(code[at : at + 5])
    if code[at] & 0xF0 == 0x40:
        at += 1
    if code[at] != 0x0F:
        return TRAP_INSTRUCTION if code[at] in (0xCC, 0xF1) else None
    opcode, operands = code[at + 1], code[at + 2 :]
    if opcode in (0x0B, 0xB9, 0xFF):
        return TRAP_INSTRUCTION
    if opcode == 0x38:
        return _required_by_0f38(operands[0], prefixes)
    if opcode == 0x3A:
        return FLAGS_0F3A.get(operands[0])
    if opcode == 0xB8 and 0xF3 in prefixes:
        return "popcnt"
    if opcode == 0xC7 and operands[0] >= 0xC0:
        return {6: "rdrand", 7: "rdseed"}.get(operands[0] >> 3 & 7)
    return None


def _required_by_0f38(opcode: int, prefixes: set[int]) -> str | None:
    if opcode in (0xF0, 0xF1):
        return "sse4_2" if 0xF2 in prefixes else "movbe"
    return "adx" if opcode == 0xF6 else FLAGS_0F38.get(opcode)


def _required_by_vex(code: bytes) -> str:
    """Return the flag of a VEX instruction. C5 has one byte of payload and implies map 0F; C4 has two and names its
    map.
    """
    if code[0] == 0xC5:
        opcode_map, payload, opcode = 1, code[1], code[2]
    else:
        opcode_map, payload, opcode = code[1] & 31, code[2], code[3]
    if opcode_map == 2:
        return FLAGS_VEX_0F38.get(opcode, "avx2" if payload & 4 and opcode in FLAGS_0F38 and opcode != 0x17 else "avx")
    if opcode_map == 3:
        return FLAGS_VEX_0F3A.get(opcode, "avx")
    return "avx2" if payload & 4 and opcode in AVX2_INTEGER_OPCODES else "avx"


def _required_by_evex(code: bytes) -> str:
    """Return the flag of an EVEX instruction.

    P0 names the map, P2 the vector length. Every length except 512 bits (10) also needs VL.
    """
    opcode_map, length, opcode = code[0] & 7, code[2] >> 5 & 3, code[3]
    if opcode_map in (5, 6):
        return "avx512_fp16"
    special = FLAGS_EVEX_0F38.get(opcode) if opcode_map == 2 else None
    return special or ("avx512f" if length == 2 else "avx512vl")
