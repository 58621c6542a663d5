"""Offsets of CPython's struct members, in bytes, for 64-bit builds without Py_DEBUG.

Up to 3.12 they are fixed within a minor version and were taken from the DWARF of builds of 3.8.18, 3.9.18, 3.10.13,
3.11.7 and 3.12.1. From 3.13 on the interpreter describes itself: _PyRuntime begins with _Py_DebugOffsets
(Include/internal/pycore_debug_offsets.h), a list of numbers in a known order.
"""

from __future__ import annotations

from typing import NamedTuple

from analyzer.cores.elf.memory import ProcessMemory

DEBUG_OFFSETS_COOKIE = b"xdebugpy"


class StructOffsets(NamedTuple):
    """The offsets of one minor version. None: the version has no such member."""

    version: tuple[int, int]
    interpreters: int  # _PyRuntimeState: list of interpreters
    interpreter_next: int
    threads: int  # PyInterpreterState: list of thread states
    thread_next: int
    thread_id: int  # pthread_t
    native_id: int | None  # tid, from 3.11 on
    frame: int  # PyThreadState: current frame, or the C frame that points to it
    cframe: int | None  # _PyCFrame: current frame (3.11, 3.12)
    previous: int
    code: int
    instruction: int
    owner: int | None  # from 3.11 on frames are not objects; the owner distinguishes shims
    is_entry: int | None  # 3.11
    filename: int
    name: int
    qualname: int | None
    first_line: int
    line_table: int
    bytecode: int | None
    ascii_data: int
    wide_data: int
    gil: int | None  # PyInterpreterState: pointer to the GIL (3.12 on)
    gil_holder: int  # in the GIL; up to 3.11 in _PyRuntimeState
    gil_locked: int
    variables: int  # in a frame: the array of arguments, locals, cells and free variables
    variable_names: tuple[int, ...]  # in a code object: the tuples of their names, in the array's order


_OFFSETS_3_9 = StructOffsets(
    version=(3, 9),
    interpreters=32,
    interpreter_next=0,
    threads=8,
    thread_next=8,
    thread_id=176,
    native_id=None,
    frame=24,
    cframe=None,
    previous=24,
    code=32,
    instruction=104,
    owner=None,
    is_entry=None,
    filename=104,
    name=112,
    qualname=None,
    first_line=40,
    line_table=120,
    bytecode=None,
    ascii_data=48,
    wide_data=72,
    gil=None,
    gil_holder=360,
    gil_locked=368,
    variables=360,
    variable_names=(72, 88, 80),
)
_OFFSETS_3_11 = StructOffsets(
    version=(3, 11),
    interpreters=40,
    interpreter_next=0,
    threads=16,
    thread_next=8,
    thread_id=152,
    native_id=160,
    frame=56,
    cframe=8,
    previous=48,
    code=32,
    instruction=56,
    owner=69,
    is_entry=68,
    filename=112,
    name=120,
    qualname=128,
    first_line=72,
    line_table=136,
    bytecode=184,
    ascii_data=48,
    wide_data=72,
    gil=None,
    gil_holder=368,
    gil_locked=376,
    variables=72,
    variable_names=(96,),
)
OFFSETS_BY_MINOR = {
    8: _OFFSETS_3_9._replace(version=(3, 8), gil_holder=1160, gil_locked=1168),
    9: _OFFSETS_3_9,
    10: _OFFSETS_3_9._replace(version=(3, 10), instruction=96, variables=352),
    11: _OFFSETS_3_11,
    12: _OFFSETS_3_11._replace(
        version=(3, 12),
        threads=72,
        thread_id=136,
        native_id=144,
        cframe=0,
        previous=8,
        code=0,
        owner=70,
        is_entry=None,
        first_line=68,
        bytecode=192,
        ascii_data=40,
        wide_data=56,
        gil=384,
        gil_holder=8,
        gil_locked=16,
    ),
}

# Members of _Py_DebugOffsets up to what is needed, in order, 8 bytes each, after cookie, version and free_threaded.
_RUNTIME_MEMBERS = ("runtime.size", "runtime.finalizing", "runtime.interpreters")
_INTERPRETER_MEMBERS = (
    "size",
    "id",
    "next",
    "threads",
    "gc",
    "modules",
    "sysdict",
    "builtins",
    "ceval_gil",
    "gil",
    "gil_enabled",
    "gil_locked",
    "gil_holder",
)
_THREAD_MEMBERS = (
    "size",
    "prev",
    "next",
    "interp",
    "current_frame",
    "thread_id",
    "native_thread_id",
    "chunk",
    "status",
)
_FRAME_MEMBERS = ("size", "previous", "executable", "instr_ptr", "localsplus", "owner")
_CODE_MEMBERS = (
    "size",
    "filename",
    "name",
    "qualname",
    "linetable",
    "firstlineno",
    "argcount",
    "localsplusnames",
    "localspluskinds",
    "bytecode",
)


def _member_names(minor: int) -> list[str]:
    interpreter, frame = list(_INTERPRETER_MEMBERS), list(_FRAME_MEMBERS)
    if minor >= 14:
        interpreter.insert(4, "threads_main")
        interpreter += ["code_object_generation", "tlbc_generation"]
        frame += ["stackpointer", "tlbc_index"]
    groups = (("interpreter", interpreter), ("thread", _THREAD_MEMBERS), ("frame", frame), ("code", _CODE_MEMBERS))
    return [*_RUNTIME_MEMBERS, *(f"{group}.{name}" for group, names in groups for name in names)]


def read_offsets(memory: ProcessMemory, runtime: int) -> StructOffsets | None:
    """Return the offsets that the interpreter publishes (3.13 on); None if it has none or they are implausible."""
    if memory.read(runtime, 8) != DEBUG_OFFSETS_COOKIE:
        return None
    version = memory.read_word(runtime + 8) or 0
    minor = version >> 16 & 0xFF
    if version >> 24 != 3 or minor < 13:
        return None
    values = {name: memory.read_word(runtime + 24 + 8 * i) for i, name in enumerate(_member_names(minor))}
    offsets = {name: value for name, value in values.items() if value is not None}
    if len(offsets) != len(values) or any(value > 1 << 20 for value in offsets.values()):
        return None
    # The GIL is inside the interpreter state here; `ceval_gil` points to the one in use.
    base = offsets["interpreter.gil"]
    return StructOffsets(
        version=(3, minor),
        interpreters=offsets["runtime.interpreters"],
        interpreter_next=offsets["interpreter.next"],
        threads=offsets["interpreter.threads"],
        thread_next=offsets["thread.next"],
        thread_id=offsets["thread.thread_id"],
        native_id=offsets["thread.native_thread_id"],
        frame=offsets["thread.current_frame"],
        cframe=None,
        previous=offsets["frame.previous"],
        code=offsets["frame.executable"],
        instruction=offsets["frame.instr_ptr"],
        owner=offsets["frame.owner"],
        is_entry=None,
        filename=offsets["code.filename"],
        name=offsets["code.name"],
        qualname=offsets["code.qualname"],
        first_line=offsets["code.firstlineno"],
        line_table=offsets["code.linetable"],
        bytecode=offsets["code.bytecode"],
        ascii_data=40,
        wide_data=56,
        gil=offsets["interpreter.ceval_gil"],
        gil_holder=offsets["interpreter.gil_holder"] - base,
        gil_locked=offsets["interpreter.gil_locked"] - base,
        variables=offsets["frame.localsplus"],
        variable_names=(offsets["code.localsplusnames"],),
    )
