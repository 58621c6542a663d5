"""A core, opened: headers, notes, memory and modules, from which everything else is read."""

from __future__ import annotations

import os
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path

from analyzer.cores.binaries import Places, attach_files
from analyzer.cores.elf import EM_CUDA, ET_CORE, Buffer, Header, Segment, count_segments, read_header, read_segments
from analyzer.cores.images import SLIM, SLIM_AT
from analyzer.cores.loaded import Modules
from analyzer.cores.machine import MACHINES, Machine
from analyzer.cores.memory import Memory
from analyzer.cores.modules import find_modules
from analyzer.cores.notes import Notes, read_notes


@dataclass(slots=True)
class Dump:
    """`machine` is None where stacks cannot be read. `problems` are sentences on what limits the reading."""

    data: Buffer
    header: Header
    segments: list[Segment]
    notes: Notes
    memory: Memory
    modules: Modules
    places: Places
    problems: list[str]

    @property
    def machine(self) -> Machine | None:
        return MACHINES.get(self.header.machine) if self.header.bits == 64 and self.header.order == "<" else None


def map_core(path: Path) -> tuple[Buffer, Header] | str:
    """The file's bytes and ELF header, or why it is no core."""
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
    header = read_header(data)
    if header is None or header.type != ET_CORE:
        return "this is no core file: it does not begin as an ELF core does" if size else "the file is empty"
    return data, header


def open_dump(data: Buffer, header: Header, places: Places, kind: type[Memory] = Memory) -> Dump:
    """Everything that later steps read from. Not for GPU cores, which have sections in place of memory."""
    assert header.machine != EM_CUDA
    count = count_segments(data, header)
    segments = read_segments(data, header, count=count)
    notes = read_notes(data, header, segments)
    memory = kind(data, len(data), segments, header.order, header.bits)
    modules = find_modules(memory, notes, places)
    attach_files(modules, memory, places)
    cut = f"only {len(segments)} of {count} program headers are read: the others are cut off or too many"
    problems = [cut] if len(segments) < count else []
    if data[SLIM_AT : SLIM_AT + len(SLIM)] == SLIM:
        problems.append("a slimmed core: of its memory it holds only the pages that its stacks rest on")
    problems += [*notes.problems, *_judge_size(memory), *modules.problems]
    return Dump(data, header, segments, notes, memory, modules, places, problems)


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
