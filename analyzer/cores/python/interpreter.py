"""Read the Python frames of every thread from the interpreter's own structures in the core.

This needs the symbol _PyRuntime and the pages of the heap. It neither runs code nor uses debug information. Each thread
is read separately, so that damage in one does not affect the others.
"""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from analyzer.core_dump import NO_THREAD_STATES
from analyzer.cores.elf.memory import ProcessMemory
from analyzer.cores.elf.modules import LoadedModule, ModuleMap
from analyzer.cores.elf.notes import ThreadNote
from analyzer.cores.elf.symbols import find_symbol_address
from analyzer.cores.python.attributes import find_attribute
from analyzer.cores.python.line_tables import find_python_line
from analyzer.cores.python.objects import ObjectReader
from analyzer.cores.python.runtime_search import search_runtime, tid_has_pthread
from analyzer.cores.python.struct_offsets import OFFSETS_BY_MINOR, StructOffsets, read_offsets
from analyzer.cores.python.variables import MAX_FRAMES_WITH_VARIABLES, VariableReader

MAX_INTERPRETERS = 64
MAX_THREADS = 1 << 14
MAX_FRAMES = 2_000_000
MAX_STRING_CHARS = 4096
MAX_NAME_CHARS = 64  # of a thread's name
MAX_LINE_TABLE_BYTES = 1 << 20
FIRST_SHIM_OWNER = 3  # this owner and higher ones mark the interpreter's own frames, not those of functions (3.12 on)


class PythonFrame(NamedTuple):
    """A Python frame.

    `is_entry`: it is the outermost frame of one call of the evaluator. `at`: the address of its structure. `shim`: the
    address of the evaluator's own frame after an entry, on the C stack (3.12 on). `variables`: name → text, if they
    were requested.
    """

    function: str
    file: str
    line: int | None
    is_entry: bool
    at: int
    shim: int | None = None
    variables: Mapping[str, str] | None = None


class PythonThread(NamedTuple):
    """The frames of a thread, innermost first.

    A deep stack has only its head and its tail, without `omitted` frames between them. `name` is the thread's name in
    the program.
    """

    tid: int
    frames: tuple[PythonFrame, ...]
    omitted: int = 0
    problem: str | None = None
    name: str | None = None


class Interpreter(NamedTuple):
    """An interpreter. `version` is `3.11.7`, or `3.10` if only that is known. `gil_holder` is a tid."""

    version: str
    threads: dict[int, PythonThread]
    gil_holder: int | None = None
    problems: tuple[str, ...] = ()


class _CodeObject(NamedTuple):
    function: str
    file: str
    first_line: int
    table: bytes


@dataclass(slots=True)
class _InterpreterReader:
    memory: ProcessMemory
    offsets: StructOffsets
    deadline: float
    objects: ObjectReader
    variables: VariableReader
    frames_to_detail: int = 0  # frames of the current thread whose variables are still to be read
    codes: dict[int, _CodeObject | None] = field(default_factory=dict)
    lines: dict[tuple[int, int], int | None] = field(default_factory=dict)

    def read_str(self, at: int | None) -> str | None:
        return self.objects.read_str(at, MAX_STRING_CHARS)[0] if at else None


def read_interpreter(
    memory: ProcessMemory,
    modules: ModuleMap,
    notes: Sequence[ThreadNote],
    deadline: float,
    sysroots: Sequence[Path] = (),
    tids_with_variables: Collection[int] = (),
) -> Interpreter | None:
    """Return the Python interpreter in the core; None if there is none.

    `notes` are all threads of the core. `deadline` is a value of time.thread_time(), after which reading stops.
    `tids_with_variables`: the threads whose arguments and local variables are read.
    """
    candidates = _order_by_likelihood(modules)
    runtime_found = _find_runtime(candidates, sysroots)
    if runtime_found is not None:
        module, runtime = runtime_found
        version = _read_version(memory, module, modules, sysroots)
        offsets = read_offsets(memory, runtime)
    else:
        version = _read_version(memory, None, modules, sysroots) if candidates else None
        found_runtime = (
            search_runtime(memory, candidates, notes, version[1] if version else None)
            if memory.word_size == 8
            else None
        )
        if found_runtime is None:
            return None
        module, runtime, offsets = found_runtime
        version = version if version and version[:2] == offsets.version else offsets.version
    if offsets is None:
        offsets = OFFSETS_BY_MINOR.get(version[1]) if version and version[0] == 3 else None
    if offsets is None or memory.word_size != 8:
        name = ".".join(map(str, version)) if version else "an unknown version"
        return Interpreter(name, {}, None, (f"Python frames of {name} are not read",))
    objects = ObjectReader(memory, offsets.version, offsets.ascii_data, offsets.wide_data)
    reader = _InterpreterReader(
        memory=memory,
        offsets=offsets,
        deadline=deadline,
        objects=objects,
        variables=VariableReader(memory, offsets, objects, deadline),
    )
    states = list(_thread_states(reader, runtime))
    threads: dict[int, PythonThread] = {}
    for state, tid in _match_threads(reader, states, notes):
        reader.frames_to_detail = MAX_FRAMES_WITH_VARIABLES if tid in tids_with_variables else 0
        threads[tid] = _read_thread(reader, state, tid)
    problems = () if states else (NO_THREAD_STATES,)
    return Interpreter(
        ".".join(map(str, version or offsets.version)), threads, _find_gil_holder(reader, runtime, notes), problems
    )


