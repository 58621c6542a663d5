"""The signal as incident.json shows it: what struck, where, and what that most likely means."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.cores.dump import Dump
from analyzer.cores.facts import describe_address
from analyzer.cores.interrupted import find_interrupted
from analyzer.cores.notes import SignalNote, ThreadNote
from analyzer.cores.opcodes import TRAP, needed_flag
from analyzer.cores.registers import PC_NAMES, SP_NAMES, first_of
from analyzer.cores.signals import explain, fault_address, is_sent, name_code, name_signal
from analyzer.cores.unwind import Stack
from analyzer.cores.words import Core, Json

SIGSTOP = 19


def show_signal(core: Core, dump: Dump) -> None:
    """Fills in the signal and its facts; a problem where no thread is noted or no signal ended the process."""
    notes, facts = dump.notes, core["facts"]
    if not notes.threads:
        core["problems"].append("no thread is noted in it")
        return
    crashed, note = notes.threads[0], notes.signal
    facts["registers"] = {name: f"{value:#x}" for name, value in crashed.registers.items()}
    number = note.signo if note else crashed.signal
    if number in (0, SIGSTOP):
        core["problems"].append("no signal ended the process: the core is a snapshot (gcore, gdb)")
        return
    core["crashing_thread"], core["signal"] = crashed.tid, name_signal(number)
    program_counter = first_of(crashed.registers, PC_NAMES)
    code = dump.memory.read_some(program_counter, 16) if program_counter is not None else b""
    flag = needed_flag(code, facts["machine"]) if core["signal"] == "SIGILL" else None
    facts |= {"instruction": code.hex() or None, "needs_cpu": None if flag == TRAP else flag}
    if note is not None:
        core["signal_code"] = name_code(note.signo, note.code)
        core["sender_pid"] = note.sender_pid if is_sent(note) else None
        explained = _explain_signal(dump, note, first_of(crashed.registers, SP_NAMES))
        core["fault_address"] = explained.pop("fault_address")
        facts |= explained
        if core["fault_address"] is not None and fault_address(note) == program_counter:
            facts["explanation"] += "; the program jumped there"
    if flag and not (note and is_sent(note)):
        facts["explanation"] = _explain_illegal(flag, code)


def _explain_illegal(flag: str, code: bytes) -> str:
    if flag == TRAP:
        return "the program stopped itself at a trap instruction: compilers put it behind a failed check"
    return (
        f"illegal instruction {code[:8].hex()}: it looks like {flag}, which this CPU lacks or its hypervisor hides, "
        "unless the program jumped into data"
    )


def show_interrupted(dump: Dump, stack: Stack) -> Json | None:
    """What struck before the handler that the thread died in; None where it died in none."""
    machine = dump.machine
    found = find_interrupted(dump.memory, dump.header, machine, stack) if machine else None
    if found is None:
        return None
    note, pointer = found
    return {
        "signal": name_signal(note.signo),
        "signal_code": name_code(note.signo, note.code),
        **_explain_signal(dump, note, pointer),
    }


def stack_pointers(threads: Sequence[ThreadNote]) -> list[int]:
    return [pointer for t in threads if (pointer := first_of(t.registers, SP_NAMES)) is not None]


def _explain_signal(dump: Dump, note: SignalNote, pointer: int | None) -> Json:
    """The fault's address, what was mapped there, and what that means."""
    notes, address = dump.notes, fault_address(note)
    stacks = stack_pointers(notes.threads)
    mapping = describe_address(dump.memory, notes.files, stacks, address) if address is not None else ""
    return {
        "fault_address": f"{address:#x}" if address is not None else None,
        "fault_mapping": mapping or None,
        "explanation": explain(note, notes.process.pid if notes.process else None, pointer, mapping),
    }
