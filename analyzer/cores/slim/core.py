"""Make a slim crash: a core with the pages that the answer needs, and the parts of its modules for stacks and names.

It has no code, no data of the modules, and no other pages of the heap. So it takes a few megabytes, has no model
weights, and gives the same backtrace on another machine.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from analyzer.core_dump import DEFAULT_DETAIL, CoreDump
from analyzer.cores.elf.binaries import BinaryLocator
from analyzer.cores.elf.headers import EM_CUDA, PN_XNUM, PT_LOAD, PT_NOTE, ElfSegment, pack_segments
from analyzer.cores.elf.images import MAX_NOTE_SEGMENT_BYTES, SLIM_MARK, SLIM_MARK_AT
from analyzer.cores.elf.memory import PAGE_BYTES, RecordingMemory
from analyzer.cores.elf.notes import MAX_NOTE_BYTES, READ_NOTE_TYPES, pack_note, split_notes
from analyzer.cores.opened_core import OpenedCore, map_core, open_core
from analyzer.cores.process_info import find_secrets, read_strings
from analyzer.cores.reader import fill_core
from analyzer.cores.slim.modules import SlimFile, slim_modules
from analyzer.redact.memory_masking import list_secret_values, mask_memory


@dataclass(frozen=True, slots=True)
class SlimCrash:
    """The files of a slim crash, the core first. `problems` are sentences about what limits the reading."""

    files: tuple[SlimFile, ...]
    masked_secrets: int  # secrets that were overwritten
    problems: tuple[str, ...]


def slim_core(path: Path, locator: BinaryLocator, *, name: str | None = None, mask: bool = False) -> SlimCrash | str:
    """Return the slim crash; a sentence if the core cannot be slimmed.

    `name` is the core's name in the archive. `mask`: overwrite the secrets of arguments and environment.
    """
    mapped = map_core(path)
    if isinstance(mapped, str):
        return mapped
    data, header = mapped
    if header is None:
        return "a minidump is small as it is"
    if header.machine == EM_CUDA:
        return "a GPU core has no memory of a process: it is small as it is"
    opened = open_core(data, header, locator, RecordingMemory)
    unwinder = fill_core(core := CoreDump(file=path.name), opened, DEFAULT_DETAIL)
    if unwinder is None or not isinstance(opened.memory, RecordingMemory):
        return core.problems[-1] if core.problems else "its stacks cannot be read"
    _record_headers(opened, opened.memory)
    arguments, variables, _ = read_strings(opened.memory, opened.notes)
    secrets = list_secret_values(find_secrets(arguments, variables)) if mask else []
    files = [_slim_core_file(name or path.name, opened, opened.memory, secrets)]
    files += slim_modules(opened, unwinder)
    return SlimCrash(tuple(files), len(secrets), tuple(opened.problems))


def _record_headers(opened: OpenedCore, memory: RecordingMemory) -> None:
    """Record memory that is read directly: the headers that identify modules, and the vDSO, which no file has."""
    for module in opened.modules.modules:
        memory.record_range(module.start, module.start + 1)
        for segment in module.segments:
            if segment.type == PT_NOTE and module.bias is not None:
                at = module.bias + segment.vaddr
                memory.record_range(at, at + min(segment.filesz, MAX_NOTE_SEGMENT_BYTES))
        if module.image is not None and module.image.data is None:
            for part in module.image.parts:
                memory.record_range(part.start + (module.bias or 0), part.end + (module.bias or 0))


def _slim_core_file(name: str, opened: OpenedCore, memory: RecordingMemory, secrets: Sequence[bytes]) -> SlimFile:
    """Return a core with the same notes and mappings, and only the memory that was read."""
    notes = [_slim_notes(opened, segment) for segment in opened.segments if segment.type == PT_NOTE]
    ranges = _recorded_ranges(memory)
    loads = [segment for segment in opened.segments if segment.type == PT_LOAD and segment.memsz]
    parts = [part for segment in loads for part in _split_segment(segment, ranges)]
    if len(parts) + len(notes) >= PN_XNUM:
        parts = [part for part in parts if part.filesz][: PN_XNUM - 1 - len(notes)]
    at = opened.header.header_size + (len(parts) + len(notes)) * opened.header.program_header_size
    rows, bodies = list[ElfSegment](), list[bytes]()
    for note in notes:
        rows.append(ElfSegment(type=PT_NOTE, flags=0, offset=at, vaddr=0, filesz=len(note), memsz=0))
        bodies.append(mask_memory(note, secrets))
        at += len(note)
    for part in parts:
        body = mask_memory(memory.peek(part.vaddr, part.filesz), secrets)
        rows.append(
            ElfSegment(type=PT_LOAD, flags=part.flags, offset=at, vaddr=part.vaddr, filesz=len(body), memsz=part.memsz)
        )
        bodies.append(body)
        at += len(body)
    head = _slim_header(bytes(opened.data[: opened.header.header_size]), opened.header.header_size, len(rows))
    return SlimFile(name, at, ((0, head + pack_segments(rows, opened.header) + b"".join(bodies)),))


def _slim_notes(opened: OpenedCore, segment: ElfSegment) -> bytes:
    order = opened.header.order
    body = bytes(opened.data[segment.offset : segment.offset + min(segment.filesz, MAX_NOTE_BYTES)])
    return b"".join(
        pack_note(name, kind, desc, order) for name, kind, desc in split_notes(body, order) if kind in READ_NOTE_TYPES
    )


def _slim_header(head: bytes, phoff: int, phnum: int) -> bytes:
    """Return the 64-bit ELF header with the slim mark, a new table of program headers and no sections."""
    new = bytearray(head)
    new[SLIM_MARK_AT : SLIM_MARK_AT + len(SLIM_MARK)] = SLIM_MARK
    new[32:48] = phoff.to_bytes(8, "little") + bytes(8)
    new[56:64] = phnum.to_bytes(2, "little") + bytes(6)
    return bytes(new)


def _split_segment(segment: ElfSegment, ranges: Sequence[tuple[int, int]]) -> Iterable[ElfSegment]:
    """Split a segment into parts that were read, which have bytes, and parts that were not."""
    at = segment.vaddr
    for start, stop in ranges[max(0, bisect_left(ranges, (at, 0)) - 1) :]:
        low, high = max(at, start), min(segment.end, stop)
        if start >= segment.end:
            break
        if low < high:
            if at < low:
                yield ElfSegment(type=PT_LOAD, flags=segment.flags, offset=0, vaddr=at, filesz=0, memsz=low - at)
            yield ElfSegment(
                type=PT_LOAD, flags=segment.flags, offset=0, vaddr=low, filesz=high - low, memsz=high - low
            )
            at = high
    if at < segment.end:
        yield ElfSegment(type=PT_LOAD, flags=segment.flags, offset=0, vaddr=at, filesz=0, memsz=segment.end - at)


def _recorded_ranges(memory: RecordingMemory) -> list[tuple[int, int]]:
    """Return [start, end) of all memory that was read and exists, sorted and disjoint."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(
        {(page * PAGE_BYTES, page * PAGE_BYTES + PAGE_BYTES) for page in memory.pages} | memory.file_ranges
    ):
        start = max(start, merged[-1][1]) if merged else start
        end = start + len(memory.peek(start, end - start))
        if merged and start == merged[-1][1]:
            merged[-1] = (merged[-1][0], end)
        elif start < end:
            merged.append((start, end))
    return merged
