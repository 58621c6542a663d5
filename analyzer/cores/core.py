"""From the file to one element of `cores` (the contract of incident.json): the whole flow on one screen."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Sequence
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

from analyzer.cores.binaries import Places, attach_files
from analyzer.cores.elf import (
    EM_CUDA,
    ET_CORE,
    Buffer,
    Header,
    count_segments,
    read_header,
    read_segments,
)
from analyzer.cores.facts import describe_address, describe_auxv, find_executable, list_mappings, read_command
from analyzer.cores.interrupted import find_interrupted
from analyzer.cores.loaded import Modules
from analyzer.cores.machine import MACHINES, Machine
from analyzer.cores.memory import Memory
from analyzer.cores.messages import find_message
from analyzer.cores.modules import find_modules
from analyzer.cores.notes import PC_NAMES, SP_NAMES, Notes, SignalNote, ThreadNote, first_of, read_notes
from analyzer.cores.opcodes import TRAP, needed_flag
from analyzer.cores.python import read_interpreter
from analyzer.cores.signals import explain, fault_address, is_sent, name_code, name_signal
from analyzer.cores.signature import make_signatures
from analyzer.cores.threads import fold_equal, show_threads
from analyzer.cores.unwind import Stack, Unwinder

Json = dict[str, Any]

UNWIND_SECONDS, PYTHON_SECONDS = 3.0, 1.0
SIGSTOP = 19


def read_core(
    path: Path,
    *,
    name: str | None = None,
    executable: Path | None = None,
    sysroots: Sequence[Path] = (),
    threads: str = "all",
) -> Json:
    """All that can be told of a core, as JSON values; `node` is left to the caller.

    `name` is the core's name in the bundle. `threads` is all | crashing | unique (equal stacks once). Never raises for
    what the bytes are; a file that cannot be opened or is no core comes back with a problem and no threads.
    """
    core = _blank(name or str(path))
    problems: list[str] = core["problems"]
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        problems.append(f"cannot be opened: {getattr(error, 'strerror', None) or error}")
        return core
    try:
        size = os.fstat(descriptor).st_size
        data: Buffer = mmap(descriptor, size, access=ACCESS_READ) if size else b""
    except (OSError, ValueError) as error:
        problems.append(f"cannot be mapped: {error}")
        return core
    finally:
        os.close(descriptor)
    header = read_header(data)
    if header is None or header.type != ET_CORE:
        problems.append("this is no core file: it does not begin as an ELF core does" if size else "the file is empty")
        return core
    _fill(core, path, data, size, header, Places(executable, tuple(sysroots), path.parent), threads)
    return core


def _fill(core: Json, path: Path, data: Buffer, size: int, header: Header, places: Places, wanted: str) -> None:
    problems: list[str] = core["problems"]
    core["facts"] = facts = {"machine": header.machine_name, "bits": header.bits}
    if header.machine == EM_CUDA:
        problems.append("a GPU core of CUDA: its sections are not read yet")
        return
    count = count_segments(data, header)
    segments = read_segments(data, header, count=count)
    if len(segments) < count:
        problems.append(f"only {len(segments)} of {count} program headers are read: the others are cut off or too many")
    notes = read_notes(data, header, segments)
    memory = Memory(data, size, segments, header.order, header.bits)
    problems.extend(notes.problems)
    problems.extend(_judge_size(memory))
    modules = find_modules(memory, notes, places)
    attach_files(modules, memory, places)
    problems.extend(modules.problems)
    _add_process(core, facts, memory, notes, modules)
    _add_signal(core, facts, memory, notes)
    machine = MACHINES.get(header.machine) if header.bits == 64 and header.order == "<" else None
    if machine is None:
        core["problems"].append(f"stacks of {header.machine_name} are not read, only the notes")
    else:
        _add_threads(core, header, memory, notes, modules, machine, places, wanted)


def _add_threads(
    core: Json,
    header: Header,
    memory: Memory,
    notes: Notes,
    modules: Modules,
    machine: Machine,
    places: Places,
    wanted: str,
) -> None:
    chosen = notes.threads[:1] if wanted == "crashing" else notes.threads
    deadline = time.thread_time() + UNWIND_SECONDS
    unwinder = Unwinder(memory, modules, machine, deadline)
    stacks = [unwinder.unwind(thread) for thread in chosen]
    interpreter = read_interpreter(memory, modules, notes.threads, deadline + PYTHON_SECONDS, places.sysroots)
    if interpreter is not None:
        core["facts"] |= {"python": interpreter.version, "gil_holder": interpreter.gil_holder}
        core["problems"].extend(interpreter.problems)
    threads = show_threads(
        chosen, stacks, interpreter, places.sysroots, (notes.process.pid, notes.process.comm) if notes.process else None
    )
    if threads and core["crashing_thread"] is not None:
        core["facts"]["interrupted"] = _show_interrupted(memory, notes, header, machine, stacks[0])
        _add_words(core, memory, modules, notes.threads[0], threads[0], places)
    core["threads"] = fold_equal(threads) if wanted == "unique" else threads


def _show_interrupted(memory: Memory, notes: Notes, header: Header, machine: Machine, stack: Stack) -> Json | None:
    found = find_interrupted(memory, header, machine, stack)
    if found is None:
        return None
    note, pointer = found
    return {
        "signal": name_signal(note.signo),
        "signal_code": name_code(note.signo, note.code),
        **_explain_signal(memory, notes, note, pointer),
    }


def _explain_signal(memory: Memory, notes: Notes, note: SignalNote, pointer: int | None) -> Json:
    """The fault's address, what was mapped there, and what that means."""
    address = fault_address(note)
    stacks = _stack_pointers(notes.threads)
    mapping = describe_address(memory, notes.files, stacks, address) if address is not None else ""
    return {
        "fault_address": f"{address:#x}" if address is not None else None,
        "fault_mapping": mapping or None,
        "explanation": explain(note, notes.process.pid if notes.process else None, pointer, mapping),
    }


