"""A loaded object and the set of them, by address."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from analyzer.cores.elf import Header, Segment
from analyzer.cores.images import Image
from analyzer.cores.notes import MappedFile
from analyzer.cores.words import ModuleStatus

DELETED = " (deleted)"


@dataclass(slots=True)
class Module:
    """A loaded object; `image` only when its file is usable."""

    path: str
    start: int
    end: int
    bias: int | None = None
    build_id: str | None = None
    status: ModuleStatus = "missing"
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
