"""The signal whose handler a thread was in when it died.

faulthandler's and absl's handlers abort or raise again, and then the core's own siginfo tells of that alone. The kernel
left the first one in the signal frame: siginfo if the handler asked for it (SA_SIGINFO), on x86 the trap in any case.
"""

from __future__ import annotations

from analyzer.cores.elf import Header
from analyzer.cores.machine import Machine
from analyzer.cores.memory import Memory
from analyzer.cores.notes import SignalNote, read_signal
from analyzer.cores.signals import NAMES, name_code
from analyzer.cores.unwind import Stack

# From the stack pointer of the trampoline (struct rt_sigframe; x86: behind the return address).
INFO = {"x86_64": 304, "aarch64": 0}
TRAP, ERROR, CR2 = 200, 192, 216  # struct sigcontext, x86_64
FAULT_ADDRESS = 304  # struct sigcontext, aarch64
PAGE_FAULT, PROTECTION, INVALID_OPCODE = 14, 13, 6


def find_interrupted(
    memory: Memory, header: Header, machine: Machine, stack: Stack
) -> tuple[SignalNote, int | None] | None:
    """(signal, stack pointer where it struck) of the innermost signal frame; None when there is none."""
    for frame, outer in zip(stack.frames, stack.frames[1:], strict=False):
        if frame.trampoline and frame.sp is not None:
            note = _read_note(memory, header, machine, frame.sp)
            return None if note is None else (note, outer.sp)
    return None


def _read_note(memory: Memory, header: Header, machine: Machine, frame: int) -> SignalNote | None:
    """siginfo if the kernel wrote one; without SA_SIGINFO its place holds whatever the stack held before."""
    note = read_signal(memory.read_some(frame + INFO[machine.name], 128), header)
    if note is not None and (note.signo not in NAMES or name_code(note.signo, note.code) == str(note.code)):
        note = None
    if machine.name == "aarch64":
        return note if note and memory.word(frame + FAULT_ADDRESS) in (0, note.address) else None
    trap = _from_trap(memory, frame)
    agrees = note is not None and (trap is None or (note.signo, note.address) == (trap.signo, trap.address))
    return note if agrees else trap


def _from_trap(memory: Memory, frame: int) -> SignalNote | None:
    """By the CPU's trap number and error code. Trap 0 is both a division and no trap at all, so it says nothing."""
    trap, error, address = memory.word(frame + TRAP), memory.word(frame + ERROR), memory.word(frame + CR2)
    if error is None or address is None:
        return None
    if trap == PROTECTION:
        return SignalNote(11, 0x80, 0, 0, 0)
    if trap == INVALID_OPCODE:
        return SignalNote(4, 2, address, 0, 0)
    if trap != PAGE_FAULT:
        return None
    if error & 1:
        return SignalNote(11, 2, address, 0, 0)
    # A page that is mapped and yet cannot be had: behind the end of a file.
    return SignalNote(7, 2, address, 0, 0) if memory.segment(address) else SignalNote(11, 1, address, 0, 0)