def _order_by_likelihood(modules: ModuleMap) -> list[LoadedModule]:
    """Return the modules that may hold an interpreter, libpython first."""
    by_likelihood = sorted(modules.modules, key=lambda m: (not m.name.startswith("libpython3"), not m.is_main, m.start))
    return [module for module in by_likelihood if module.is_main or "python" in module.name]


def _find_runtime(candidates: Sequence[LoadedModule], sysroots: Sequence[Path]) -> tuple[LoadedModule, int] | None:
    for module in candidates:
        if module.image is None or module.bias is None:
            continue
        at = find_symbol_address(module.image, "_PyRuntime", sysroots)
        if at is not None:
            return module, at + module.bias
    return None


def _read_version(
    memory: ProcessMemory, module: LoadedModule | None, modules: ModuleMap, sysroots: Sequence[Path]
) -> tuple[int, ...] | None:
    """Return Py_Version (3.11 on), which is exact, or else the minor version in names of files."""
    at = find_symbol_address(module.image, "Py_Version", sysroots) if module and module.image else None
    number = memory.read_word(at + (module.bias or 0)) if module and at is not None else None
    if number and number >> 24 == 3:
        return 3, number >> 16 & 255, number >> 8 & 255
    for name in (module.name if module else "", *(m.path for m in modules.modules)):
        if match := re.search(r"python3\.(\d{1,2})(?:\D|$)|\.cpython-3(\d{1,2})-", name):
            return 3, int(match[1] or match[2])
    return None


def _thread_states(reader: _InterpreterReader, runtime: int) -> Iterator[int]:
    memory, offsets = reader.memory, reader.offsets
    for interpreter in _follow_list(
        memory, memory.read_word(runtime + offsets.interpreters), offsets.interpreter_next, MAX_INTERPRETERS
    ):
        yield from _follow_list(
            memory, memory.read_word(interpreter + offsets.threads), offsets.thread_next, MAX_THREADS
        )


def _follow_list(memory: ProcessMemory, at: int | None, step: int, limit: int) -> Iterator[int]:
    """Yield the addresses of a linked list's members; stop where it becomes circular."""
    seen: set[int] = set()
    while at and at not in seen and len(seen) < limit:
        seen.add(at)
        yield at
        at = memory.read_word(at + step)


def _match_threads(
    reader: _InterpreterReader, states: Sequence[int], notes: Sequence[ThreadNote]
) -> Iterator[tuple[int, int]]:
    """Yield (thread state, tid): by the tid in the state (3.11 on), else by its pthread_t."""
    tids = {note.tid for note in notes}
    for state in states:
        native = reader.memory.read_word(state + reader.offsets.native_id) if reader.offsets.native_id else None
        if native not in tids:
            native = _tid_of_pthread(reader.memory.read_word(state + reader.offsets.thread_id), notes)
        if native is not None:
            yield state, native


def _tid_of_pthread(pthread: int | None, notes: Sequence[ThreadNote]) -> int | None:
    return next((note.tid for note in notes if tid_has_pthread(note, pthread)), None)


def _find_gil_holder(reader: _InterpreterReader, runtime: int, notes: Sequence[ThreadNote]) -> int | None:
    memory, offsets = reader.memory, reader.offsets
    at: int | None = runtime
    if offsets.gil is not None:
        interpreter = memory.read_word(runtime + offsets.interpreters)
        at = memory.read_word(interpreter + offsets.gil) if interpreter else None
    if not at or memory.read_number(at + offsets.gil_locked, 4, signed=True) != 1:
        return None
    holder = memory.read_word(at + offsets.gil_holder)
    return next((tid for _, tid in _match_threads(reader, [holder], notes)), None) if holder else None


