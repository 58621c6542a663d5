"""The signal whose handler a thread was in when it died.

faulthandler's and absl's handlers abort or raise again, and then the core's own siginfo tells of that alone. The kernel
left the first one in the signal frame: siginfo if the handler asked for it (SA_SIGINFO), on x86 the trap in any case.
"""

from __future__ import annotations

from analyzer.cores.dwarf.machine import Machine
from analyzer.cores.dwarf.unwind import NativeStack
from analyzer.cores.elf import ElfHeader
from analyzer.cores.memory import ProcessMemory
from analyzer.cores.notes import SignalNote, read_signal
from analyzer.cores.signals import SIGNAL_NAMES, name_code

# From the stack pointer of the trampoline (struct rt_sigframe; x86: behind the return address).
SIGINFO_AT = {"x86_64": 304, "aarch64": 0}
TRAP_AT, ERROR_AT, CR2_AT = 200, 192, 216  # struct sigcontext, x86_64
FAULT_ADDRESS_AT = 304  # struct sigcontext, aarch64
TRAP_PAGE_FAULT, TRAP_PROTECTION, TRAP_INVALID_OPCODE = 14, 13, 6


def find_interrupted_signal(
    memory: ProcessMemory, header: ElfHeader, machine: Machine, stack: NativeStack
) -> tuple[SignalNote, int | None] | None:
    """(signal, stack pointer where it struck) of the innermost signal frame; None when there is none."""
    for frame, outer in zip(stack.frames, stack.frames[1:], strict=False):
        if frame.is_trampoline and frame.sp is not None:
            note = _read_signal_frame(memory, header, machine, frame.sp)
            return None if note is None else (note, outer.sp)
    return None


def _read_signal_frame(memory: ProcessMemory, header: ElfHeader, machine: Machine, frame: int) -> SignalNote | None:
    """siginfo if the kernel wrote one; without SA_SIGINFO its place holds whatever the stack held before."""
    note = read_signal(memory.read_some(frame + SIGINFO_AT[machine.name], 128), header)
    if note is not None and (note.number not in SIGNAL_NAMES or name_code(note.number, note.code) == str(note.code)):
        note = None
    if machine.name == "aarch64":
        return note if note and memory.read_word(frame + FAULT_ADDRESS_AT) in (0, note.address) else None
    trap = _signal_of_trap(memory, frame)
    agrees = note is not None and (trap is None or (note.number, note.address) == (trap.number, trap.address))
    return note if agrees else trap


def _signal_of_trap(memory: ProcessMemory, frame: int) -> SignalNote | None:
    """By the CPU's trap number and error code. Trap 0 is both a division and no trap at all, so it says nothing."""
    trap, error, address = (
        memory.read_word(frame + TRAP_AT),
        memory.read_word(frame + ERROR_AT),
        memory.read_word(frame + CR2_AT),
    )
    if error is None or address is None:
        return None
    if trap == TRAP_PROTECTION:
        return SignalNote(11, 0x80, 0, 0, 0)
    if trap == TRAP_INVALID_OPCODE:
        return SignalNote(4, 2, address, 0, 0)
    if trap != TRAP_PAGE_FAULT:
        return None
    if error & 1:
        return SignalNote(11, 2, address, 0, 0)
    # A page that is mapped and yet cannot be had: behind the end of a file.
    return SignalNote(7, 2, address, 0, 0) if memory.find_segment(address) else SignalNote(11, 1, address, 0, 0)
