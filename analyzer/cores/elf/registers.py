"""Names of the registers that NT_PRSTATUS holds, by ELF machine number (each arch's asm/ptrace.h)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# In the order of user_regs_struct / user_pt_regs.
REGISTERS: dict[int, tuple[str, ...]] = {
    62: (
        "r15",
        "r14",
        "r13",
        "r12",
        "rbp",
        "rbx",
        "r11",
        "r10",
        "r9",
        "r8",
        "rax",
        "rcx",
        "rdx",
        "rsi",
        "rdi",
        "orig_rax",
        "rip",
        "cs",
        "eflags",
        "rsp",
        "ss",
        "fs_base",
        "gs_base",
        "ds",
        "es",
        "fs",
        "gs",
    ),
    183: (*(f"x{n}" for n in range(31)), "sp", "pc", "pstate"),
    3: (
        "ebx",
        "ecx",
        "edx",
        "esi",
        "edi",
        "ebp",
        "eax",
        "ds",
        "es",
        "fs",
        "gs",
        "orig_eax",
        "eip",
        "cs",
        "eflags",
        "esp",
        "ss",
    ),
    40: (*(f"r{n}" for n in range(13)), "sp", "lr", "pc", "cpsr", "orig_r0"),
    243: (
        "pc",
        "ra",
        "sp",
        "gp",
        "tp",
        "t0",
        "t1",
        "t2",
        "s0",
        "s1",
        *(f"a{n}" for n in range(8)),
        *(f"s{n}" for n in range(2, 12)),
        "t3",
        "t4",
        "t5",
        "t6",
    ),
    21: (*(f"r{n}" for n in range(32)), "nip", "msr", "orig_r3", "ctr", "lr", "xer", "ccr", "softe", "trap", "dar"),
    20: (*(f"r{n}" for n in range(32)), "nip", "msr", "orig_r3", "ctr", "lr", "xer", "ccr", "mq", "trap", "dar"),
    22: ("pswm", "pc", *(f"r{n}" for n in range(16))),
}
PC_NAMES = ("rip", "pc", "eip", "nip")
SP_NAMES = ("rsp", "sp", "esp")


def first_register(registers: Mapping[str, int], names: Sequence[str]) -> int | None:
    """Return the first register of these names that the thread has."""
    return next((registers[name] for name in names if name in registers), None)
