"""The signal that ended the process: its fault, what that most likely means, and the signal whose handler was running.

Handlers such as those of faulthandler and absl abort or raise again, and then the core's own siginfo describes only
that. The kernel left the first signal in the signal frame on the stack: its siginfo if the handler asked for it
(SA_SIGINFO), and on x86 the trap in any case.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.core_dump import CoreDump, InterruptedSignal
from analyzer.cores.cpu_flags import TRAP_INSTRUCTION, required_cpu_flag
from analyzer.cores.dwarf.machine import Machine
from analyzer.cores.dwarf.unwind import NativeStack
from analyzer.cores.elf.headers import ElfHeader
from analyzer.cores.elf.memory import ProcessMemory
from analyzer.cores.elf.notes import SignalNote, ThreadNote, read_signal
from analyzer.cores.elf.registers import PC_NAMES, SP_NAMES, first_register
from analyzer.cores.opened_core import OpenedCore
from analyzer.cores.process_info import describe_address
from analyzer.cores.signals import SIGNAL_NAMES, explain_signal, fault_address, is_sent, name_code, name_signal

SIGSTOP = 19

# From the stack pointer of the trampoline (struct rt_sigframe; x86: behind the return address).
SIGINFO_AT = {"x86_64": 304, "aarch64": 0}
TRAP_AT, ERROR_AT, CR2_AT = 200, 192, 216  # struct sigcontext, x86_64
FAULT_ADDRESS_AT = 304  # struct sigcontext, aarch64
TRAP_PAGE_FAULT, TRAP_PROTECTION, TRAP_INVALID_OPCODE = 14, 13, 6


def fill_signal(core: CoreDump, opened: OpenedCore) -> None:
    """Fill in the signal and its facts; add a problem if no thread is noted or no signal ended the process."""
    notes, facts = opened.notes, core.facts
    if not notes.threads:
        core.problems.append("no thread is noted in it")
        return
    crashed_thread, note = notes.threads[0], notes.signal
    facts.registers = {name: f"{value:#x}" for name, value in crashed_thread.registers.items()}
    number = note.number if note else crashed_thread.signal
    if number in (0, SIGSTOP):
        core.problems.append("no signal ended the process: the core is a snapshot (gcore, gdb)")
        return
    core.crashing_thread, core.signal = crashed_thread.tid, name_signal(number)
    program_counter = first_register(crashed_thread.registers, PC_NAMES)
    code = opened.memory.read_some(program_counter, 16) if program_counter is not None else b""
    flag = required_cpu_flag(code, opened.header.machine_name) if core.signal == "SIGILL" else None
    facts.instruction = code.hex() or None
    facts.needs_cpu = None if flag == TRAP_INSTRUCTION else flag
    if note is not None:
        fault = _describe_fault(opened, note, first_register(crashed_thread.registers, SP_NAMES))
        core.signal_code = fault.signal_code
        core.sender_pid = note.sender_pid if is_sent(note) else None
        core.fault_address = fault.fault_address
        facts.fault_mapping, facts.explanation = fault.fault_mapping, fault.explanation
        if core.fault_address is not None and fault_address(note) == program_counter:
            facts.explanation = f"{fault.explanation}; the program jumped there"
    if flag and not (note and is_sent(note)):
        facts.explanation = _explain_illegal_instruction(flag, code)


def _explain_illegal_instruction(flag: str, code: bytes) -> str:
    if flag == TRAP_INSTRUCTION:
        return "the program stopped itself at a trap instruction: compilers put it behind a failed check"
    return (
        f"illegal instruction {code[:8].hex()}: it looks like {flag}, which this CPU lacks or its hypervisor hides, "
        "unless the program jumped into data"
    )


def describe_interrupted_signal(opened: OpenedCore, stack: NativeStack) -> InterruptedSignal | None:
    """Return the signal that struck before the handler in which the thread died; None if it died outside a handler."""
    machine = opened.machine
    interrupted = find_interrupted_signal(opened.memory, opened.header, machine, stack) if machine else None
    return _describe_fault(opened, *interrupted) if interrupted else None


def stack_pointers(threads: Sequence[ThreadNote]) -> list[int]:
    """Return the stack pointer of each thread that has one."""
    return [pointer for thread in threads if (pointer := first_register(thread.registers, SP_NAMES)) is not None]


def _describe_fault(opened: OpenedCore, note: SignalNote, stack_pointer: int | None) -> InterruptedSignal:
    """Return the signal with its fault address, what was mapped there, and what that means."""
    notes, address = opened.notes, fault_address(note)
    stacks = stack_pointers(notes.threads)
    mapping = describe_address(opened.memory, notes.files, stacks, address) if address is not None else ""
    return InterruptedSignal(
        signal=name_signal(note.number),
        signal_code=name_code(note.number, note.code),
        fault_address=f"{address:#x}" if address is not None else None,
        fault_mapping=mapping or None,
        explanation=explain_signal(note, notes.process.pid if notes.process else None, stack_pointer, mapping),
    )


def find_interrupted_signal(
    memory: ProcessMemory, header: ElfHeader, machine: Machine, stack: NativeStack
) -> tuple[SignalNote, int | None] | None:
    """Return (signal, stack pointer at the interrupted instruction) of the innermost signal frame; None without one."""
    for frame, outer in zip(stack.frames, stack.frames[1:], strict=False):
        if frame.is_trampoline and frame.sp is not None:
            note = _read_signal_frame(memory, header, machine, frame.sp)
            return None if note is None else (note, outer.sp)
    return None


def _read_signal_frame(memory: ProcessMemory, header: ElfHeader, machine: Machine, frame: int) -> SignalNote | None:
    """Return the frame's siginfo if it is plausible, else the signal of the CPU's trap.

    Without SA_SIGINFO the kernel writes no siginfo, and its place holds what the stack held before.
    """
    note = read_signal(memory.read_some(frame + SIGINFO_AT[machine.name], 128), header)
    if note is not None and (note.number not in SIGNAL_NAMES or name_code(note.number, note.code) == str(note.code)):
        note = None
    if machine.name == "aarch64":
        return note if note and memory.read_word(frame + FAULT_ADDRESS_AT) in (0, note.address) else None
    trap = _signal_of_trap(memory, frame)
    agrees = note is not None and (trap is None or (note.number, note.address) == (trap.number, trap.address))
    return note if agrees else trap


def _signal_of_trap(memory: ProcessMemory, frame: int) -> SignalNote | None:
    """Return the signal of the CPU's trap number and error code; None for trap 0: a division, or no trap at all."""
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
