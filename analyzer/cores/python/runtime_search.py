"""Find _PyRuntime by its content if no symbol has its address: in a core without the interpreter's file.

From 3.13 on, it begins with a cookie. Before, it has two equal pointers in a row: to the list of interpreters and to
the main one. The first thread state of that interpreter points back to it and belongs to a thread of the core.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from analyzer.cores.elf.headers import PF_W
from analyzer.cores.elf.memory import ProcessMemory
from analyzer.cores.elf.modules import LoadedModule
from analyzer.cores.elf.notes import ThreadNote
from analyzer.cores.python.struct_offsets import DEBUG_OFFSETS_COOKIE, OFFSETS_BY_MINOR, StructOffsets, read_offsets

MAX_DATA_BYTES = 32 << 20  # of an interpreter's writable data
MAX_CANDIDATES = 4096
MAX_THREAD_STATES = 64  # thread states that are tried to find one of a thread of the core
THREAD_INTERPRETER_AT = 16  # PyThreadState: prev, next, interp (3.8 to 3.12)
MIN_POINTER = 1 << 16


class FoundRuntime(NamedTuple):
    """The address of _PyRuntime with the offsets of its version."""

    module: LoadedModule
    address: int
    offsets: StructOffsets


def search_runtime(
    memory: ProcessMemory, modules: Iterable[LoadedModule], notes: Sequence[ThreadNote], minor: int | None
) -> FoundRuntime | None:
    """Return the runtime in the writable data of the first module that holds one.

    `minor` is the interpreter's minor version, if names of files show it; otherwise all known versions are tried.
    """
    offsets = OFFSETS_BY_MINOR.get(minor) if minor is not None else None
    layouts = [offsets] if offsets else list(OFFSETS_BY_MINOR.values())
    for module in modules:
        for start, data in _writable_data(memory, module):
            if runtime_and_offsets := _find_self_described(memory, start, data) or _find_by_structure(
                memory, start, data, layouts, notes
            ):
                return FoundRuntime(module, *runtime_and_offsets)
    return None


def _writable_data(memory: ProcessMemory, module: LoadedModule) -> Iterator[tuple[int, bytes]]:
    """Yield (address, bytes) of a module's writable segments, and of those that follow without a gap (.bss)."""
    end, left = module.end, MAX_DATA_BYTES
    for segment, stored_bytes in memory.writable_segments():
        if segment.vaddr < module.start or segment.vaddr > end or not segment.flags & PF_W:
            continue
        end = max(end, segment.end)
        if left > 0:
            yield segment.vaddr, memory.peek(segment.vaddr, min(stored_bytes, left))
            left -= stored_bytes


def _find_self_described(memory: ProcessMemory, start: int, data: bytes) -> tuple[int, StructOffsets] | None:
    at = data.find(DEBUG_OFFSETS_COOKIE)
    while at >= 0:
        if offsets := read_offsets(memory, start + at):
            return start + at, offsets
        at = data.find(DEBUG_OFFSETS_COOKIE, at + 1)
    return None


def _find_by_structure(
    memory: ProcessMemory, start: int, data: bytes, layouts: Sequence[StructOffsets], notes: Sequence[ThreadNote]
) -> tuple[int, StructOffsets] | None:
    words = memoryview(data[: len(data) // 8 * 8]).cast("Q")
    pairs = (
        index for index in range(len(words) - 1) if words[index] == words[index + 1] and words[index] > MIN_POINTER
    )
    for _, index in zip(range(MAX_CANDIDATES), pairs, strict=False):
        for offsets in layouts:
            if _is_interpreter(memory, words[index], offsets, notes):
                return start + 8 * index - offsets.interpreters, offsets
    return None


def _is_interpreter(memory: ProcessMemory, at: int, offsets: StructOffsets, notes: Sequence[ThreadNote]) -> bool:
    """Return whether an interpreter state is at an address: its thread states point to it, and one has a thread."""
    state = memory.read_word(at + offsets.threads)
    for _ in range(MAX_THREAD_STATES):
        if not state or memory.read_word(state + THREAD_INTERPRETER_AT) != at:
            return False
        if _has_thread(memory, state, offsets, notes):
            return True
        state = memory.read_word(state + offsets.thread_next)
    return False


def _has_thread(memory: ProcessMemory, state: int, offsets: StructOffsets, notes: Sequence[ThreadNote]) -> bool:
    pthread = memory.read_word(state + offsets.thread_id)
    native = memory.read_word(state + offsets.native_id) if offsets.native_id else None
    return any(note.tid == native or tid_has_pthread(note, pthread) for note in notes)


def tid_has_pthread(note: ThreadNote, pthread: int | None) -> bool:
    """Return whether a thread has this pthread_t: the FS base on x86_64; on aarch64 struct pthread ends where
    TPIDR_EL0 points."""
    if not pthread:
        return False
    return note.registers.get("fs_base") == pthread or (note.tls is not None and 0 < note.tls - pthread <= 4096)
