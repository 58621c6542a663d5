"""From the file to one element of `cores` (the contract of incident.json): the whole flow on one screen."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from analyzer.cores.binaries import Places
from analyzer.cores.dump import Dump, map_core, open_dump
from analyzer.cores.elf import EM_CUDA, Buffer, Header
from analyzer.cores.facts import describe_auxv, find_executable, list_mappings, read_command
from analyzer.cores.machine import Machine
from analyzer.cores.messages import find_message
from analyzer.cores.python import read_interpreter
from analyzer.cores.registers import SP_NAMES, first_of
from analyzer.cores.signature import make_signatures, normalise
from analyzer.cores.struck import show_interrupted, show_signal, stack_pointers
from analyzer.cores.threads import fold_equal, show_threads
from analyzer.cores.unwind import Unwinder
from analyzer.cores.words import Core, Json

UNWIND_SECONDS, PYTHON_SECONDS = 3.0, 1.0
ONE = (
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
MANY = ("threads", "modules", "mappings", "problems")


def read_core(
    path: Path,
    *,
    name: str | None = None,
    executable: Path | None = None,
    sysroots: Sequence[Path] = (),
    threads: str = "all",
    known: Mapping[str, Path] | None = None,
) -> Core:
    """All that can be told of a core, as JSON values; `node` is left to the caller.

    `name` is the core's name in the bundle. `threads` is all | crashing | unique (equal stacks once).
    `known`: binaries by build id; without it the sysroots are searched. Never raises for what the bytes are;
    a file that cannot be opened or is no core comes back with a problem and no threads.
    """
    core = blank_core(name or str(path))
    mapped = map_core(path)
    if isinstance(mapped, str):
        core["problems"].append(mapped)
        return core
    data, header = mapped
    if header.machine == EM_CUDA:
        _show_gpu(core, data, header)
        return core
    show_dump(core, open_dump(data, header, Places(executable, tuple(sysroots), path.parent, known=known)), threads)
    return core


def _show_gpu(core: Core, data: Buffer, header: Header) -> None:
    """A GPU core has devices and kernels in place of threads; its exception takes the place of the message."""
    from analyzer.cores.gpu import read_gpu  # with numpy, which takes longer to load than a core takes to be read

    found = read_gpu(data, header)
    core["problems"].extend(found.pop("problems"))
    core["facts"] = {"machine": header.machine_name, "bits": header.bits, "gpu": found}
    first = next(iter(found["exceptions"]), None)
    if first is not None:
        kernel = first["kernel"] or "an unknown kernel"
        core["abort_message"] = f"CUDA exception {first['code'] or '?'} ({first['exception']}) in {kernel}"
        core["signature"] = f"CUDA exception {first['exception']} | {normalise(kernel)}"


def blank_core(name: str) -> Core:
    lists: Json = {key: [] for key in MANY}
    return {**dict.fromkeys(ONE), **lists, "file": name, "auxv": {}, "facts": {}}


def show_dump(core: Core, dump: Dump, wanted: str) -> Unwinder | None:
    """Fills in all that an opened core tells; gives what walked its stacks."""
    core["facts"] = {"machine": dump.header.machine_name, "bits": dump.header.bits}
    core["problems"].extend(dump.problems)
    _show_process(core, dump)
    show_signal(core, dump)
    if dump.machine is None:
        core["problems"].append(f"stacks of {dump.header.machine_name} are not read, only the notes")
        return None
    return _show_threads(core, dump, dump.machine, wanted)


def _show_threads(core: Core, dump: Dump, machine: Machine, wanted: str) -> Unwinder:
    notes, sysroots = dump.notes, dump.places.sysroots
    chosen = notes.threads[:1] if wanted == "crashing" else notes.threads
    deadline = time.thread_time() + UNWIND_SECONDS
    unwinder = Unwinder(dump.memory, dump.modules, machine, deadline)
    stacks = [unwinder.unwind(thread) for thread in chosen]
    interpreter = read_interpreter(dump.memory, dump.modules, notes.threads, deadline + PYTHON_SECONDS, sysroots)
    if interpreter is not None:
        core["facts"] |= {"python": interpreter.version, "gil_holder": interpreter.gil_holder}
        core["problems"].extend(interpreter.problems)
    leader = (notes.process.pid, notes.process.comm) if notes.process else None
    threads = show_threads(chosen, stacks, interpreter, sysroots, leader)
    if threads and core["crashing_thread"] is not None:
        core["facts"]["interrupted"] = show_interrupted(dump, stacks[0])
        _show_words(core, dump, threads[0])
    core["threads"] = fold_equal(threads) if wanted == "unique" else threads
    return unwinder


def _show_words(core: Core, dump: Dump, crashed: Json) -> None:
    """The abort message and the signatures, both from the crashing thread."""
    functions = [frame["function"] for frame in crashed["frames"] if frame["function"]]
    pointer = first_of(dump.notes.threads[0].registers, SP_NAMES)
    message = find_message(dump.memory, dump.modules, pointer, core["signal"], functions, dump.places.sysroots)
    core["abort_message"] = message
    deep = bool(crashed.get("omitted"))
    signatures = make_signatures(core["signal"], core["signal_code"], crashed["frames"], message, deep)
    core["facts"]["signatures"], core["signature"] = signatures, signatures["exact"]


def _show_process(core: Core, dump: Dump) -> None:
    notes, memory, modules, facts = dump.notes, dump.memory, dump.modules, core["facts"]
    command, environment, cut = read_command(memory, notes)
    core["executable"], core["command_line"] = find_executable(memory, notes, modules), shlex.join(command)
    facts |= {"arguments": command, "environment": environment, "limits": cut}
    if notes.process is not None:
        core["pid"] = notes.process.pid
        facts |= {name: getattr(notes.process, name) for name in ("ppid", "uid", "gid", "comm")}
    elif notes.threads:
        core["pid"] = notes.threads[0].tid
    core["auxv"] = describe_auxv(notes.auxv)
    core["mappings"] = list_mappings(memory, notes.files, stack_pointers(notes.threads))
    core["modules"] = [
        {"path": m.path, "start": f"{m.start:#x}", "end": f"{m.end:#x}", "build_id": m.build_id, "status": m.status}
        for m in modules.items
    ]
