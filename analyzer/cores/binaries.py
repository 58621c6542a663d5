"""Which local files are truly the objects that were loaded.

A file is used only when it is shown to be the one that was mapped: another build's tables invent frames.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from analyzer.cores.debuginfod import find_servers
from analyzer.cores.elf import ET_DYN, ET_EXEC, PT_DYNAMIC, PT_LOAD
from analyzer.cores.images import FORBIDDEN, Image, code_extents, image_in_memory, loaded_extents, open_image
from analyzer.cores.loaded import DELETED, Module, Modules
from analyzer.cores.memory import Memory
from analyzer.cores.words import TRUSTED, ModuleStatus

MAX_INDEXED = 20_000  # files of a sysroot that are opened for their build id
PAGE = 4096
# Dynamic tags whose values the linker fixes and the loader never changes: sizes and counts.
FIXED_TAGS = frozenset({2, 8, 9, 10, 11, 18, 19, 20, 27, 28, 30, 0x6FFFFFF9, 0x6FFFFFFB, 0x6FFFFFFD, 0x6FFFFFFF})


@dataclass(slots=True)
class Places:
    """Where binaries may lie, in the order in which they are tried."""

    executable: Path | None = None
    sysroots: Sequence[Path] = ()
    beside: Path | None = None  # the core's folder
    running: bool = True  # this very system, for files that can be verified
    known: Mapping[str, Path] | None = None  # binaries by build id, where they are known already
    _seen: dict[tuple[Path, str], bool] = field(default_factory=dict)

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
            if inside and self._exists(root, relative.split("/", 1)[0]):
                yield root / relative, True
            yield root / module.name, True
        if self.beside is not None and self.beside not in self.sysroots:
            yield self.beside / module.name, True
        yield from self._from_this_system(module, relative, inside)
        servers = find_servers() if module.build_id else None
        if servers and module.build_id and (path := servers.fetch(module.build_id, "executable")):
            yield path, False

    def _from_this_system(self, module: Module, relative: str, inside: bool) -> Iterator[tuple[Path, bool]]:
        if self.running and inside and module.path.startswith("/") and not module.path.startswith(FORBIDDEN):
            yield Path("/" + relative), False

    def _exists(self, root: Path, name: str) -> bool:
        """Whether a root has this folder: most roots lack all of a path, and a process has hundreds of modules."""
        if (root, name) not in self._seen:
            self._seen[root, name] = os.path.exists(f"{root}/{name}")  # noqa: PTH110  False, not an error, where it may not be asked
        return self._seen[root, name]

    def _indexed(self) -> Mapping[str, Path]:
        if self.known is None:
            self.known = index_binaries(self.sysroots)
        return self.known


def index_binaries(places: Iterable[Path]) -> dict[str, Path]:
    """{build id: file} of the ELF files among or under the places; bounded, for a place may be a whole system."""
    found: dict[str, Path] = {}
    for path in islice(_walk(places), MAX_INDEXED):
        image = open_image(path)
        text = image.sections.get(".text") if image else None
        if image and image.build_id and image.header.type in (ET_EXEC, ET_DYN) and text and text.type != 8:
            found.setdefault(image.build_id, path)
    return found


def _walk(places: Iterable[Path]) -> Iterator[Path]:
    for place in places:
        if not place.is_dir():
            yield place
        for folder, subfolders, names in os.walk(place):
            subfolders.sort()
            yield from (Path(folder, name) for name in sorted(names))


def attach_files(modules: Modules, memory: Memory, places: Places) -> None:
    """Find each module's file, judge it, and let verified ones stand in for what the core lacks."""
    for module in modules.items:
        if module.path == "[vdso]":
            continue
        best: tuple[int, ModuleStatus, Image | None] = (0, "missing", None)
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
        _settle(module, memory, best[1], best[2])
    # What the process cannot have written is the same in the file.
    found = [
        (m.image, m.bias)
        for m in modules.items
        if m.image is not None and m.image.path is not None and m.bias is not None
    ]
    memory.attach(
        (extent for image, bias in found for extent in loaded_extents(image, bias)),
        (extent for image, bias in found for extent in code_extents(image, bias)),
    )


def _settle(module: Module, memory: Memory, status: ModuleStatus, image: Image | None) -> None:
    module.status, module.image = status, image
    if image is not None:
        module.build_id = module.build_id or image.build_id
        module.bias = module.bias if module.bias is not None else guess_bias(module, image)
        if module.bias is not None:
            top = max((s.end for s in image.segments if s.type == PT_LOAD), default=0)
            module.end = max(module.end, min(module.bias + top, module.end + (1 << 32)))
    elif module.header is not None and module.bias is not None:
        # The core itself may hold the text (coredump_filter 0x7f, some minimal dumpers).
        kept = image_in_memory(memory, module.header, module.segments, module.bias)
        table = kept.frame_table
        module.image = kept if table is not None and kept.locate(table.vaddr) else None


def _same_machine(module: Module, image: Image) -> bool:
    return module.header is None or module.header.machine == image.header.machine


def judge(module: Module, image: Image, memory: Memory) -> ModuleStatus:
    """Is this file the object that was mapped?"""
    if module.build_id and image.build_id:
        return "verified" if module.build_id == image.build_id else "mismatch"
    if module.header is not None:
        same = module.header == image.header and module.segments == image.segments
        return "header-match" if same else "mismatch"
    return _judge_dynamic(module, image, memory)


def _judge_dynamic(module: Module, image: Image, memory: Memory) -> ModuleStatus:
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
        tag = stored[at : at + word]
        if tag != loaded[at : at + word]:
            return "mismatch"
        fixed = int.from_bytes(tag, order) in FIXED_TAGS  # type: ignore[arg-type]
        if fixed and stored[at + word : at + 2 * word] != loaded[at + word : at + 2 * word]:
            return "mismatch"
    return "header-match"


def guess_bias(module: Module, image: Image) -> int | None:
    """The load bias on which the mappings and the file's segments agree; None when they do not fit."""
    if not module.files and module.bias is not None:
        return module.bias  # the dynamic linker's word
    votes: dict[int, int] = {}
    for file in module.files:
        for segment in image.segments:
            if segment.type == PT_LOAD and segment.offset & -PAGE == file.offset:
                bias = file.start - (segment.vaddr & -PAGE)
                votes[bias] = votes.get(bias, 0) + 1
    return max(votes, key=lambda b: (votes[b], -abs(b))) if votes else None
