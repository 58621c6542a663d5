"""Read the file of a core into a `CoreDump`: the complete flow on one screen."""

from __future__ import annotations

import logging
import shlex
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from analyzer.core_dump import (
    DEFAULT_DETAIL,
    TRUSTED_STATUSES,
    CoreCommand,
    CoreDetail,
    CoreDump,
    CoreInterpreter,
    CoreModule,
    CoreProcess,
    CoreThread,
    CrashPlaces,
)
from analyzer.cores.abort_message import find_abort_message
from analyzer.cores.crash_signal import fill_interrupted_signal, fill_signal, stack_pointers
from analyzer.cores.driver_abort import explain_driver_abort
from analyzer.cores.dwarf.machine import Machine
from analyzer.cores.dwarf.unwind import NativeFrame, NativeStack, Unwinder
from analyzer.cores.elf.binaries import BinaryLocator
from analyzer.cores.elf.headers import EM_CUDA, Buffer, ElfHeader
from analyzer.cores.elf.notes import ThreadNote
from analyzer.cores.elf.registers import PC_NAMES, SP_NAMES, first_register
from analyzer.cores.kernel_node import find_kernel_node
from analyzer.cores.lead_frames import find_places
from analyzer.cores.native_variables import fill_native_variables
from analyzer.cores.opened_core import OpenedCore, map_core, open_core
from analyzer.cores.panic_messages import find_panic_message
from analyzer.cores.process_info import describe_auxv, find_executable, list_mappings, read_command
from analyzer.cores.python.interpreter import read_interpreter
from analyzer.cores.signature import make_signatures
from analyzer.cores.source_text import fill_source_lines
from analyzer.cores.thread_stacks import fold_equal_stacks, make_threads
from analyzer.cores.waits import describe_waits, fill_waits, find_circle

UNWIND_BUDGET_S, PYTHON_BUDGET_S = 3.0, 1.0  # CPU seconds of this thread

_log = logging.getLogger("analyzer.cores")


def read_core(
    path: Path,
    *,
    name: str | None = None,
    executable: Path | None = None,
    sysroots: Sequence[Path] = (),
    by_build_id: Mapping[str, Path] | None = None,
    detail: CoreDetail = DEFAULT_DETAIL,
) -> CoreDump:
    """Return everything that is known about a core, except its `node`, which the caller sets.

    Args:
        path: the core on disk, uncompressed.
        name: its path in the bundle.
        executable: the program, if a person named it.
        sysroots: folders with the node's binaries.
        by_build_id: build id → binary; without it, the sysroots are searched.
        detail: how much is read.

    Never raises for damaged data: a file that cannot be opened or is not a core has a problem and no threads.
    """
    core = CoreDump(file=name or str(path))
    mapped = map_core(path)
    if isinstance(mapped, str):
        core.problems.append(mapped)
        _log.info("%s: the core is not read: %s", core.file, mapped)
        return core
    data, header = mapped
    locator = BinaryLocator(executable, tuple(sysroots), path.parent, by_build_id=by_build_id)
    if header is None:
        _fill_minidump(core, data, locator, detail)
    elif header.machine == EM_CUDA:
        _fill_gpu_core(core, data, header)
    else:
        fill_core(core, open_core(data, header, locator), detail)
    _log_summary(core)
    return core


def _fill_minidump(core: CoreDump, data: Buffer, locator: BinaryLocator, detail: CoreDetail) -> None:
    from analyzer.cores.minidump.opening import open_minidump  # imports a package that cores do not need

    opened = open_minidump(data, locator)
    if isinstance(opened, str):
        core.problems.append(opened)
    else:
        fill_core(core, opened, detail)


def _log_summary(core: CoreDump) -> None:
    statuses = Counter(module.status for module in core.modules)
    _log.info(
        "%s: %s, %d threads, %d of %d modules with their own file",
        core.file,
        core.signal or ("a GPU core" if core.facts.gpu else "no signal"),
        len(core.threads),
        sum(statuses[status] for status in TRUSTED_STATUSES),
        len(core.modules),
    )
    for problem in core.problems:
        _log.info("%s: not read completely: %s", core.file, problem)


