"""Which objects were loaded where, and which local files are truly those.

NT_FILE (Linux 3.7) names the mappings; without it the dynamic linker's list of link maps is walked. A file is used only
when it is shown to be the one that was mapped: unwinding with another build's tables invents frames.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from analyzer.cores.elf import ET_DYN, ET_EXEC, PF_R, PF_W, PF_X, PT_DYNAMIC, PT_LOAD, Header, Segment
from analyzer.cores.images import (
    FORBIDDEN,
    Image,
    find_build_id,
    image_in_memory,
    loaded_extents,
    open_image,
    read_loaded,
)
from analyzer.cores.linkmap import walk_link_map
from analyzer.cores.memory import Memory
from analyzer.cores.notes import MappedFile, Notes

AT_PHDR, AT_PHNUM, AT_ENTRY, AT_EXECFN, AT_SYSINFO_EHDR = 3, 5, 9, 31, 33
MAX_MODULES = 1 << 14
MAX_INDEXED = 20_000     # files of a sysroot that are opened for their build id
PAGE = 4096
DELETED = " (deleted)"
# Dynamic tags whose values the linker fixes and the loader never changes: sizes and counts.
FIXED_TAGS = frozenset({2, 8, 9, 10, 11, 18, 19, 20, 27, 28, 30, 0x6FFFFFF9, 0x6FFFFFFB, 0x6FFFFFFD, 0x6FFFFFFF})

SHARED_OBJECT = re.compile(r"\.so(?:\.[\d.]+)?$")
TRUSTED = ("verified", "header-match")


@dataclass(slots=True)
class Module:
    """A loaded object. `status`: verified | header-match | path-only | mismatch | missing; `image` only when usable."""

    path: str
    start: int
    end: int
    bias: int | None = None
    build_id: str | None = None
    status: str = "missing"
    image: Image | None = None
    header: Header | None = None
    segments: list[Segment] = field(default_factory=list)
    files: list[MappedFile] = field(default_factory=list)
    main: bool = False

    @property
    def name(self) -> str:
        return self.path.removesuffix(DELETED).rsplit("/", 1)[-1]


@dataclass(slots=True)
class Modules:
    """All modules by address."""

    items: list[Module]
    problems: list[str] = field(default_factory=list)
    _starts: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.items.sort(key=lambda m: m.start)
        self._starts = [m.start for m in self.items]

    def at(self, address: int) -> Module | None:
        index = bisect_right(self._starts, address) - 1
        return self.items[index] if index >= 0 and address < self.items[index].end else None

    @property
    def main(self) -> Module | None:
        return next((m for m in self.items if m.main), None)


def find_modules(memory: Memory, notes: Notes, places: Places) -> Modules:
    """The loaded objects as the core tells them; a file is opened only where the core lacks the program headers."""
    found = [m for group in _group_files(memory, notes.files) if (m := _describe(memory, group))]
    problems = []
    if not found:
        main = _find_main(memory, notes.auxv, places)
        found = [m for m in _from_link_map(memory, notes.auxv, main[1] if main else b"")
                 if main is None or not (main[0].start <= m.start < main[0].end or main[0].bias == m.bias)]
        found += [main[0]] if main else []
        if found:
            problems.append("mapped files are not noted: modules are taken from the dynamic linker's list")
    vdso = _find_vdso(memory, notes.auxv)
    modules = Modules([*found[:MAX_MODULES], *([vdso] if vdso else [])], problems)
    entry = modules.at(notes.auxv.get(AT_PHDR) or notes.auxv.get(AT_ENTRY) or 0)
    if entry:
        entry.main = True
    return modules


def _group_files(memory: Memory, files: Sequence[MappedFile]) -> Iterator[list[MappedFile]]:
    """Mappings of one loading of one file. The span of its segments decides; without it, offset 0 starts anew."""
    by_path: dict[str, list[MappedFile]] = {}
    for file in files:
        by_path.setdefault(file.path, []).append(file)
    for mappings in by_path.values():
        group: list[MappedFile] = []
        limit = 0
        for file in sorted(mappings, key=lambda f: f.start):
            if group and (file.start >= limit if limit else file.offset == 0):
                yield group
                group, limit = [], 0
            if not group and file.offset == 0:
                limit = _span_end(memory, file.start)
            group.append(file)
        yield group


def _span_end(memory: Memory, start: int) -> int:
    loaded = read_loaded(memory, start, memory.read_some(start, PAGE))
    if loaded is None:
        return 0
    _, segments, bias = loaded
    return bias + max(s.end for s in segments if s.type == PT_LOAD)


def _describe(memory: Memory, group: list[MappedFile]) -> Module | None:
    first = group[0]
    module = Module(first.path, first.start, max(f.end for f in group), files=group)
    known = [s for f in group if (s := memory.segment(f.start))]
    runs = any(s.flags & PF_X for s in known)
    loaded = read_loaded(memory, first.start, memory.read_some(first.start, PAGE)) if first.offset == 0 else None
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
    return any((module.bias or 0) + (s.vaddr & -PAGE) in starts
               for s in module.segments if s.type == PT_LOAD and s.flags & PF_X)


def _add_headers(memory: Memory, module: Module, loaded: tuple[Header, list[Segment], int]) -> None:
    module.header, module.segments, module.bias = loaded
    module.end = max(module.end, module.bias + max(s.end for s in module.segments if s.type == PT_LOAD))
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
            return module, bytes(image.data[phoff:phoff + image.header.phnum * image.header.phentsize])
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


def attach_files(modules: Modules, memory: Memory, places: Places) -> None:
    """Find each module's file, judge it, and let verified ones stand in for what the core lacks."""
    for module in modules.items:
        if module.path == "[vdso]":
            continue
        best: tuple[int, str, Image | None] = (0, "missing", None)
        for path, given in places.candidates(module):
            image = open_image(path)
            if image is None or not _same_machine(module, image):
                continue
            status = judge(module, image, memory)
            rank = {"mismatch": 1, "path-only": 2, "header-match": 3, "verified": 4}[status]
            if rank > best[0]:
                best = (rank, status, image if status in TRUSTED or (given and status == "path-only") else None)
            if rank >= 3:
                break
        _settle(modules, module, memory, best[1], best[2])


