"""From the file to one element of `cores` (the contract of incident.json): the whole flow on one screen."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from analyzer.cores.abort_message import find_abort_message
from analyzer.cores.core_dump import Core, Json
from analyzer.cores.crash_signal import describe_interrupted_signal, fill_signal, stack_pointers
from analyzer.cores.dwarf.machine import Machine
from analyzer.cores.dwarf.unwind import Unwinder
from analyzer.cores.elf.binaries import BinaryLocator
from analyzer.cores.elf.headers import EM_CUDA, Buffer, ElfHeader
from analyzer.cores.elf.registers import SP_NAMES, first_register
from analyzer.cores.opened_core import OpenedCore, map_core, open_core
from analyzer.cores.process_info import describe_auxv, find_executable, list_mappings, read_command
from analyzer.cores.python.interpreter import read_interpreter
from analyzer.cores.shown_threads import fold_equal_stacks, make_threads
from analyzer.cores.signature import make_signatures, normalize_function

UNWIND_BUDGET_S, PYTHON_BUDGET_S = 3.0, 1.0
SCALAR_KEYS = (
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
LIST_KEYS = ("threads", "modules", "mappings", "problems")


def read_core(
    path: Path,
    *,
    name: str | None = None,
    executable: Path | None = None,
    sysroots: Sequence[Path] = (),
    threads: str = "all",
    by_build_id: Mapping[str, Path] | None = None,
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
        _fill_gpu_core(core, data, header)
        return core
    fill_core(
        core,
        open_core(data, header, BinaryLocator(executable, tuple(sysroots), path.parent, by_build_id=by_build_id)),
        threads,
    )
    return core


def _fill_gpu_core(core: Core, data: Buffer, header: ElfHeader) -> None:
    """A GPU core has devices and kernels in place of threads; its exception takes the place of the message."""
    from analyzer.cores.gpu import read_gpu_core  # with numpy, which takes longer to load than a core takes to be read

    gpu = read_gpu_core(data, header)
    core["problems"].extend(gpu.pop("problems"))
    core["facts"] = {"machine": header.machine_name, "bits": header.bits, "gpu": gpu}
    exception = next(iter(gpu["exceptions"]), None)
    if exception is not None:
        kernel = exception["kernel"] or "an unknown kernel"
        core["abort_message"] = f"CUDA exception {exception['code'] or '?'} ({exception['exception']}) in {kernel}"
        core["signature"] = f"CUDA exception {exception['exception']} | {normalize_function(kernel)}"


def blank_core(name: str) -> Core:
    lists: Json = {key: [] for key in LIST_KEYS}
    return {**dict.fromkeys(SCALAR_KEYS), **lists, "file": name, "auxv": {}, "facts": {}}


def fill_core(core: Core, opened: OpenedCore, threads: str) -> Unwinder | None:
    """Fills in all that an opened core tells; gives what walked its stacks."""
    core["facts"] = {"machine": opened.header.machine_name, "bits": opened.header.bits}
    core["problems"].extend(opened.problems)
    _fill_process(core, opened)
    fill_signal(core, opened)
    if opened.machine is None:
        core["problems"].append(f"stacks of {opened.header.machine_name} are not read, only the notes")
        return None
    return _fill_threads(core, opened, opened.machine, threads)


def _fill_threads(core: Core, opened: OpenedCore, machine: Machine, threads_wanted: str) -> Unwinder:
    notes, sysroots = opened.notes, opened.locator.sysroots
    thread_notes = notes.threads[:1] if threads_wanted == "crashing" else notes.threads
    deadline = time.thread_time() + UNWIND_BUDGET_S
    unwinder = Unwinder(opened.memory, opened.modules, machine, deadline)
    stacks = [unwinder.unwind(thread) for thread in thread_notes]
    interpreter = read_interpreter(opened.memory, opened.modules, notes.threads, deadline + PYTHON_BUDGET_S, sysroots)
    if interpreter is not None:
        core["facts"] |= {"python": interpreter.version, "gil_holder": interpreter.gil_holder}
        core["problems"].extend(interpreter.problems)
    leader = (notes.process.pid, notes.process.comm) if notes.process else None
    threads = make_threads(thread_notes, stacks, interpreter, sysroots, leader)
    if threads and core["crashing_thread"] is not None:
        core["facts"]["interrupted"] = describe_interrupted_signal(opened, stacks[0])
        _fill_message_and_signature(core, opened, threads[0])
    core["threads"] = fold_equal_stacks(threads) if threads_wanted == "unique" else threads
    return unwinder


def _fill_message_and_signature(core: Core, opened: OpenedCore, crashed_thread: Json) -> None:
    """The abort message and the signatures, both from the crashing thread."""
    functions = [frame["function"] for frame in crashed_thread["frames"] if frame["function"]]
    pointer = first_register(opened.notes.threads[0].registers, SP_NAMES)
    message = find_abort_message(
        opened.memory, opened.modules, pointer, core["signal"], functions, opened.locator.sysroots
    )
    core["abort_message"] = message
    deep = bool(crashed_thread.get("omitted"))
    signatures = make_signatures(core["signal"], core["signal_code"], crashed_thread["frames"], message, deep)
    core["facts"]["signatures"], core["signature"] = signatures, signatures["exact"]


def _fill_process(core: Core, opened: OpenedCore) -> None:
    notes, memory, modules, facts = opened.notes, opened.memory, opened.modules, core["facts"]
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
        for m in modules.modules
    ]