def _fill_gpu_core(core: CoreDump, data: Buffer, header: ElfHeader) -> None:
    """Fill in devices and kernels in place of threads, and the first exception in place of the abort message."""
    from analyzer.cores.gpu import read_gpu_core  # imports numpy, which takes longer than to read a core
    from analyzer.cores.gpu_places import GPU_CORE_NAME, describe_exception, describe_running, make_gpu_signature

    core.facts.machine, core.facts.bits = header.machine_name, header.bits
    core.facts.gpu, problems = read_gpu_core(data, header)
    core.problems.extend(problems)
    named = GPU_CORE_NAME.search(core.file)
    if named is not None:
        core.pid = int(named["pid"])
    first = next(iter(core.facts.gpu.exceptions), None)
    if first is not None:
        core.abort_message = f"CUDA exception {first.code or '?'}: {describe_exception(first)}"
        core.signature = make_gpu_signature(first)
        core.facts.places = CrashPlaces(native=describe_exception(first).partition(" in ")[2])
    core.facts.waits = describe_running(core.facts.gpu)


def fill_core(core: CoreDump, opened: OpenedCore, detail: CoreDetail) -> Unwinder | None:
    """Fill in everything that an opened core states.

    Return the unwinder of its stacks; None for a machine without one.
    """
    core.facts.machine, core.facts.bits = opened.header.machine_name, opened.header.bits
    core.facts.written = opened.notes.written
    core.problems.extend(opened.problems)
    _fill_process(core, opened)
    fill_signal(core, opened)
    if opened.machine is None:
        machine_name = f"{opened.header.machine_name} ({opened.header.bits} bits)"
        core.problems.append(f"stacks of {machine_name} are not read, only the notes and where each thread was")
        core.threads = _list_threads_without_stacks(opened)
        if core.crashing_thread is not None and core.threads:
            core.facts.places = find_places(core.threads[0].frames)
            core.facts.signatures = make_signatures(core.signal, core.signal_code, core.threads[0].frames, None)
            core.signature = core.facts.signatures["exact"]
        return None
    return _fill_threads(core, opened, opened.machine, detail)


def _list_threads_without_stacks(opened: OpenedCore) -> list[CoreThread]:
    """Return each thread with the frame at its program counter, for a machine without an unwinder."""
    notes, stacks = [], []
    for note in opened.notes.threads:
        if (pc := first_register(note.registers, PC_NAMES)) is not None:
            sp, module = first_register(note.registers, SP_NAMES), opened.modules.find_module(pc)
            frame = NativeFrame(pc=pc, sp=sp, method="context", is_exact=True, module=module)
            notes.append(note)
            stacks.append(NativeStack((frame,), "stacks of this machine are not read"))
    return make_threads(notes, stacks, None, opened.locator.sysroots)


def _fill_threads(core: CoreDump, opened: OpenedCore, machine: Machine, detail: CoreDetail) -> Unwinder:
    notes, sysroots = opened.notes, opened.locator.sysroots
    thread_notes = notes.threads[:1] if detail.threads == "crashing" else notes.threads
    deadline = time.thread_time() + UNWIND_BUDGET_S
    unwinder = Unwinder(opened.memory, opened.modules, machine, deadline)
    stacks = [unwinder.unwind(thread) for thread in thread_notes]
    _log_stacks(core, stacks, thread_notes)
    is_hang = core.crashing_thread is None  # a matter of all threads
    detailed = [note.tid for note in (thread_notes if is_hang else thread_notes[:1])] if detail.locals else []
    interpreter = read_interpreter(
        opened.memory, opened.modules, notes.threads, deadline + PYTHON_BUDGET_S, sysroots, detailed
    )
    if interpreter is not None:
        core.facts.interpreter = CoreInterpreter(version=interpreter.version, gil_holder=interpreter.gil_holder)
        core.problems.extend(interpreter.problems)
        _log.debug("%s: Python %s, frames of %d threads", core.file, interpreter.version, len(interpreter.threads))
    names = {notes.process.pid: notes.process.comm} if notes.process else {}
    threads = make_threads(
        thread_notes, stacks, interpreter, sysroots, names | notes.thread_names, detail.all_lines or is_hang
    )
    if threads and core.crashing_thread is not None:
        _fill_places(core, opened, threads[0], stacks[0])
        fill_interrupted_signal(core, opened, machine, stacks[0])
        core.facts.explanation = explain_driver_abort(core, threads) or core.facts.explanation
        _fill_message_and_signature(core, opened, threads[0], stacks[0])
    holder = core.facts.interpreter.gil_holder if core.facts.interpreter else None
    fill_waits(threads, thread_notes, opened.memory, machine, core.pid, holder)
    if threads and core.signal_code is not None and core.sender_pid in (None, core.pid):
        threads[0].wait = None  # it is at the fault, or in the call that ended the process
    if core.crashing_thread is None or core.sender_pid not in (
        None,
        core.pid,
    ):  # it was alive when its core was requested
        core.facts.waits, core.facts.deadlock = describe_waits(threads), find_circle(threads)
    if detail.locals:
        for thread, stack in list(zip(threads, stacks, strict=True))[: None if is_hang else 1]:
            fill_native_variables(thread.frames, stack, opened.memory, machine, sysroots)
    if detail.source:
        for thread in threads if is_hang else threads[:1]:
            fill_source_lines(thread.frames, sysroots)
    core.threads = fold_equal_stacks(threads) if detail.threads == "unique" else threads
    return unwinder


