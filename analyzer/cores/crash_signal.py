"""The signal as incident.json shows it: what struck, where, and what that most likely means."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.cores.core_dump import Core, Json
from analyzer.cores.cpu_flags import TRAP_INSTRUCTION, required_cpu_flag
from analyzer.cores.dwarf.unwind import NativeStack
from analyzer.cores.notes import SignalNote, ThreadNote
from analyzer.cores.opened_core import OpenedCore
from analyzer.cores.process_info import describe_address
from analyzer.cores.registers import PC_NAMES, SP_NAMES, first_register
from analyzer.cores.signal_frame import find_interrupted_signal
from analyzer.cores.signals import explain_signal, fault_address, is_sent, name_code, name_signal

SIGSTOP = 19


def fill_signal(core: Core, opened: OpenedCore) -> None:
    """Fills in the signal and its facts; a problem where no thread is noted or no signal ended the process."""
    notes, facts = opened.notes, core["facts"]
    if not notes.threads:
        core["problems"].append("no thread is noted in it")
        return
    crashed_thread, note = notes.threads[0], notes.signal
    facts["registers"] = {name: f"{value:#x}" for name, value in crashed_thread.registers.items()}
    number = note.number if note else crashed_thread.signal
    if number in (0, SIGSTOP):
        core["problems"].append("no signal ended the process: the core is a snapshot (gcore, gdb)")
        return
    core["crashing_thread"], core["signal"] = crashed_thread.tid, name_signal(number)
    program_counter = first_register(crashed_thread.registers, PC_NAMES)
    code = opened.memory.read_some(program_counter, 16) if program_counter is not None else b""
    flag = required_cpu_flag(code, facts["machine"]) if core["signal"] == "SIGILL" else None
    facts |= {"instruction": code.hex() or None, "needs_cpu": None if flag == TRAP_INSTRUCTION else flag}
    if note is not None:
        core["signal_code"] = name_code(note.number, note.code)
        core["sender_pid"] = note.sender_pid if is_sent(note) else None
        explained = _describe_fault(opened, note, first_register(crashed_thread.registers, SP_NAMES))
        core["fault_address"] = explained.pop("fault_address")
        facts |= explained
        if core["fault_address"] is not None and fault_address(note) == program_counter:
            facts["explanation"] += "; the program jumped there"
    if flag and not (note and is_sent(note)):
        facts["explanation"] = _explain_illegal_instruction(flag, code)


def _explain_illegal_instruction(flag: str, code: bytes) -> str:
    if flag == TRAP_INSTRUCTION:
        return "the program stopped itself at a trap instruction: compilers put it behind a failed check"
    return (
        f"illegal instruction {code[:8].hex()}: it looks like {flag}, which this CPU lacks or its hypervisor hides, "
        "unless the program jumped into data"
    )


def describe_interrupted_signal(opened: OpenedCore, stack: NativeStack) -> Json | None:
    """What struck before the handler that the thread died in; None where it died in none."""
    machine = opened.machine
    found = find_interrupted_signal(opened.memory, opened.header, machine, stack) if machine else None
    if found is None:
        return None
    note, pointer = found
    return {
        "signal": name_signal(note.number),
        "signal_code": name_code(note.number, note.code),
        **_describe_fault(opened, note, pointer),
    }


def stack_pointers(threads: Sequence[ThreadNote]) -> list[int]:
    return [pointer for t in threads if (pointer := first_register(t.registers, SP_NAMES)) is not None]


def _describe_fault(opened: OpenedCore, note: SignalNote, pointer: int | None) -> Json:
    """The fault's address, what was mapped there, and what that means."""
    notes, address = opened.notes, fault_address(note)
    stacks = stack_pointers(notes.threads)
    mapping = describe_address(opened.memory, notes.files, stacks, address) if address is not None else ""
    return {
        "fault_address": f"{address:#x}" if address is not None else None,
        "fault_mapping": mapping or None,
        "explanation": explain_signal(note, notes.process.pid if notes.process else None, pointer, mapping),
    }