def _add_words(core: Json, memory: Memory, modules: Modules, crashed: ThreadNote, shown: Json, places: Places) -> None:
    """The abort message and the signatures, both from the crashing thread."""
    functions = [frame["function"] for frame in shown["frames"] if frame["function"]]
    message = find_message(
        memory, modules, first_of(crashed.registers, SP_NAMES), core["signal"], functions, places.sysroots
    )
    core["abort_message"] = message
    core["facts"]["signatures"] = make_signatures(
        core["signal"], core["signal_code"], shown["frames"], message, bool(shown.get("omitted"))
    )
    core["signature"] = core["facts"]["signatures"]["exact"]


def _judge_size(memory: Memory) -> list[str]:
    problems = []
    wanted, missing = memory.missing()
    if missing:
        problems.append(
            f"the core is cut: {missing} of {wanted} bytes of memory are missing (usual reasons: ulimit "
            f"-c, the size limits of systemd-coredump, a full disk)"
        )
    if not memory.mapped:
        problems.append("no memory is described in it")
    return problems


def _blank(name: str) -> Json:
    core: Json = dict.fromkeys(
        (
            "file",
            "node",
            "pid",
            "executable",
            "command_line",
            "signal",
            "signal_code",
            "fault_address",
            "sender_pid",
            "crashing_thread",
            "abort_message",
            "signature",
        )
    )
    lists: dict[str, object] = {key: [] for key in ("threads", "modules", "mappings", "problems")}
    return {**core, **lists, "file": name, "auxv": {}, "facts": {}}


def _add_process(core: Json, facts: Json, memory: Memory, notes: Notes, modules: Modules) -> None:
    command, environment, cut = read_command(memory, notes)
    core["executable"], core["command_line"] = find_executable(memory, notes, modules), shlex.join(command)
    facts["arguments"] = command
    facts["environment"] = environment
    facts["limits"] = cut
    if notes.process is not None:
        core["pid"] = notes.process.pid
        facts |= {
            "ppid": notes.process.ppid,
            "uid": notes.process.uid,
            "gid": notes.process.gid,
            "comm": notes.process.comm,
        }
    elif notes.threads:
        core["pid"] = notes.threads[0].tid
    core["auxv"] = describe_auxv(notes.auxv)
    core["mappings"] = list_mappings(memory, notes.files, _stack_pointers(notes.threads))
    core["modules"] = [
        {"path": m.path, "start": f"{m.start:#x}", "end": f"{m.end:#x}", "build_id": m.build_id, "status": m.status}
        for m in modules.items
    ]


def _add_signal(core: Json, facts: Json, memory: Memory, notes: Notes) -> None:
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
    facts |= _show_instruction(memory, facts["machine"], program_counter, core["signal"])
    if note is not None:
        core["signal_code"] = name_code(note.signo, note.code)
        core["sender_pid"] = note.sender_pid if is_sent(note) else None
        explained = _explain_signal(memory, notes, note, first_of(crashed.registers, SP_NAMES))
        core["fault_address"] = explained.pop("fault_address")
        facts |= explained
        if core["fault_address"] is not None and fault_address(note) == program_counter:
            facts["explanation"] += "; the program jumped there"
    if facts["needs_cpu"]:
        facts["explanation"] = (
            f"illegal instruction {facts['instruction'][:16]}: it looks like {facts['needs_cpu']}, which this CPU "
            "lacks or its hypervisor hides, unless the program jumped into data"
        )


def _show_instruction(memory: Memory, machine: str, at: int | None, signal: str) -> Json:
    """The bytes at the program counter, in hex; after SIGILL the CPU flag that they need, if it is known."""
    code = memory.read_some(at, 16) if at is not None else b""
    flag = needed_flag(code, machine) if signal == "SIGILL" else None
    return {"instruction": code.hex() or None, "needs_cpu": None if flag == TRAP else flag}


def _stack_pointers(threads: Sequence[ThreadNote]) -> list[int]:
    return [pointer for t in threads if (pointer := first_of(t.registers, SP_NAMES)) is not None]
