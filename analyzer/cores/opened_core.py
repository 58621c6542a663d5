"""An opened core: the headers, notes, memory and modules from which all other modules read."""

from __future__ import annotations

import os
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path

from analyzer.cores.dwarf.machine import MACHINES, Machine
from analyzer.cores.elf.binaries import BinaryLocator, attach_binaries
from analyzer.cores.elf.headers import (
    EM_CUDA,
    ET_CORE,
    Buffer,
    ElfHeader,
    ElfSegment,
    count_segments,
    read_header,
    read_segments,
)
from analyzer.cores.elf.images import SLIM_MARK, SLIM_MARK_AT
from analyzer.cores.elf.memory import ProcessMemory
from analyzer.cores.elf.module_discovery import find_modules
from analyzer.cores.elf.modules import ModuleMap
from analyzer.cores.elf.notes import CoreNotes, read_notes
from analyzer.cores.file_kinds import is_minidump


@dataclass(slots=True)
class OpenedCore:
    """The parts of a core that later steps read. `problems` are sentences about what limits the reading."""

    data: Buffer
    header: ElfHeader
    segments: list[ElfSegment]
    notes: CoreNotes
    memory: ProcessMemory
    modules: ModuleMap
    locator: BinaryLocator
    problems: list[str]

    @property
    def machine(self) -> Machine | None:
        return MACHINES.get(self.header.machine) if self.header.bits == 64 and self.header.order == "<" else None


def map_core(path: Path) -> tuple[Buffer, ElfHeader | None] | str:
    """Return the file's bytes and its ELF header (None for a minidump), or a sentence that says why it
    is not a core.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        return f"cannot be opened: {getattr(error, 'strerror', None) or error}"
    try:
        size = os.fstat(descriptor).st_size
        data: Buffer = mmap(descriptor, size, access=ACCESS_READ) if size else b""
    except (OSError, ValueError) as error:
        return f"cannot be mapped: {error}"
    finally:
        os.close(descriptor)
    if is_minidump(bytes(data[:4])):
        return data, None
    header = read_header(data)
    if header is None or header.type != ET_CORE:
        return "this is not a core file: it does not begin like an ELF core" if size else "the file is empty"
    return data, header


def open_core(
    data: Buffer, header: ElfHeader, locator: BinaryLocator, memory_type: type[ProcessMemory] = ProcessMemory
) -> OpenedCore:
    """Read headers, notes and modules, and find the modules' files. Not for GPU cores: they have no memory segments.

    `memory_type` is RecordingMemory if the caller needs to know which memory the answer uses.
    """
    assert header.machine != EM_CUDA
    count = count_segments(data, header)
    segments = read_segments(data, header, count=count)
    notes = read_notes(data, header, segments)
    memory = memory_type(data, len(data), segments, header.order, header.bits)
    modules = find_modules(memory, notes, locator)
    attach_binaries(modules, memory, locator)
    cut_headers = f"only {len(segments)} of {count} program headers are read: the others are cut off or too many"
    problems = [cut_headers] if len(segments) < count else []
    if data[SLIM_MARK_AT : SLIM_MARK_AT + len(SLIM_MARK)] == SLIM_MARK:
        problems.append("a slimmed core: it has only the memory pages that its stacks need")
    problems += [*notes.problems, *describe_missing_memory(memory), *modules.problems]
    return OpenedCore(
        data=data,
        header=header,
        segments=segments,
        notes=notes,
        memory=memory,
        modules=modules,
        locator=locator,
        problems=problems,
    )


def describe_missing_memory(memory: ProcessMemory) -> list[str]:
    """Return sentences about memory that the file's headers promise and the file lacks."""
    problems = []
    wanted, missing = memory.missing_bytes()
    if missing:
        problems.append(
            f"the core is cut: {missing} of {wanted} bytes of memory are missing (usual reasons: ulimit "
            f"-c, the size limits of systemd-coredump, a full disk)"
        )
    if not memory.mapped_segments:
        problems.append("it describes no memory")
    return problems
