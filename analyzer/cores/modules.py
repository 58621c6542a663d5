"""Which objects were loaded where.

NT_FILE (Linux 3.7) names the mappings; without it the dynamic linker's list of link maps is walked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from analyzer.cores.binaries import Places
from analyzer.cores.elf import ET_DYN, ET_EXEC, PF_X, PT_LOAD, Header, Segment
from analyzer.cores.images import (
    find_build_id,
    image_in_memory,
    open_image,
    read_loaded,
)
from analyzer.cores.linkmap import walk_link_map
from analyzer.cores.loaded import Module, Modules
from analyzer.cores.memory import Memory
from analyzer.cores.notes import MappedFile, Notes

AT_PHDR, AT_PHNUM, AT_ENTRY, AT_EXECFN, AT_SYSINFO_EHDR = 3, 5, 9, 31, 33
MAX_MODULES = 1 << 14
PAGE = 4096
Loaded = tuple[Header, list[Segment], int]  # headers of an object in memory, and its load bias
SHARED_OBJECT = re.compile(r"\.so(?:\.[\d.]+)?$")


def find_modules(memory: Memory, notes: Notes, places: Places) -> Modules:
    """The loaded objects as the core tells them; a file is opened only where the core lacks the program headers."""
    found = [m for group in _group_files(memory, notes.files) if (m := _describe(memory, *group))]
    problems = []
    if not found:
        main = _find_main(memory, notes.auxv, places)
        found = [
            m
            for m in _from_link_map(memory, notes.auxv, main[1] if main else b"")
            if main is None or not (main[0].start <= m.start < main[0].end or main[0].bias == m.bias)
        ]
        found += [main[0]] if main else []
        if found:
            problems.append("mapped files are not noted: modules are taken from the dynamic linker's list")
    vdso = _find_vdso(memory, notes.auxv)
    modules = Modules([*found[:MAX_MODULES], *([vdso] if vdso else [])], problems)
    entry = modules.at(notes.auxv.get(AT_PHDR) or notes.auxv.get(AT_ENTRY) or 0)
    if entry:
        entry.main = True
    return modules


def _group_files(memory: Memory, files: Sequence[MappedFile]) -> Iterator[tuple[list[MappedFile], Loaded | None]]:
    """Mappings of one loading of one file, and its headers where it begins with them.

    The span of its segments decides; without it, offset 0 starts anew.
    """
    by_path: dict[str, list[MappedFile]] = {}
    for file in files:
        by_path.setdefault(file.path, []).append(file)
    for mappings in by_path.values():
        group: list[MappedFile] = []
        loaded: Loaded | None = None
        limit = 0
        for file in sorted(mappings, key=lambda f: f.start):
            if group and (file.start >= limit if limit else file.offset == 0):
                yield group, loaded
                group, loaded, limit = [], None, 0
            if not group and file.offset == 0:
                loaded = read_loaded(memory, file.start, memory.read_some(file.start, PAGE))
                limit = _end(loaded) if loaded else 0
            group.append(file)
        yield group, loaded


def _end(loaded: Loaded) -> int:
    _, segments, bias = loaded
    return bias + max(s.end for s in segments if s.type == PT_LOAD)


def _describe(memory: Memory, group: list[MappedFile], loaded: Loaded | None) -> Module | None:
    first = group[0]
    module = Module(first.path, first.start, max(f.end for f in group), files=group)
    known = [s for f in group if (s := memory.segment(f.start))]
    runs = any(s.flags & PF_X for s in known)
    if loaded and loaded[0].type in (ET_EXEC, ET_DYN) and any(s.flags & PF_X for s in loaded[1]):
        _add_headers(memory, module, loaded)
        runs = runs or _maps_code(memory, module)
    elif len(known) < len(group):
        runs = runs or SHARED_OBJECT.search(module.name) is not None
    return module if runs else None


def _maps_code(memory: Memory, module: Module) -> bool:
    """An ELF file that is mapped to be read, as symbolizers do, is not loaded: no mapping begins where its code would.

    Asked only of mappings that the core does not describe, which is how gdb writes code.
    """
    starts = {f.start for f in module.files if memory.segment(f.start) is None}
    return any(
        (module.bias or 0) + (s.vaddr & -PAGE) in starts
        for s in module.segments
        if s.type == PT_LOAD and s.flags & PF_X
    )


def _add_headers(memory: Memory, module: Module, loaded: Loaded) -> None:
    module.header, module.segments, module.bias = loaded
    module.end = max(module.end, _end(loaded))
    module.build_id = find_build_id(image_in_memory(memory, module.header, module.segments, module.bias))


def _find_main(memory: Memory, auxv: dict[int, int], places: Places) -> tuple[Module, bytes] | None:
    """The executable and its program headers by what the kernel told the process of it: count, entry, their address."""
    at, entry = auxv.get(AT_PHDR, 0), auxv.get(AT_ENTRY, 0)
    segment = memory.segment(at)
    if segment is None:
        return None
    name = memory.text(auxv.get(AT_EXECFN, 0)).decode("utf-8", "backslashreplace")
    module = Module(name, at & -PAGE, segment.end, main=True)
    for path, given in places.candidates(module):
        image = open_image(path) if given else None
        first = next((s for s in image.segments if s.type == PT_LOAD), None) if image else None
        if image is None or image.data is None or first is None or image.header.phnum != auxv.get(AT_PHNUM):
            continue
        module.bias, phoff = entry - image.header.entry, image.header.phoff
        if module.bias % PAGE == 0 and at == module.bias + first.vaddr - first.offset + phoff:
            return module, bytes(image.data[phoff : phoff + image.header.phnum * image.header.phentsize])
    module.bias = None
    return (module, b"") if name else None


def _from_link_map(memory: Memory, auxv: dict[int, int], table: bytes) -> Iterator[Module]:
    for base, name in walk_link_map(memory, auxv, table):
        # l_addr is the bias; the headers stand there unless the object is linked to a fixed address.
        at = base if base else auxv.get(AT_PHDR, 0) & -PAGE
        module = Module(name, at, at + PAGE, base)
        loaded = read_loaded(memory, at, memory.read_some(at, PAGE))
        if loaded:
            _add_headers(memory, module, loaded)
        elif (segment := memory.segment(at)) is not None:
            module.end = segment.end
        yield module


def _find_vdso(memory: Memory, auxv: dict[int, int]) -> Module | None:
    start = auxv.get(AT_SYSINFO_EHDR, 0)
    loaded = read_loaded(memory, start, memory.read_some(start, PAGE)) if start else None
    segment = memory.segment(start)
    if loaded is None or segment is None:
        return None
    module = Module("[vdso]", start, segment.end, header=loaded[0], segments=loaded[1], bias=loaded[2])
    module.image = image_in_memory(memory, *loaded)
    module.build_id, module.status = module.image.build_id, "verified"
    return module
