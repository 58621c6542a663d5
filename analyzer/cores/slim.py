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
from analyzer.cores.images import SLIM, SLIM_AT
from analyzer.cores.memory import PAGE, WatchedMemory
from analyzer.cores.slim_modules import SlimFile, slim_modules

MASKED = b"*"


@dataclass(frozen=True, slots=True)
class Slim:
    files: tuple[SlimFile, ...]
    masked: int  # secrets that were overwritten
    problems: tuple[str, ...]


def slim_core(
    path: Path, *, executable: Path | None = None, sysroots: Sequence[Path] = (), mask: bool = False
) -> Slim | str:
    """What to hand on of a core; a sentence where it cannot be slimmed.

    `mask`: overwrite the secrets of arguments and environment.
    """
    mapped = map_core(path)
    if isinstance(mapped, str):
        return mapped
    data, header = mapped
    if header.machine == EM_CUDA:
        return "a GPU core has no memory of a process: it is small as it is"
    dump = open_dump(data, header, Places(executable, tuple(sysroots), path.parent), WatchedMemory)
    unwinder = show_dump(core := blank_core(path.name), dump, "all")
    if unwinder is None or not isinstance(dump.memory, WatchedMemory):
        return core["problems"][-1] if core["problems"] else "its stacks cannot be read"
    _watch_headers(dump, dump.memory)
    pairs = _secrets(dump) if mask else []
    files = [_slim_memory(path.name.removesuffix(".zst"), dump, dump.memory, pairs)]
    files += slim_modules(dump, unwinder)
    return Slim(tuple(files), len(pairs), tuple(dump.problems))


def _watch_headers(dump: Dump, memory: WatchedMemory) -> None:
    """Modules are told by their headers, which are read past the memory; the vDSO stands in memory alone."""
    for module in dump.modules.items:
        memory.add(module.start, module.start + 1)
        for segment in module.segments:
            if segment.type == PT_NOTE and module.bias is not None:
                memory.add(module.bias + segment.vaddr, module.bias + segment.end)
        if module.image is not None and module.image.data is None:
            for part in module.image.parts:
                memory.add(part.start + (module.bias or 0), part.end + (module.bias or 0))


def _secrets(dump: Dump) -> list[tuple[bytes, bytes]]:
    """(as it stands, what to write over it), of equal length; a secret's bare value too, for it may stand elsewhere."""
    arguments, variables, _ = read_strings(dump.memory, dump.notes)
    pairs: list[tuple[bytes, bytes]] = []
    for raw, shown in find_secrets(arguments, variables):
        name, _, value = raw.partition("=")
        kept = f"{name}=" if value and shown.startswith(f"{name}=") else ""
        whole = raw.encode("utf-8", "surrogateescape")
        pairs.append((whole, kept.encode().ljust(len(whole), MASKED)[: len(whole)]))
        bare = (value or raw).encode()
        if len(bare) >= 6:
            pairs.append((bare, MASKED * len(bare)))
    return sorted(pairs, key=lambda pair: -len(pair[0]))


def _slim_memory(name: str, dump: Dump, memory: WatchedMemory, secrets: Sequence[tuple[bytes, bytes]]) -> SlimFile:
    """A core with the same notes and mappings, and of its memory the pages that were read."""
    notes = [bytes(dump.data[s.offset : s.offset + s.filesz]) for s in dump.segments if s.type == PT_NOTE]
    pages = sorted(memory.pages)
    loads = [segment for segment in dump.segments if segment.type == PT_LOAD]
    parts = [part for segment in loads for part in _split(segment, pages, memory.size)]
    if len(parts) + len(notes) >= PN_XNUM:
        parts = [part for part in parts if part.filesz][: PN_XNUM - 1 - len(notes)]
    at = dump.header.size + (len(parts) + len(notes)) * dump.header.segment_size
    rows, bodies = list[Segment](), list[bytes]()
    for note in notes:
        rows.append(Segment(PT_NOTE, 0, at, 0, len(note), 0))
        bodies.append(_mask_arguments(note, dump, secrets))
        at += len(note)
    for part in parts:
        body = _mask(memory.peek(part.vaddr, part.filesz), secrets)
        rows.append(Segment(PT_LOAD, part.flags, at, part.vaddr, len(body), part.memsz))
        bodies.append(body)
        at += len(body)
    head = _slim_header(bytes(dump.data[: dump.header.size]), dump.header.size, len(rows))
    return SlimFile(name, at, ((0, head + pack_segments(rows, dump.header) + b"".join(bodies)),))


def _slim_header(head: bytes, phoff: int, phnum: int) -> bytes:
    """The 64-bit ELF header with our mark, a new table of program headers and no sections."""
    new = bytearray(head)
    new[SLIM_AT : SLIM_AT + len(SLIM)] = SLIM
    new[32:48] = phoff.to_bytes(8, "little") + bytes(8)
    new[56:64] = phnum.to_bytes(2, "little") + bytes(6)
    return bytes(new)


def _split(segment: Segment, pages: Sequence[int], size: int) -> Iterable[Segment]:
    """The segment in runs of pages that were read and runs that were not; page borders are those of addresses."""
    there = min(segment.filesz, max(0, size - segment.offset))
    at, end = segment.vaddr, segment.vaddr + there
    kept = pages[bisect_left(pages, at // PAGE) : bisect_left(pages, (end + PAGE - 1) // PAGE)] if there else []
    for start, stop in _runs(kept):
        low, high = max(at, start * PAGE), min(end, stop * PAGE)
        if at < low:
            yield Segment(PT_LOAD, segment.flags, 0, at, 0, low - at)
        yield Segment(PT_LOAD, segment.flags, 0, low, high - low, high - low)
        at = high
    if at < segment.end:
        yield Segment(PT_LOAD, segment.flags, 0, at, 0, segment.end - at)


def _runs(pages: Sequence[int]) -> Iterable[tuple[int, int]]:
    """(first page, page behind the last) of each run of a sorted sequence."""
    start = 0
    for index, page in enumerate(pages):
        if index + 1 == len(pages) or pages[index + 1] != page + 1:
            yield pages[start], page + 1
            start = index + 1


def _mask(body: bytes, secrets: Sequence[tuple[bytes, bytes]]) -> bytes:
    for secret, shown in secrets:
        if secret in body:
            body = body.replace(secret, shown)
    return body


def _mask_arguments(note: bytes, dump: Dump, secrets: Sequence[tuple[bytes, bytes]]) -> bytes:
    """The note of the process repeats the first 80 bytes of its arguments, in which the last may be cut."""
    process = dump.notes.process
    if not secrets or process is None:
        return note
    for separator in (b" ", b"\0"):
        field = process.args.encode().replace(b" ", separator)
        cut = next((field.find(secret[:6]) for secret, _ in secrets if secret[:6] in field), -1)
        if cut >= 0 and field in note:
            note = note.replace(field, field[:cut].ljust(len(field), MASKED))
    return _mask(note, secrets)
