"""A loaded object and the set of them, by address."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from analyzer.core_dump import ModuleStatus
from analyzer.cores.elf.headers import ElfHeader, ElfSegment
from analyzer.cores.elf.images import ElfImage
from analyzer.cores.elf.notes import MappedFile

DELETED_SUFFIX = " (deleted)"


@dataclass(slots=True)
class LoadedModule:
    """A loaded object.

    `image` is set only if its file is usable; `bias` is address minus virtual address in the file.
    """

    path: str
    start: int
    end: int
    bias: int | None = None
    build_id: str | None = None
    status: ModuleStatus = "missing"
    image: ElfImage | None = None
    header: ElfHeader | None = None
    segments: list[ElfSegment] = field(default_factory=list)
    files: list[MappedFile] = field(default_factory=list)
    is_main: bool = False

    @property
    def name(self) -> str:
        return self.path.removesuffix(DELETED_SUFFIX).rsplit("/", 1)[-1]


@dataclass(slots=True)
class ModuleMap:
    """All modules by address."""

    modules: list[LoadedModule]
    problems: list[str] = field(default_factory=list)
    _starts: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.modules.sort(key=lambda m: m.start)
        self._starts = [m.start for m in self.modules]

    def find_module(self, address: int) -> LoadedModule | None:
        index = bisect_right(self._starts, address) - 1
        return self.modules[index] if index >= 0 and address < self.modules[index].end else None

    @property
    def main(self) -> LoadedModule | None:
        return next((m for m in self.modules if m.is_main), None)