def _settle(modules: Modules, module: Module, memory: Memory, status: str, image: Image | None) -> None:
    module.status, module.image = status, image
    if image is not None:
        module.build_id = module.build_id or image.build_id
        module.bias = module.bias if module.bias is not None else guess_bias(module, image)
        if module.bias is not None:
            top = max((s.end for s in image.segments if s.type == PT_LOAD), default=0)
            module.end = max(module.end, min(module.bias + top, module.end + (1 << 32)))
            # What the process cannot have written is the same in the file.
            memory.attach(loaded_extents(image, module.bias, PF_R, PF_W),
                          loaded_extents(image, module.bias, PF_X, PF_W))
    elif module.header is not None and module.bias is not None:
        # The core itself may hold the text (coredump_filter 0x7f, some minimal dumpers).
        kept = image_in_memory(memory, module.header, module.segments, module.bias)
        table = kept.frame_table
        module.image = kept if table is not None and kept.locate(table.vaddr) else None


def _same_machine(module: Module, image: Image) -> bool:
    return module.header is None or module.header.machine == image.header.machine


def judge(module: Module, image: Image, memory: Memory) -> str:
    """Is this file the object that was mapped?"""
    if module.build_id and image.build_id:
        return "verified" if module.build_id == image.build_id else "mismatch"
    if module.header is not None:
        same = module.header == image.header and module.segments == image.segments
        return "header-match" if same else "mismatch"
    return _judge_dynamic(module, image, memory)


def _judge_dynamic(module: Module, image: Image, memory: Memory) -> str:
    """Without header pages (coredump_filter 0x23) the dynamic section still tells: it is written to, hence dumped."""
    bias = guess_bias(module, image)
    dynamic = next((s for s in image.segments if s.type == PT_DYNAMIC), None)
    if bias is None:
        return "mismatch"
    if dynamic is None or dynamic.filesz > 1 << 16:
        return "path-only"
    loaded, stored = memory.read(bias + dynamic.vaddr, dynamic.filesz), image.read(dynamic.vaddr, dynamic.filesz)
    if loaded is None or len(loaded) != len(stored):
        return "path-only"
    word = image.header.word
    order = "little" if image.header.order == "<" else "big"
    for at in range(0, len(stored) - 2 * word + 1, 2 * word):
        tag = stored[at:at + word]
        if tag != loaded[at:at + word]:
            return "mismatch"
        fixed = int.from_bytes(tag, order) in FIXED_TAGS  # type: ignore[arg-type]
        if fixed and stored[at + word:at + 2 * word] != loaded[at + word:at + 2 * word]:
            return "mismatch"
    return "header-match"


def guess_bias(module: Module, image: Image) -> int | None:
    """The load bias on which the mappings and the file's segments agree; None when they do not fit."""
    if not module.files and module.bias is not None:
        return module.bias   # the dynamic linker's word
    votes: dict[int, int] = {}
    for file in module.files:
        for segment in image.segments:
            if segment.type == PT_LOAD and segment.offset & -PAGE == file.offset:
                bias = file.start - (segment.vaddr & -PAGE)
                votes[bias] = votes.get(bias, 0) + 1
    return max(votes, key=lambda b: (votes[b], -abs(b))) if votes else None


@dataclass(slots=True)
class Places:
    """Where binaries may lie, in the order in which they are tried."""

    executable: Path | None = None
    sysroots: Sequence[Path] = ()
    beside: Path | None = None       # the core's folder
    running: bool = True             # this very system, for files that can be verified
    _index: dict[str, Path] | None = None

    def candidates(self, module: Module) -> Iterator[tuple[Path, bool]]:
        """(file, whether a person gave it for this purpose)."""
        if module.main and self.executable is not None:
            yield self.executable, True
        if module.build_id and (path := self._indexed().get(module.build_id)):
            yield path, True
        relative = module.path.removesuffix(DELETED).lstrip("/")
        if not module.name or "\0" in relative or module.name == "..":
            return
        inside = ".." not in relative.split("/")
        for root in self.sysroots:
            if inside:
                yield root / relative, True
            yield root / module.name, True
        if self.beside is not None:
            yield self.beside / module.name, True
        if self.running and inside and module.path.startswith("/") and not module.path.startswith(FORBIDDEN):
            yield Path("/" + relative), False

    def _indexed(self) -> dict[str, Path]:
        if self._index is None:
            self._index = dict(_index_build_ids(self.sysroots))
        return self._index


def _index_build_ids(roots: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    """(build id, file) of the ELF files under the roots; bounded, for a root may be a whole system."""
    seen = 0
    for root in roots:
        for folder, subfolders, names in os.walk(root):
            subfolders.sort()
            for name in sorted(names):
                seen += 1
                if seen > MAX_INDEXED:
                    return
                path = Path(folder, name)
                image = open_image(path)
                if image and image.build_id and image.header.type in (ET_EXEC, ET_DYN) and ".text" in image.sections \
                        and image.sections[".text"].type != 8:
                    yield image.build_id, path