def _read_thread(reader: _InterpreterReader, state: int, tid: int) -> PythonThread:
    head: list[PythonFrame] = []
    tail: list[PythonFrame] = []
    frame_count, problem = 0, None
    for frame in _read_frames(reader, state):
        if frame is None:
            problem = "the chain of Python frames leads out of the core"
            break
        frame_count += 1
        (head if len(head) < 200 else tail).append(frame)
        if len(tail) > 1000:
            del tail[:-50]
        if frame_count >= MAX_FRAMES or (frame_count % 1024 == 0 and time.thread_time() > reader.deadline):
            problem = "out of time"
            break
    kept = (*head, *tail[-50:])
    return PythonThread(
        tid=tid,
        frames=kept,
        omitted=frame_count - len(kept),
        problem=problem,
        name=_read_thread_name(reader, kept),
    )


def _read_thread_name(reader: _InterpreterReader, frames: Sequence[PythonFrame]) -> str | None:
    """Return the name of a thread that `threading` started. The first function has the Thread object as an argument."""
    first = frames[-1] if frames else None
    if first is None or first.function.rpartition(".")[2] != "_bootstrap" or not first.file.endswith("threading.py"):
        return None
    thread = reader.variables.read_argument(first.at, 0)
    name = find_attribute(reader.memory, reader.objects, thread, "_name") if thread else None
    return reader.objects.read_str(name, MAX_NAME_CHARS)[0] if name else None


def _read_frames(reader: _InterpreterReader, state: int) -> Iterator[PythonFrame | None]:
    """Yield the frames, innermost first; None if the chain breaks."""
    memory, offsets = reader.memory, reader.offsets
    at = memory.read_word(state + offsets.frame)
    if offsets.cframe is not None and at:
        at = memory.read_word(at + offsets.cframe)
    if at is None:
        yield None
    pending: PythonFrame | None = None
    for frame in _follow_list(memory, at, offsets.previous, MAX_FRAMES):
        owner = memory.read_number(frame + offsets.owner, 1) if offsets.owner is not None else 0
        shim = offsets.version >= (3, 12) and owner is not None and owner >= FIRST_SHIM_OWNER
        if pending is not None:
            yield pending._replace(is_entry=True, shim=frame) if shim else pending
            pending = None
        if shim:
            continue
        shown = _read_frame(reader, frame)
        if shown is None:
            yield None
            return
        if offsets.version >= (3, 12):
            pending = shown  # the next frame shows whether it is an entry
        else:
            yield shown
    if pending is not None:
        yield pending


def _read_frame(reader: _InterpreterReader, frame: int) -> PythonFrame | None:
    memory, offsets = reader.memory, reader.offsets
    at, instruction = memory.read_word(frame + offsets.code), memory.read_word(frame + offsets.instruction)
    if at is None or instruction is None:
        return None
    at &= ~7  # from 3.14 on the low bits are tags
    if at not in reader.codes:
        reader.codes[at] = _read_code(reader, at)
    code = reader.codes[at]
    if code is None:
        return None
    offset = _instruction_offset(offsets, at, instruction)
    key = (at, offset)
    if key not in reader.lines:
        reader.lines[key] = find_python_line(code.table, code.first_line, offset, offsets.version)
    entry = offsets.version <= (3, 10) or bool(offsets.is_entry and memory.read_number(frame + offsets.is_entry, 1))
    shown = PythonFrame(function=code.function, file=code.file, line=reader.lines[key], is_entry=entry, at=frame)
    if reader.frames_to_detail > 0:
        reader.frames_to_detail -= 1
        return shown._replace(variables=reader.variables.read_frame(frame, at))
    return shown


def _instruction_offset(offsets: StructOffsets, code: int, instruction: int) -> int:
    """Return the offset in bytes from the start of the bytecode; up to 3.10 it is f_lasti, in 3.10 in code units."""
    if offsets.bytecode is None:
        lasti = (instruction & 0xFFFFFFFF) - (1 << 32 if instruction & 0x80000000 else 0)
        return max(0, lasti * 2 if offsets.version == (3, 10) else lasti)
    return max(0, instruction - code - offsets.bytecode)


def _read_code(reader: _InterpreterReader, at: int) -> _CodeObject | None:
    memory, offsets = reader.memory, reader.offsets
    name = reader.read_str(memory.read_word(at + (offsets.qualname or offsets.name)))
    file = reader.read_str(memory.read_word(at + offsets.filename))
    first = memory.read_number(at + offsets.first_line, 4, signed=True)
    table = memory.read_word(at + offsets.line_table)
    if name is None or file is None or first is None or not table:
        return None
    size = memory.read_word(table + 16) or 0
    return _CodeObject(name, file, first, memory.read_some(table + 32, size) if size <= MAX_LINE_TABLE_BYTES else b"")
