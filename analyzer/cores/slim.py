"""A crash to hand on: a core of the pages that its answer rests on, and of its modules what unwinding and names need.

No code, no data of the modules, no heap but for those pages: a few megabytes without model weights that give the same
backtrace elsewhere.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from analyzer.cores.binaries import Places
from analyzer.cores.core import blank_core, show_dump
from analyzer.cores.dump import Dump, map_core, open_dump
from analyzer.cores.elf import EM_CUDA, PN_XNUM, PT_LOAD, PT_NOTE, Segment, pack_segments
from analyzer.cores.facts import find_secrets, read_strings
from analyzer.cores.images import MAX_NOTES, SLIM, SLIM_AT
from analyzer.cores.memory import PAGE, WatchedMemory
from analyzer.cores.notes import MAX_NOTE_BYTES, READ_NOTES, pack_note, split_notes
from analyzer.cores.slim_modules import SlimFile, slim_modules
from analyzer.redact.memory import list_values, mask_memory


@dataclass(frozen=True, slots=True)
class Slim:
    files: tuple[SlimFile, ...]
    masked: int  # secrets that were overwritten
    problems: tuple[str, ...]


def slim_core(path: Path, places: Places, *, name: str | None = None, mask: bool = False) -> Slim | str:
    """What to hand on of a core; a sentence where it cannot be slimmed.

    `name` is the core's in the archive. `mask`: overwrite the secrets of arguments and environment.
    """
    mapped = map_core(path)
    if isinstance(mapped, str):
        return mapped
    data, header = mapped
    if header.machine == EM_CUDA:
        return "a GPU core has no memory of a process: it is small as it is"
    dump = open_dump(data, header, places, WatchedMemory)
    unwinder = show_dump(core := blank_core(path.name), dump, "all")
    if unwinder is None or not isinstance(dump.memory, WatchedMemory):
        return core["problems"][-1] if core["problems"] else "its stacks cannot be read"
    _watch_headers(dump, dump.memory)
    arguments, variables, _ = read_strings(dump.memory, dump.notes)
    secrets = list_values(find_secrets(arguments, variables)) if mask else []
    files = [_slim_memory(name or path.name, dump, dump.memory, secrets)]
    files += slim_modules(dump, unwinder)
    return Slim(tuple(files), len(secrets), tuple(dump.problems))


def _watch_headers(dump: Dump, memory: WatchedMemory) -> None:
    """Modules are told by their headers, which are read past the memory; the vDSO stands in memory alone."""
    for module in dump.modules.items:
        memory.add(module.start, module.start + 1)
        for segment in module.segments:
            if segment.type == PT_NOTE and module.bias is not None:
                at = module.bias + segment.vaddr
                memory.add(at, at + min(segment.filesz, MAX_NOTES))
        if module.image is not None and module.image.data is None:
            for part in module.image.parts:
                memory.add(part.start + (module.bias or 0), part.end + (module.bias or 0))


def _slim_memory(name: str, dump: Dump, memory: WatchedMemory, secrets: Sequence[bytes]) -> SlimFile:
    """A core with the same notes and mappings, and of its memory what was read."""
    notes = [_slim_notes(dump, segment) for segment in dump.segments if segment.type == PT_NOTE]
    kept = _ranges(memory)
    loads = [segment for segment in dump.segments if segment.type == PT_LOAD and segment.memsz]
    parts = [part for segment in loads for part in _split(segment, kept)]
    if len(parts) + len(notes) >= PN_XNUM:
        parts = [part for part in parts if part.filesz][: PN_XNUM - 1 - len(notes)]
    at = dump.header.size + (len(parts) + len(notes)) * dump.header.segment_size
    rows, bodies = list[Segment](), list[bytes]()
    for note in notes:
        rows.append(Segment(PT_NOTE, 0, at, 0, len(note), 0))
        bodies.append(mask_memory(note, secrets))
        at += len(note)
    for part in parts:
        body = mask_memory(memory.peek(part.vaddr, part.filesz), secrets)
        rows.append(Segment(PT_LOAD, part.flags, at, part.vaddr, len(body), part.memsz))
        bodies.append(body)
        at += len(body)
    head = _slim_header(bytes(dump.data[: dump.header.size]), dump.header.size, len(rows))
    return SlimFile(name, at, ((0, head + pack_segments(rows, dump.header) + b"".join(bodies)),))


def _slim_notes(dump: Dump, segment: Segment) -> bytes:
    order = dump.header.order
    body = bytes(dump.data[segment.offset : segment.offset + min(segment.filesz, MAX_NOTE_BYTES)])
    return b"".join(
        pack_note(name, kind, desc, order) for name, kind, desc in split_notes(body, order) if kind in READ_NOTES
    )


def _slim_header(head: bytes, phoff: int, phnum: int) -> bytes:
    """The 64-bit ELF header with our mark, a new table of program headers and no sections."""
    new = bytearray(head)
    new[SLIM_AT : SLIM_AT + len(SLIM)] = SLIM
    new[32:48] = phoff.to_bytes(8, "little") + bytes(8)
    new[56:64] = phnum.to_bytes(2, "little") + bytes(6)
    return bytes(new)


def _split(segment: Segment, kept: Sequence[tuple[int, int]]) -> Iterable[Segment]:
    """The segment in parts that were read, which have bytes, and parts that were not."""
    at = segment.vaddr
    for start, stop in kept[max(0, bisect_left(kept, (at, 0)) - 1) :]:
        low, high = max(at, start), min(segment.end, stop)
        if start >= segment.end:
            break
        if low < high:
            if at < low:
                yield Segment(PT_LOAD, segment.flags, 0, at, 0, low - at)
            yield Segment(PT_LOAD, segment.flags, 0, low, high - low, high - low)
            at = high
    if at < segment.end:
        yield Segment(PT_LOAD, segment.flags, 0, at, 0, segment.end - at)


def _ranges(memory: WatchedMemory) -> list[tuple[int, int]]:
    """[start, end) of all that was read and is there, sorted and disjoint."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted({(page * PAGE, page * PAGE + PAGE) for page in memory.pages} | memory.spots):
        start = max(start, merged[-1][1]) if merged else start
        end = start + len(memory.peek(start, end - start))
        if merged and start == merged[-1][1]:
            merged[-1] = (merged[-1][0], end)
        elif start < end:
            merged.append((start, end))
    return merged
