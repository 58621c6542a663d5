"""Names of signals and of their codes, and what a fault most likely means.

Numbers: include/uapi/asm-generic/signal.h and siginfo.h, as on x86 and ARM (MIPS and SPARC number some differently).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from analyzer.cores.cpu_flags import TRAP_INSTRUCTION, required_cpu_flag
from analyzer.cores.elf.notes import SignalNote
from analyzer.cores.protection_fault import explain_protection_fault

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

# The meaning of codes, except those for which it depends on the address (SEGV_MAPERR, SEGV_ACCERR, BUS_ADRERR, and
# SI_KERNEL of SIGSEGV). sigaction(2), and the places in the kernel that raise them.
CODE_MEANINGS = {
    "ILL_ILLOPC": "illegal instruction: compiled for another CPU, or a jump into data",
    "ILL_ILLOPN": "illegal instruction operand: __builtin_trap, ud2, or an instruction that this CPU lacks",
    "ILL_ILLADR": "illegal addressing mode of an instruction",
    "ILL_ILLTRP": "illegal trap instruction",
    "ILL_PRVOPC": "privileged instruction: only the kernel may execute it",
    "ILL_PRVREG": "access to a privileged register",
    "ILL_COPROC": "coprocessor error",
    "ILL_BADSTK": "internal stack error of the CPU",
    "TRAP_BRKPT": "breakpoint or __builtin_trap",
    "TRAP_TRACE": "single-step trap, as a debugger sets it",
    "TRAP_BRANCH": "branch trap, as a debugger sets it",
    "TRAP_HWBKPT": "hardware breakpoint or watchpoint",
    "TRAP_UNK": "trap of an unknown kind",
    "TRAP_PERF": "event of a performance counter, which the program requested as a signal",
    "BUS_ADRALN": "misaligned access",
    "BUS_OBJERR": "hardware error at this address",
    "BUS_MCEERR_AR": "memory error: the CPU consumed data that the hardware cannot correct (machine check)",
    "BUS_MCEERR_AO": "memory error found by the hardware (machine check), not yet consumed",
    "FPE_INTDIV": "integer division by zero (or the quotient overflows)",
    "FPE_INTOVF": "integer overflow that traps",
    "FPE_FLTDIV": "floating-point division by zero; the program had enabled traps for it (feenableexcept)",
    "FPE_FLTOVF": "floating-point overflow; the program had enabled traps for it (feenableexcept)",
    "FPE_FLTUND": "floating-point underflow; the program had enabled traps for it (feenableexcept)",
    "FPE_FLTRES": "inexact floating-point result; the program had enabled traps for it (feenableexcept)",
    "FPE_FLTINV": "invalid floating-point operation (NaN); the program had enabled traps for it (feenableexcept)",
    "FPE_FLTSUB": "subscript out of range",
    "FPE_FLTUNK": "floating-point exception of an unknown kind",
    "FPE_CONDTRAP": "conditional trap",
    "SEGV_BNDERR": "failed bounds check of the hardware",
    "SEGV_PKUERR": "access that a protection key forbids",
    "SEGV_ACCADI": "access with a memory tag where none is enabled",
    "SEGV_MTEAERR": "memory tag mismatch",
    "SEGV_MTESERR": "memory tag mismatch",
    "SEGV_CPERR": "return address differs from the shadow stack: control flow was hijacked or the stack overwritten",
    "SYS_SECCOMP": "a system call that the seccomp filter forbids",
    "SYS_USER_DISPATCH": "a system call that the program itself requested as a signal (syscall user dispatch)",
    "SI_TIMER": "a timer of the process expired",
    "SI_MESGQ": "a message queue of the process got a message",
    "SI_ASYNCIO": "an asynchronous read or write ended",
    "SI_SIGIO": "a file is ready for reading or writing",
    "SI_ASYNCNL": "an asynchronous name look-up ended",
}
# SI_KERNEL says only that the kernel sent the signal. Its meaning by signal:
KERNEL_MEANINGS = {
    3: "somebody pressed the quit key at the terminal",
    4: "illegal instruction, or a return to an illegal state",
    5: "breakpoint instruction (int3), as a failed check, __builtin_debugtrap or a debugger leaves it",
    7: "access through a garbage stack or frame pointer: its address is non-canonical",
    8: "arithmetic exception whose kind the CPU no longer showed",
    24: "the limit of CPU time (RLIMIT_CPU) was reached",
}
# Signals that the kernel sends with the process itself as the sender.
SELF_SENT_MEANINGS = {
    6: "the process aborted itself",
    13: "write to a pipe or socket that nobody reads any more",
    25: "the limit of file size (RLIMIT_FSIZE) was reached",
}


class FaultContext(NamedTuple):
    """The context of a signal.

    `pid` is the process that died. `mapping` is what was mapped at the fault address, empty if nothing was. `registers`
    are those of the interrupted instruction, and `code` are its bytes.
    """

    pid: int | None
    mapping: str
    pc: int | None
    sp: int | None
    code: bytes = b""
    registers: Mapping[str, int] = {}
    machine: str = ""


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


def explain_signal(note: SignalNote, context: FaultContext) -> str:
    """Return what the signal and its code most likely mean, in one sentence."""
    name, code = name_signal(note.number), name_code(note.number, note.code)
    if is_sent(note):
        return _explain_sent(note, name, context.pid)
    address = fault_address(note)
    if code == "SI_KERNEL":
        if note.number == 11:
            return explain_protection_fault(context.code, context.registers, context.machine)
        return KERNEL_MEANINGS.get(note.number, f"{name} was sent by the kernel")
    if note.number == 11 and address is not None and note.code in (1, 2):
        return _explain_segv(address, code, context)
    if code == "BUS_ADRERR":
        return _explain_adrerr(context.mapping) + _jumped(address, context)
    if note.number == 4:
        return explain_illegal(context.code, context.machine) or CODE_MEANINGS.get(code, f"SIGILL with the code {code}")
    return CODE_MEANINGS.get(code, f"{name} with the code {code}")


def explain_resent(name: str, interrupted: str | None, has_handler: bool, is_whole: bool) -> str:
    """Return what a fault signal means that the process sent to itself.

    Args:
        name: the name of the signal.
        interrupted: the meaning of the first signal, if a handler of it raised the same signal again.
        has_handler: whether the thread was in a signal handler.
        is_whole: whether the stack is known to its end.
    """
    if interrupted:
        return f"{interrupted}; its handler raised {name} again"
    if has_handler:
        return f"{name} was raised again by a handler such as faulthandler: the fault address is lost"
    if is_whole:
        return f"the process sent {name} to itself (raise, kill): this is not a fault"
    return f"the process sent {name} to itself: a handler such as faulthandler raised it again, or the program did"


def _explain_sent(note: SignalNote, name: str, pid: int | None) -> str:
    if pid is None or note.sender_pid != pid:
        unknown_sender = "the kernel or a process outside the pid namespace"
        sender = f"pid {note.sender_pid} (uid {note.sender_uid})" if note.sender_pid else unknown_sender
        return f"{name} was sent from outside by {sender}"
    if note.number in FAULT_SIGNALS:
        return explain_resent(name, None, has_handler=False, is_whole=False)
    return SELF_SENT_MEANINGS.get(note.number, f"{name} was sent by the process to itself")


def _jumped(address: int | None, context: FaultContext) -> str:
    """Return the note about a jump to a bad address; empty for signals other than access faults.

    The address of an illegal or trapping instruction is always the program counter.
    """
    return "; the program jumped there" if address is not None and address == context.pc else ""


def explain_illegal(instruction: bytes, machine: str) -> str | None:
    """Return the meaning of a SIGILL by its instruction; None if that is not a trap and needs no known CPU feature."""
    flag = required_cpu_flag(instruction, machine)
    if flag == TRAP_INSTRUCTION:
        return "the program stopped itself at a trap instruction: compilers put one after a failed check"
    if flag is None:
        return None
    return (
        f"illegal instruction {instruction[:8].hex()}: it looks like {flag}, which this CPU lacks or its "
        "hypervisor hides, unless the program jumped into data"
    )


def _explain_segv(address: int, code: str, context: FaultContext) -> str:
    mapping, stack_pointer = context.mapping, context.sp
    jumped = _jumped(address, context)
    if address == 0:
        return f"null pointer dereference{jumped}"
    if address < MAX_NULL_OFFSET:
        return f"null pointer dereference at offset {address:#x} of an object{jumped}"
    if (
        stack_pointer is not None
        and -MAX_GUARD_JUMP_BYTES <= address - stack_pointer <= 0x1000
        and not _is_writable(mapping)
    ):
        return "stack overflow: the access is at the stack pointer, below the stack's last page"
    if code == "SEGV_ACCERR":
        return f"access that the mapping does not permit ({mapping or 'unknown mapping'}){jumped}"
    if not mapping and context.machine and address > (1 << 64) - MAX_NULL_OFFSET:
        return f"access through the invalid pointer {address - (1 << 64)}, such as MAP_FAILED or an error code{jumped}"
    return f"access to {mapping}{jumped}" if mapping else f"access to memory that is not mapped{jumped}"


def _is_writable(mapping: str) -> bool:
    return " rw" in f" {mapping}"


def _explain_adrerr(mapping: str) -> str:
    if "/dev/shm" in mapping or "/memfd:" in mapping:
        return "shared memory without backing: /dev/shm is full, or the segment was truncated"
    file = mapping.partition(" /")[2]
    named = f"the mapped file /{file}" if file else "a mapped file"
    return f"access beyond the end of {named}: it was truncated, or its file system is full or gone"
