"""Find the objects that a process had loaded, with their addresses.

NT_FILE (Linux 3.7) names the mappings. Without it, the dynamic linker's list is walked: r_debug and its link maps
(glibc link.h).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence

from analyzer.cores.elf.binaries import BinaryLocator
from analyzer.cores.elf.headers import (
    ET_DYN,
    ET_EXEC,
    PF_X,
    PT_DYNAMIC,
    PT_LOAD,
    ElfHeader,
    ElfSegment,
    unpack_segments,
)
from analyzer.cores.elf.images import (
    find_build_id,
    image_in_memory,
    open_image,
    read_loaded_headers,
)
from analyzer.cores.elf.memory import ProcessMemory
from analyzer.cores.elf.modules import LoadedModule, ModuleMap
from analyzer.cores.elf.notes import CoreNotes, MappedFile

AT_PHDR, AT_PHENT, AT_PHNUM, AT_ENTRY, AT_EXECFN, AT_SYSINFO_EHDR = 3, 4, 5, 9, 31, 33
PT_PHDR = 6
DT_DEBUG = 21
MAX_LINKS = 1 << 14
MAX_MODULES = 1 << 14
PAGE_BYTES = 4096
LoadedHeaders = tuple[ElfHeader, list[ElfSegment], int]  # headers of an object in memory, and its load bias
SHARED_OBJECT_NAME = re.compile(r"\.so(?:\.[\d.]+)?$")


def find_modules(memory: ProcessMemory, notes: CoreNotes, locator: BinaryLocator) -> ModuleMap:
    """Return the loaded objects. A file is opened only if the core lacks the executable's program headers."""
    modules = [m for group in _group_mappings(memory, notes.files) if (m := _make_module(memory, *group))]
    problems = []
    if not modules:
        main = _find_main(memory, notes.auxv, locator)
        modules = [
            m
            for m in _modules_from_link_map(memory, notes.auxv, main[1] if main else b"")
            if main is None or not (main[0].start <= m.start < main[0].end or main[0].bias == m.bias)
        ]
        modules += [main[0]] if main else []
        if modules:
            problems.append("mapped files are not noted: modules are taken from the dynamic linker's list")
    vdso = _find_vdso(memory, notes.auxv)
    module_map = ModuleMap([*modules[:MAX_MODULES], *([vdso] if vdso else [])], problems)
    entry = module_map.find_module(notes.auxv.get(AT_PHDR) or notes.auxv.get(AT_ENTRY) or 0)
    if entry:
        entry.is_main = True
    return module_map


def _group_mappings(
    memory: ProcessMemory, files: Sequence[MappedFile]
) -> Iterator[tuple[list[MappedFile], LoadedHeaders | None]]:
    """Yield the mappings of each load of each file, with its headers if the memory has them.

    The span of the segments bounds a load; without headers, offset 0 starts a new one.
    """
    by_path: dict[str, list[MappedFile]] = {}
    for file in files:
        by_path.setdefault(file.path, []).append(file)
    for mappings in by_path.values():
        group: list[MappedFile] = []
        loaded: LoadedHeaders | None = None
        limit = 0
        for file in sorted(mappings, key=lambda f: f.start):
            if group and (file.start >= limit if limit else file.offset == 0):
                yield group, loaded
                group, loaded, limit = [], None, 0
            if not group and file.offset == 0:
                loaded = read_loaded_headers(memory, file.start, memory.read_some(file.start, PAGE_BYTES))
                limit = _end_address(loaded) if loaded else 0
            group.append(file)
        yield group, loaded


def _end_address(loaded: LoadedHeaders) -> int:
    _, segments, bias = loaded
    return bias + max(s.end for s in segments if s.type == PT_LOAD)


def _make_module(memory: ProcessMemory, group: list[MappedFile], loaded: LoadedHeaders | None) -> LoadedModule | None:
    first = group[0]
    module = LoadedModule(first.path, first.start, max(f.end for f in group), files=group)
    described_segments = [s for f in group if (s := memory.find_segment(f.start))]
    has_code = any(s.flags & PF_X for s in described_segments)
    if loaded and loaded[0].type in (ET_EXEC, ET_DYN) and any(s.flags & PF_X for s in loaded[1]):
        _add_headers(memory, module, loaded)
        has_code = has_code or _maps_code(memory, module)
    elif len(described_segments) < len(group):
        has_code = has_code or SHARED_OBJECT_NAME.search(module.name) is not None
    return module if has_code else None


def _maps_code(memory: ProcessMemory, module: LoadedModule) -> bool:
    """Return whether a mapping begins at the address of the file's code. Symbolizers map ELF files only to read them.

    Only mappings that the core does not describe count: gdb's cores do not describe code.
    """
    starts = {f.start for f in module.files if memory.find_segment(f.start) is None}
    return any(
        (module.bias or 0) + (s.vaddr & -PAGE_BYTES) in starts
        for s in module.segments
        if s.type == PT_LOAD and s.flags & PF_X
    )


def _add_headers(memory: ProcessMemory, module: LoadedModule, loaded: LoadedHeaders) -> None:
    module.header, module.segments, module.bias = loaded
    module.end = max(module.end, _end_address(loaded))
    module.build_id = find_build_id(image_in_memory(memory, module.header, module.segments, module.bias))


