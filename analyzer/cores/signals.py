"""Names of signals and of their codes, and what a fault most likely means.

Numbers: include/uapi/asm-generic/signal.h and siginfo.h, as on x86 and ARM (MIPS and SPARC number some differently).
"""

from __future__ import annotations

from analyzer.cores.elf.notes import SignalNote

SIGNAL_NAMES = {
    1: "SIGHUP",
    2: "SIGINT",
    3: "SIGQUIT",
    4: "SIGILL",
    5: "SIGTRAP",
    6: "SIGABRT",
    7: "SIGBUS",
    8: "SIGFPE",
    9: "SIGKILL",
    10: "SIGUSR1",
    11: "SIGSEGV",
    12: "SIGUSR2",
    13: "SIGPIPE",
    14: "SIGALRM",
    15: "SIGTERM",
    16: "SIGSTKFLT",
    17: "SIGCHLD",
    18: "SIGCONT",
    19: "SIGSTOP",
    20: "SIGTSTP",
    21: "SIGTTIN",
    22: "SIGTTOU",
    23: "SIGURG",
    24: "SIGXCPU",
    25: "SIGXFSZ",
    26: "SIGVTALRM",
    27: "SIGPROF",
    28: "SIGWINCH",
    29: "SIGIO",
    30: "SIGPWR",
    31: "SIGSYS",
}

FAULT_SIGNALS = (4, 5, 7, 8, 11)  # signals whose siginfo carries si_addr when the kernel raised them

SENT_CODE_NAMES = {
    0: "SI_USER",
    -1: "SI_QUEUE",
    -2: "SI_TIMER",
    -3: "SI_MESGQ",
    -4: "SI_ASYNCIO",
    -5: "SI_SIGIO",
    -6: "SI_TKILL",
    -60: "SI_ASYNCNL",
    0x80: "SI_KERNEL",
}
CODE_NAMES = {
    4: {
        1: "ILL_ILLOPC",
        2: "ILL_ILLOPN",
        3: "ILL_ILLADR",
        4: "ILL_ILLTRP",
        5: "ILL_PRVOPC",
        6: "ILL_PRVREG",
        7: "ILL_COPROC",
        8: "ILL_BADSTK",
    },
    5: {1: "TRAP_BRKPT", 2: "TRAP_TRACE", 3: "TRAP_BRANCH", 4: "TRAP_HWBKPT", 5: "TRAP_UNK", 6: "TRAP_PERF"},
    7: {1: "BUS_ADRALN", 2: "BUS_ADRERR", 3: "BUS_OBJERR", 4: "BUS_MCEERR_AR", 5: "BUS_MCEERR_AO"},
    8: {
        1: "FPE_INTDIV",
        2: "FPE_INTOVF",
        3: "FPE_FLTDIV",
        4: "FPE_FLTOVF",
        5: "FPE_FLTUND",
        6: "FPE_FLTRES",
        7: "FPE_FLTINV",
        8: "FPE_FLTSUB",
        14: "FPE_FLTUNK",
        15: "FPE_CONDTRAP",
    },
    11: {
        1: "SEGV_MAPERR",
        2: "SEGV_ACCERR",
        3: "SEGV_BNDERR",
        4: "SEGV_PKUERR",
        5: "SEGV_ACCADI",
        8: "SEGV_MTEAERR",
        9: "SEGV_MTESERR",
        10: "SEGV_CPERR",
    },
    31: {1: "SYS_SECCOMP", 2: "SYS_USER_DISPATCH"},
}

MAX_NULL_OFFSET = 0x10000  # vm.mmap_min_addr: nothing of a normal process is mapped below
MAX_GUARD_JUMP_BYTES = 0x10_0000  # a frame of up to 1 MB may jump over the guard page