def _log_stacks(core: CoreDump, stacks: Sequence[NativeStack], thread_notes: Sequence[ThreadNote]) -> None:
    if not _log.isEnabledFor(logging.DEBUG):
        return
    for note, stack in zip(thread_notes, stacks, strict=True):
        methods = Counter(frame.method for frame in stack.frames)
        counts = ", ".join(f"{count} by {method}" for method, count in methods.items())
        _log.debug("%s: thread %d: frames %s; %s", core.file, note.tid, counts or "none", stack.stop_reason)


def _fill_places(core: CoreDump, opened: OpenedCore, crashed_thread: CoreThread, stack: NativeStack) -> None:
    places = find_places(crashed_thread.frames)
    registers = opened.notes.threads[0].registers
    node = find_kernel_node(opened.memory, opened.modules, _pair_with_pointers(crashed_thread, stack), registers)
    if node is not None:
        places.operation, places.node, places.inputs = node.operation, node.name, node.inputs
    core.facts.places = places


def _pair_with_pointers(thread: CoreThread, stack: NativeStack) -> list[tuple[str, int | None]]:
    """Return the named native frames, innermost first: function and stack pointer."""
    pointers = {f"{frame.pc:#x}": frame.sp for frame in stack.frames}
    return [(frame.function, pointers.get(frame.address or "")) for frame in thread.frames if frame.function]


def _fill_message_and_signature(
    core: CoreDump, opened: OpenedCore, crashed_thread: CoreThread, stack: NativeStack
) -> None:
    functions = [frame.function for frame in crashed_thread.frames if frame.function]
    pointer = first_register(opened.notes.threads[0].registers, SP_NAMES)
    message = find_abort_message(
        opened.memory, opened.modules, pointer, core.signal, functions, opened.locator.sysroots
    )
    if message is None:
        message = find_panic_message(opened.memory, _pair_with_pointers(crashed_thread, stack))
    core.abort_message = message
    is_overflow = crashed_thread.omitted is not None
    first = core.facts.interrupted  # the same fault with and without a handler that raises it again
    code = first.signal_code if first and first.signal == core.signal else core.signal_code
    signatures = make_signatures(core.signal, code, crashed_thread.frames, message, is_overflow)
    core.facts.signatures, core.signature = signatures, signatures["exact"]


def _fill_process(core: CoreDump, opened: OpenedCore) -> None:
    notes, memory, modules = opened.notes, opened.memory, opened.modules
    arguments, environment, limits = read_command(memory, notes)
    core.executable, core.command_line = find_executable(memory, notes, modules), shlex.join(arguments)
    core.facts.command = CoreCommand(arguments=arguments, environment=environment, limits=limits)
    process = notes.process
    if process is not None:
        core.pid = process.pid
        core.facts.process = CoreProcess(ppid=process.ppid, uid=process.uid, gid=process.gid, comm=process.comm)
    elif notes.threads:
        core.pid = notes.threads[0].tid
    core.auxv = describe_auxv(notes.auxv)
    core.mappings = list_mappings(memory, notes.files, stack_pointers(notes.threads))
    core.modules = [
        CoreModule(
            path=module.path,
            start=f"{module.start:#x}",
            end=f"{module.end:#x}",
            build_id=module.build_id,
            status=module.status,
        )
        for module in modules.modules
    ]