def _find_main(
    memory: ProcessMemory, auxv: dict[int, int], locator: BinaryLocator
) -> tuple[LoadedModule, bytes] | None:
    """Return the executable and its program headers, which fit the count, entry point and address in the auxv."""
    at, entry = auxv.get(AT_PHDR, 0), auxv.get(AT_ENTRY, 0)
    segment = memory.find_segment(at)
    if segment is None:
        return None
    name = memory.read_string(auxv.get(AT_EXECFN, 0)).decode("utf-8", "backslashreplace")
    module = LoadedModule(name, at & -PAGE_BYTES, segment.end, is_main=True)
    for path, is_given in locator.candidates(module):
        image = open_image(path) if is_given else None
        first = next((s for s in image.segments if s.type == PT_LOAD), None) if image else None
        if image is None or image.data is None or first is None or image.header.phnum != auxv.get(AT_PHNUM):
            continue
        module.bias, phoff = entry - image.header.entry, image.header.phoff
        if module.bias % PAGE_BYTES == 0 and at == module.bias + first.vaddr - first.offset + phoff:
            return module, bytes(image.data[phoff : phoff + image.header.phnum * image.header.phentsize])
    module.bias = None
    return (module, b"") if name else None


def _modules_from_link_map(memory: ProcessMemory, auxv: dict[int, int], table: bytes) -> Iterator[LoadedModule]:
    for base, name in walk_link_map(memory, auxv, table):
        # l_addr is the bias; the headers are there unless the object is linked to a fixed address.
        at = base if base else auxv.get(AT_PHDR, 0) & -PAGE_BYTES
        module = LoadedModule(name, at, at + PAGE_BYTES, base)
        loaded = read_loaded_headers(memory, at, memory.read_some(at, PAGE_BYTES))
        if loaded:
            _add_headers(memory, module, loaded)
        elif (segment := memory.find_segment(at)) is not None:
            module.end = segment.end
        yield module


def _find_vdso(memory: ProcessMemory, auxv: dict[int, int]) -> LoadedModule | None:
    start = auxv.get(AT_SYSINFO_EHDR, 0)
    loaded = read_loaded_headers(memory, start, memory.read_some(start, PAGE_BYTES)) if start else None
    segment = memory.find_segment(start)
    if loaded is None or segment is None:
        return None
    module = LoadedModule("[vdso]", start, segment.end, header=loaded[0], segments=loaded[1], bias=loaded[2])
    module.image = image_in_memory(memory, *loaded)
    module.build_id, module.status = module.image.build_id, "verified"
    return module


def walk_link_map(memory: ProcessMemory, auxv: dict[int, int], table: bytes = b"") -> Iterator[tuple[int, str]]:
    """Yield (load bias, name) of each object; the executable's name is its AT_EXECFN. A circular list ends.

    `table`: the executable's program headers, for cores that lack them (QEMU dumps no text).
    """
    debug = _find_r_debug(memory, auxv, table)
    word = memory.word_size
    link = memory.read_word(debug + word) if debug else None
    seen: set[int] = set()
    while link and link not in seen and len(seen) < MAX_LINKS:
        seen.add(link)
        base, name, next_link = memory.read_word(link), memory.read_word(link + word), memory.read_word(link + 3 * word)
        text = memory.read_string(name or 0).decode("utf-8", "backslashreplace")
        if not text and len(seen) == 1:
            text = memory.read_string(auxv.get(31, 0)).decode("utf-8", "backslashreplace")
        if base is not None and text and not text.startswith("linux-vdso"):
            yield base, text
        link = next_link


def _find_r_debug(memory: ProcessMemory, auxv: dict[int, int], known_headers: bytes) -> int | None:
    """Return the value of DT_DEBUG, found through the program headers whose address is in the auxv."""
    at, count = auxv.get(AT_PHDR, 0), auxv.get(AT_PHNUM, 0)
    wide = memory.word_size == 8
    size = 56 if wide else 32
    if not at or auxv.get(AT_PHENT) != size or not 0 < count < 512:
        return None
    order = memory.order
    header = ElfHeader(
        bits=memory.word_size * 8,
        order=order,
        type=0,
        machine=0,
        entry=0,
        phoff=0,
        shoff=0,
        phentsize=size,
        phnum=count,
        shentsize=0,
        shnum=0,
        shstrndx=0,
    )
    segments = list(unpack_segments(memory.read(at, count * size) or known_headers[: count * size], header))
    bias = _load_bias(segments, at)
    dynamic = next((s for s in segments if s.type == PT_DYNAMIC), None)
    if dynamic is None:
        return None
    table = memory.read_some(bias + dynamic.vaddr, min(dynamic.memsz, 1 << 16))
    pair = struct.Struct(order + ("QQ" if wide else "II"))
    for tag, value in pair.iter_unpack(table[: len(table) // pair.size * pair.size]):
        if tag == DT_DEBUG:
            return int(value)
    return None


def _load_bias(segments: list[ElfSegment], at: int) -> int:
    return next((at - s.vaddr for s in segments if s.type == PT_PHDR), 0)
