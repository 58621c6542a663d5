"""The signal that ended the process: its fault, what that most likely means, and the signal whose handler was running.

Handlers such as those of faulthandler and absl abort or raise the signal again. Then the core's own siginfo describes
only the second signal. The kernel left the first one in the signal frame on the stack: its siginfo if the handler
requested it (SA_SIGINFO), and on x86 always the trap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from analyzer.core_dump import END_OF_STACK, CoreDump, InterruptedSignal
from analyzer.cores.cpu_flags import TRAP_INSTRUCTION, required_cpu_flag
from analyzer.cores.dwarf.machine import Machine
from analyzer.cores.dwarf.unwind import NativeStack
from analyzer.cores.elf.headers import ElfHeader
from analyzer.cores.elf.memory import ProcessMemory
from analyzer.cores.elf.notes import SignalNote, ThreadNote, read_signal
from analyzer.cores.elf.registers import PC_NAMES, SP_NAMES, first_register
from analyzer.cores.opened_core import OpenedCore
from analyzer.cores.process_info import describe_address
from analyzer.cores.protection_fault import find_operand_address, is_canonical, is_division
from analyzer.cores.signals import (
    FAULT_SIGNALS,
    SIGNAL_NAMES,
    FaultContext,
    explain_illegal,
    explain_resent,
    explain_signal,
    fault_address,
    is_sent,
    name_code,
    name_signal,
)

SIGSTOP = 19

# From the stack pointer of the trampoline (struct rt_sigframe; x86: after the return address).
SIGINFO_AT = {"x86_64": 304, "aarch64": 0}
TRAP_AT, ERROR_AT, CR2_AT = 200, 192, 216  # struct sigcontext, x86_64
FAULT_ADDRESS_AT = 304  # struct sigcontext, aarch64
TRAP_PAGE_FAULT, TRAP_PROTECTION, TRAP_INVALID_OPCODE, TRAP_DIVISION = 14, 13, 6, 0


def fill_signal(core: CoreDump, opened: OpenedCore) -> None:
    """Fill in the signal and its facts. Add a problem if the core notes no thread or no signal."""
    notes, facts = opened.notes, core.facts
    if not notes.threads:
        core.problems.append("it has no note of a thread")
        return
    crashed_thread, note = notes.threads[0], notes.signal
    facts.registers = {name: f"{value:#x}" for name, value in crashed_thread.registers.items()}
    number = note.number if note else crashed_thread.signal
    if number in (0, SIGSTOP):
        core.problems.append("no signal ended the process: the core is a snapshot (gcore, gdb)")
        return
    core.crashing_thread, core.signal = crashed_thread.tid, name_signal(number)
    program_counter = first_register(crashed_thread.registers, PC_NAMES)
    code = _read_code(opened, program_counter)
    facts.instruction = code.hex() or None
    if core.signal == "SIGILL":
        facts.needs_cpu = _needed_cpu_flag(code, opened)
        facts.explanation = explain_illegal(code, opened.header.machine_name)
    if note is not None:
        fault = _describe_fault(opened, note, crashed_thread.registers)
        core.signal_code = fault.signal_code
        core.sender_pid = note.sender_pid if is_sent(note) else None
        core.fault_address = fault.fault_address
        facts.fault_mapping, facts.explanation = fault.fault_mapping, fault.explanation


def fill_interrupted_signal(core: CoreDump, opened: OpenedCore, machine: Machine, stack: NativeStack) -> None:
    """Fill in the first signal, if the thread died in the handler of one.

    If the handler raised the same signal again (faulthandler), the core's own siginfo describes only the second one.
    Address and explanation then become those of the first.
    """
    facts, note, registers = core.facts, opened.notes.signal, opened.notes.threads[0].registers
    interrupted = find_interrupted_signal(opened.memory, opened.header, machine, stack)
    facts.interrupted = _describe_fault(opened, interrupted.note, interrupted.registers) if interrupted else None
    if note is None or not is_sent(note) or note.number not in FAULT_SIGNALS or note.sender_pid != core.pid:
        return
    # A signal that its own handler raises is blocked until the handler returns, and then hits the same instruction.
    pc = first_register(registers, PC_NAMES)
    is_delayed = interrupted is None and pc is not None and not machine.is_after_system_call(opened.memory, pc)
    if is_delayed and (delayed := _repeat_fault(opened, note.number, registers)):
        interrupted = InterruptedThread(delayed, registers)
        facts.interrupted = _describe_fault(opened, delayed, registers)
    same = facts.interrupted if facts.interrupted and facts.interrupted.signal == core.signal else None
    if interrupted is not None and same is not None:
        core.fault_address, facts.fault_mapping = same.fault_address, same.fault_mapping
        if same.signal == "SIGILL":
            code = _read_code(opened, first_register(interrupted.registers, PC_NAMES))
            facts.needs_cpu = _needed_cpu_flag(code, opened)
    facts.explanation = explain_resent(
        name_signal(note.number),
        same.explanation if same else None,
        has_handler=is_delayed or any(frame.is_trampoline for frame in stack.frames),
        is_whole=stack.stop_reason == END_OF_STACK,
    )


def _repeat_fault(opened: OpenedCore, number: int, registers: Mapping[str, int]) -> SignalNote | None:
    """Return the fault that the instruction at the program counter raises with these registers; None
    if it raises none.
    """
    pc = first_register(registers, PC_NAMES)
    code = _read_code(opened, pc)
    if opened.header.machine_name != "x86_64" or pc is None or not code:
        return None
    if number == 8:
        return SignalNote(number=8, code=1, address=pc, sender_pid=0, sender_uid=0) if is_division(code) else None
    address = find_operand_address(code, registers)
    if number != 11 or address is None:
        return None
    if not is_canonical(address):
        return SignalNote(number=11, code=0x80, address=0, sender_pid=0, sender_uid=0)
    return (
        None
        if opened.memory.find_segment(address)
        else SignalNote(number=11, code=1, address=address, sender_pid=0, sender_uid=0)
    )


def _read_code(opened: OpenedCore, pc: int | None) -> bytes:
    return opened.memory.read_some(pc, 16) if pc is not None else b""


def _needed_cpu_flag(code: bytes, opened: OpenedCore) -> str | None:
    flag = required_cpu_flag(code, opened.header.machine_name)
    return None if flag == TRAP_INSTRUCTION else flag


def stack_pointers(threads: Sequence[ThreadNote]) -> list[int]:
    """Return the stack pointer of each thread that has one."""
    return [pointer for thread in threads if (pointer := first_register(thread.registers, SP_NAMES)) is not None]


def _describe_fault(opened: OpenedCore, note: SignalNote, registers: Mapping[str, int]) -> InterruptedSignal:
    """Return the signal with its fault address, what was mapped there, and what that means.

    `registers` are those of the instruction that the signal interrupted.
    """
    notes, address = opened.notes, fault_address(note)
    stacks = stack_pointers(notes.threads)
    mapping = describe_address(opened.memory, notes.files, stacks, address) if address is not None else ""
    pc = first_register(registers, PC_NAMES)
    context = FaultContext(
        pid=notes.process.pid if notes.process else None,
        mapping=mapping,
        pc=pc,
        sp=first_register(registers, SP_NAMES),
        code=_read_code(opened, pc),
        registers=registers,
        machine=opened.header.machine_name,
    )
    return InterruptedSignal(
        signal=name_signal(note.number),
        signal_code=name_code(note.number, note.code),
        fault_address=f"{address:#x}" if address is not None else None,
        fault_mapping=mapping or None,
        explanation=explain_signal(note, context),
    )


class InterruptedThread(NamedTuple):
    """A signal, and the registers at the instruction that it interrupted."""

    note: SignalNote
    registers: dict[str, int]


def find_interrupted_signal(
    memory: ProcessMemory, header: ElfHeader, machine: Machine, stack: NativeStack
) -> InterruptedThread | None:
    """Return the signal of the innermost signal frame; None without one."""
    for frame, outer in zip(stack.frames, stack.frames[1:], strict=False):
        if not frame.is_trampoline or frame.sp is None:
            continue
        note = _read_signal_frame(memory, header, machine, frame.sp, outer.pc)
        values = machine.interrupted_registers(memory, frame.sp) or []
        registers = {name: value for name, value in zip(machine.names, values, strict=False) if value is not None}
        return None if note is None else InterruptedThread(note, registers)
    return None


def _read_signal_frame(
    memory: ProcessMemory, header: ElfHeader, machine: Machine, frame: int, pc: int
) -> SignalNote | None:
    """Return the frame's siginfo if it is plausible, else the signal of the CPU's trap.

    Without SA_SIGINFO the kernel writes no siginfo, and its place has old data of the stack.
    """
    note = read_signal(memory.read_some(frame + SIGINFO_AT[machine.name], 128), header)
    if note is not None and (note.number not in SIGNAL_NAMES or name_code(note.number, note.code) == str(note.code)):
        note = None
    if machine.name == "aarch64":
        return note if note and memory.read_word(frame + FAULT_ADDRESS_AT) in (0, note.address) else None
    trap = _signal_of_trap(memory, frame, pc)
    agrees = note is not None and (trap is None or (note.number, note.address) == (trap.number, trap.address))
    return note if agrees else trap


def _signal_of_trap(memory: ProcessMemory, frame: int, pc: int) -> SignalNote | None:
    """Return the signal of the CPU's trap number and error code; None for an unknown trap.

    `pc` is the interrupted instruction. Trap 0 is a division, or no trap at all: the instruction decides.
    """
    trap, error, address = (
        memory.read_word(frame + TRAP_AT),
        memory.read_word(frame + ERROR_AT),
        memory.read_word(frame + CR2_AT),
    )
    if error is None or address is None:
        return None
    if trap == TRAP_PROTECTION:
        return SignalNote(number=11, code=0x80, address=0, sender_pid=0, sender_uid=0)
    if trap == TRAP_DIVISION and is_division(memory.read_some(pc, 16)):
        return SignalNote(number=8, code=1, address=pc, sender_pid=0, sender_uid=0)
    if trap == TRAP_INVALID_OPCODE:
        return SignalNote(number=4, code=2, address=pc, sender_pid=0, sender_uid=0)
    if trap != TRAP_PAGE_FAULT:
        return None
    if error & 1:
        return SignalNote(number=11, code=2, address=address, sender_pid=0, sender_uid=0)
    # A page that is mapped but cannot be read is after the end of its file.
    return (
        SignalNote(number=7, code=2, address=address, sender_pid=0, sender_uid=0)
        if memory.find_segment(address)
        else SignalNote(number=11, code=1, address=address, sender_pid=0, sender_uid=0)
    )
