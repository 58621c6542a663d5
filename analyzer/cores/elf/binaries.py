"""Finds the local files of the objects that a process had loaded.

A file is used only if it is verified to be the one that was mapped: the tables of another build would give wrong
frames.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from analyzer.core_dump import TRUSTED_STATUSES, ModuleStatus
from analyzer.cores.elf.debuginfod import find_servers
from analyzer.cores.elf.headers import ET_DYN, ET_EXEC, PT_DYNAMIC, PT_LOAD
from analyzer.cores.elf.images import (
    FORBIDDEN_PREFIXES,
    ElfImage,
    code_extents,
    image_in_memory,
    loaded_extents,
    open_image,
)
from analyzer.cores.elf.memory import ProcessMemory
from analyzer.cores.elf.modules import DELETED_SUFFIX, LoadedModule, ModuleMap

MAX_INDEXED_FILES = 20_000  # files of a sysroot that are opened for their build id
PAGE_BYTES = 4096
# Dynamic tags whose values the linker fixes and the loader never changes: sizes and counts.
LINK_TIME_TAGS = frozenset({2, 8, 9, 10, 11, 18, 19, 20, 27, 28, 30, 0x6FFFFFF9, 0x6FFFFFFB, 0x6FFFFFFD, 0x6FFFFFFF})


_log = logging.getLogger("analyzer.cores")
_PROOFS: dict[ModuleStatus, str] = {
    "verified": "its build id is the same",
    "header-match": "its headers are those in memory",
    "path-only": "its path and segments fit, but nothing proves that it is the same build",
    "mismatch": "the files that were found are of another build",
    "missing": "no file was found",
}


@dataclass(slots=True)
class BinaryLocator:
    """Where to look for binaries, in the order in which they are tried."""

    executable: Path | None = None
    sysroots: Sequence[Path] = ()
    core_folder: Path | None = None  # the core's folder
    search_this_system: bool = True  # whether to search this system, for files that can be verified
    by_build_id: Mapping[str, Path] | None = None  # build id → binary, if an index exists
    library_folders: Sequence[Path] = ()  # folders of this system, for modules with only a name and a build id
    _folder_exists: dict[tuple[Path, str], bool] = field(default_factory=dict)

    def candidates(self, module: LoadedModule) -> Iterator[tuple[Path, bool]]:
        """Yield (file, whether a person gave it for this purpose) for a module; the files need not exist."""
        if module.is_main and self.executable is not None:
            yield self.executable, True
        if module.build_id and (path := self._build_id_index().get(module.build_id)):
            yield path, True
        relative = module.path.removesuffix(DELETED_SUFFIX).lstrip("/")
        if not module.name or "\0" in relative or module.name == "..":
            return
        inside = ".." not in relative.split("/")
        for root in self.sysroots:
            if inside and self._has_folder(root, relative.split("/", 1)[0]):
                yield root / relative, True
            yield root / module.name, True
        if self.core_folder is not None and self.core_folder not in self.sysroots:
            yield self.core_folder / module.name, True
        yield from self._candidates_on_this_system(module, relative, inside)
        servers = find_servers() if module.build_id else None
        if servers and module.build_id and (path := servers.fetch(module.build_id, "executable")):
            yield path, False

    def _candidates_on_this_system(
        self, module: LoadedModule, relative: str, inside: bool
    ) -> Iterator[tuple[Path, bool]]:
        if (
            self.search_this_system
            and inside
            and module.path.startswith("/")
            and not module.path.startswith(FORBIDDEN_PREFIXES)
        ):
            yield Path("/" + relative), False
        elif self.search_this_system and module.build_id and "/" not in module.path:
            for path in (folder / module.name for folder in self.library_folders):
                image = open_image(path)
                if image is not None and image.build_id == module.build_id:
                    yield path, False

    def _has_folder(self, root: Path, name: str) -> bool:
        """Return whether a root has this folder, cached: most roots lack it, and a process has hundreds of modules."""
        if (root, name) not in self._folder_exists:
            self._folder_exists[root, name] = os.path.exists(f"{root}/{name}")  # noqa: PTH110  False, not an error, where it may not be asked
        return self._folder_exists[root, name]

    def _build_id_index(self) -> Mapping[str, Path]:
        if self.by_build_id is None:
            self.by_build_id = index_binaries(self.sysroots)
        return self.by_build_id


def index_binaries(places: Iterable[Path]) -> dict[str, Path]:
    """Return {build id: file} of the ELF files among or below the places.

    At most MAX_INDEXED_FILES are opened, because a place may be a whole system.
    """
    index: dict[str, Path] = {}
    for path in islice(_walk_files(places), MAX_INDEXED_FILES):
        image = open_image(path)
        code = image.sections.get(".text") if image else None
        if image and image.build_id and image.header.type in (ET_EXEC, ET_DYN) and code and code.type != 8:
            index.setdefault(image.build_id, path)
    return index


def _walk_files(places: Iterable[Path]) -> Iterator[Path]:
    for place in places:
        if not place.is_dir():
            yield place
        for folder, subfolders, names in os.walk(place):
            subfolders.sort()
            yield from (Path(folder, name) for name in sorted(names))


def attach_binaries(modules: ModuleMap, memory: ProcessMemory, locator: BinaryLocator) -> None:
    """Find and judge each module's file, and read memory that the core lacks from verified files."""
    for module in modules.modules:
        if module.path == "[vdso]":
            continue
        best: tuple[int, ModuleStatus, ElfImage | None] = (0, "missing", None)
        for path, is_given in locator.candidates(module):
            image = open_image(path)
            if image is None or not _same_machine(module, image):
                continue
            status = judge_candidate(module, image, memory)
            rank = {"mismatch": 1, "path-only": 2, "header-match": 3, "verified": 4}[status]
            if rank > best[0]:
                best = (
                    rank,
                    status,
                    image if status in TRUSTED_STATUSES or (is_given and status == "path-only") else None,
                )
            if rank >= 3:
                break
        _apply_choice(module, memory, best[1], best[2])
        _log_choice(module)
    # Memory that the process could not write is the same in the file.
    mapped = [
        (m.image, m.bias)
        for m in modules.modules
        if m.image is not None and m.image.path is not None and m.bias is not None
    ]
    memory.attach_files(
        (extent for image, bias in mapped for extent in loaded_extents(image, bias)),
        (extent for image, bias in mapped for extent in code_extents(image, bias)),
    )