CODE_MEANINGS = {
    "SI_KERNEL": "raised by the kernel without a cause",
    "BUS_ADRALN": "misaligned access",
    "BUS_OBJERR": "hardware error at this address",
    "BUS_MCEERR_AR": "memory error: the CPU consumed data that the hardware cannot correct (machine check)",
    "BUS_MCEERR_AO": "memory error found by the hardware (machine check), not yet consumed",
    "SEGV_PKUERR": "access that a protection key forbids",
    "SEGV_CPERR": "return address differs from the shadow stack: control flow was hijacked or the stack overwritten",
    "SEGV_MTEAERR": "memory tag mismatch",
    "SEGV_MTESERR": "memory tag mismatch",
    "FPE_INTDIV": "integer division by zero (or the quotient overflows)",
    "ILL_ILLOPN": "illegal instruction operand: __builtin_trap, ud2, or an instruction that this CPU lacks",
    "ILL_ILLOPC": "illegal instruction: compiled for another CPU, or a jump into data",
    "TRAP_BRKPT": "breakpoint or __builtin_trap",
    "SYS_SECCOMP": "a system call that the seccomp filter forbids",
}


def name_signal(number: int) -> str:
    if number in SIGNAL_NAMES:
        return SIGNAL_NAMES[number]
    return f"SIGRTMIN+{number - 34}" if 34 <= number <= 64 else f"signal {number}"


def name_code(signal: int, code: int) -> str:
    """Return the name of a si_code (`SEGV_MAPERR`, `SI_TKILL`); its number if it has no name."""
    if code <= 0 or code == 0x80:
        return SENT_CODE_NAMES.get(code, str(code))
    return CODE_NAMES.get(signal, {}).get(code, str(code))


def is_sent(note: SignalNote) -> bool:
    """Return whether a process sent the signal (kill, tgkill, sigqueue), so that siginfo names a sender."""
    return note.code in (0, -1, -6)


def fault_address(note: SignalNote) -> int | None:
    """Return si_addr if the kernel knew it: a non-canonical address gives SIGSEGV with SI_KERNEL and no address."""
    if note.number not in FAULT_SIGNALS or note.code <= 0 or note.code == 0x80:
        return None
    return note.address


def explain_signal(note: SignalNote, pid: int | None, stack_pointer: int | None, mapping: str) -> str:
    """Return what the signal and its code most likely mean, in one sentence.

    `pid` is the process that died. `mapping` describes what was mapped at the fault address, empty if nothing was.
    """
    name, code = name_signal(note.number), name_code(note.number, note.code)
    if is_sent(note):
        return _explain_sent(note, name, pid)
    address = fault_address(note)
    if note.number == 11 and note.code == 0x80:
        return "non-canonical address: a garbage pointer (overwritten, freed, uninitialised); the CPU reports none"
    if note.number == 11 and address is not None and note.code in (1, 2):
        return _explain_segv(address, code, stack_pointer, mapping)
    if code == "BUS_ADRERR":
        return _explain_adrerr(mapping)
    return CODE_MEANINGS.get(code, f"{name} with {code}")


def _explain_sent(note: SignalNote, name: str, pid: int | None) -> str:
    if pid is None or note.sender_pid != pid:
        unknown_sender = "the kernel or a process outside the pid namespace"
        sender = f"pid {note.sender_pid} (uid {note.sender_uid})" if note.sender_pid else unknown_sender
        return f"{name} was sent from outside by {sender}"
    if note.number == 6:
        return "the process aborted itself"
    if note.number in FAULT_SIGNALS:
        return f"{name} was raised again by a handler such as faulthandler: the fault address is lost"
    return f"{name} was sent by the process to itself"


def _explain_segv(address: int, code: str, stack_pointer: int | None, mapping: str) -> str:
    if address == 0:
        return "null pointer dereference"
    if address < MAX_NULL_OFFSET:
        return f"null pointer dereference at offset {address:#x} of an object"
    if (
        stack_pointer is not None
        and -MAX_GUARD_JUMP_BYTES <= address - stack_pointer <= 0x1000
        and not _is_writable(mapping)
    ):
        return "stack overflow: the access is at the stack pointer, below the stack's last page"
    if code == "SEGV_ACCERR":
        return f"access that the mapping does not permit ({mapping or 'unknown mapping'})"
    return f"access to {mapping}" if mapping else "access to memory that is not mapped"


def _is_writable(mapping: str) -> bool:
    return " rw" in f" {mapping}"


def _explain_adrerr(mapping: str) -> str:
    if "/dev/shm" in mapping or "/memfd:" in mapping:
        return "shared memory without backing: /dev/shm is full, or the segment was truncated"
    return "access behind the end of a mapped file: it was truncated, or its file system is full or gone"