def _log_choice(module: LoadedModule) -> None:
    if not _log.isEnabledFor(logging.DEBUG):
        return
    build_id = module.build_id or "no build id"
    if module.image is not None and module.image.path is not None:
        _log.debug("%s (%s): read from %s, %s", module.path, build_id, module.image.path, _PROOFS[module.status])
    else:
        _log.debug("%s (%s): no file is used, %s", module.path, build_id, _PROOFS[module.status])


def _apply_choice(module: LoadedModule, memory: ProcessMemory, status: ModuleStatus, image: ElfImage | None) -> None:
    module.status, module.image = status, image
    if image is not None:
        module.build_id = module.build_id or image.build_id
        module.bias = module.bias if module.bias is not None else guess_bias(module, image)
        if module.bias is not None:
            top = max((s.end for s in image.segments if s.type == PT_LOAD), default=0)
            module.end = max(module.end, min(module.bias + top, module.end + (1 << 32)))
    elif module.header is not None and module.bias is not None:
        # The core itself may hold the text (coredump_filter 0x7f, some minimal dumpers).
        in_core = image_in_memory(memory, module.header, module.segments, module.bias)
        table = in_core.frame_table_segment
        module.image = in_core if table is not None and in_core.locate(table.vaddr) else None


def _same_machine(module: LoadedModule, image: ElfImage) -> bool:
    return module.header is None or module.header.machine == image.header.machine


def judge_candidate(module: LoadedModule, image: ElfImage, memory: ProcessMemory) -> ModuleStatus:
    """Return the status of a file: how certain it is that this file was mapped."""
    if module.build_id and image.build_id:
        return "verified" if module.build_id == image.build_id else "mismatch"
    if module.header is not None:
        same = module.header == image.header and module.segments == image.segments
        return "header-match" if same else "mismatch"
    return _judge_dynamic(module, image, memory)


def _judge_dynamic(module: LoadedModule, image: ElfImage, memory: ProcessMemory) -> ModuleStatus:
    """Compare the dynamic sections.

    They are written to, so a core without header pages (coredump_filter 0x23) has them.
    """
    bias = guess_bias(module, image)
    dynamic = next((s for s in image.segments if s.type == PT_DYNAMIC), None)
    if bias is None:
        return "mismatch"
    if dynamic is None or dynamic.filesz > 1 << 16:
        return "path-only"
    loaded, stored = memory.read(bias + dynamic.vaddr, dynamic.filesz), image.read(dynamic.vaddr, dynamic.filesz)
    if loaded is None or len(loaded) != len(stored):
        return "path-only"
    word = image.header.word_size
    order = "little" if image.header.order == "<" else "big"
    for at in range(0, len(stored) - 2 * word + 1, 2 * word):
        tag = stored[at : at + word]
        if tag != loaded[at : at + word]:
            return "mismatch"
        fixed = int.from_bytes(tag, order) in LINK_TIME_TAGS  # type: ignore[arg-type]
        if fixed and stored[at + word : at + 2 * word] != loaded[at + word : at + 2 * word]:
            return "mismatch"
    return "header-match"


def guess_bias(module: LoadedModule, image: ElfImage) -> int | None:
    """Return the load bias on which the mappings and the file's segments agree; None if they do not fit."""
    if not module.files and module.bias is not None:
        return module.bias  # from the dynamic linker's list
    votes: dict[int, int] = {}
    for file in module.files:
        for segment in image.segments:
            if segment.type == PT_LOAD and segment.offset & -PAGE_BYTES == file.offset:
                bias = file.start - (segment.vaddr & -PAGE_BYTES)
                votes[bias] = votes.get(bias, 0) + 1
    return max(votes, key=lambda b: (votes[b], -abs(b))) if votes else None
