"""Cores and binaries of a bundle, kept on the scratch disk until all of it has been read.

A core may come before the binaries that its stacks need, so cores are read last. A binary serves by its build id, by
its path under any `sysroot/` folder, or by its name beside the core.
"""

from __future__ import annotations

import io
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from analyzer import cores
from analyzer.apart import Death, each_apart
from analyzer.cores.words import Core

CORE_BUDGET = 512 << 20  # bytes of a core that are kept on disk when it comes out of an archive
CORES_BUDGET = 4 << 30  # of all waiting cores; beyond, the oldest are read with what has come so far
BINARIES_BUDGET = 8 << 30
SYSROOT = "sysroot"

if TYPE_CHECKING:
    from analyzer.bundle import Member
    from analyzer.cores.slim import Slim


@dataclass(frozen=True, slots=True)
class Shelved:
    """A core that waits to be read, of `size` bytes; `notes` say what of it was dropped."""

    member: str
    size: int
    path: Path
    extracted: bool
    notes: tuple[str, ...] = ()
    dropped: int = 0


@dataclass(slots=True)
class Shelf:
    """`given`: folders with binaries that a person named."""

    scratch: Path
    given: Sequence[Path] = ()
    waiting: list[Shelved] = field(default_factory=list)
    binaries: list[Path] = field(default_factory=list)
    _roots: dict[Path, None] = field(default_factory=dict)
    _stored: int = 0

    def put_core(self, member: Member, stream: Any) -> None:
        """Raises OSError where the scratch disk fails otherwise than by being full."""
        apport = cores.open_apport(stream)
        if member.local is not None and apport is None:
            self.waiting.append(Shelved(member.path, member.size or 0, member.local, False))
            return
        target = self.scratch / f"core-{len(self.waiting)}-{len(list(self.scratch.iterdir()))}"
        kept = cores.extract(apport or stream, target, CORE_BUDGET)
        left = member.stream.left() or 0
        size = member.stream.position + left
        self.waiting.append(Shelved(member.path, size, kept.path, True, kept.notes, left + kept.dropped_bytes))

    def put_binary(self, member: Member, stream: Any) -> str:
        """Keeps an ELF file; says in a sentence what became of it."""
        path = member.local
        if path is None:
            parts = [part for part in PurePosixPath(member.path).parts if part not in ("/", "..")]
            path = self.scratch.joinpath("binaries", *parts)
            try:
                kept = cores.spool(stream, path, BINARIES_BUDGET - self._stored)
            except OSError as error:  # a name that no disk takes, a file where an earlier binary has a folder
                return f"a binary that could not be kept on the scratch disk ({error.strerror}): it helps with no core"
            if kept is None:
                return "a binary for which there is no room on the scratch disk: it does not help to read cores"
            self._stored += kept
        self.binaries.append(path)
        for folder in path.parents:
            if folder.name == SYSROOT:
                self._roots[folder] = None
        return "a binary file that is no core dump: it helps to read the stacks of cores"

    def read_early(self) -> Iterator[tuple[Shelved, Core]]:
        """Cores that must go to make room for others."""
        while sum(_disk(one.path) for one in self.waiting if one.extracted) > CORES_BUDGET:
            one = self.waiting.pop(0)
            yield from self._read_apart([one], (self.binaries,))
            if one.extracted:
                one.path.unlink(missing_ok=True)

    def read(
        self, executable: Path | None = None, threads: str = "all", keep: bool = False
    ) -> Generator[tuple[Shelved, Core], None, None]:
        """Every core that waits, until it is given out. `keep`: one that was extracted stays on the scratch disk."""
        waiting = tuple(self.waiting)
        for one, core in self._read_apart(waiting, (self.given, self.binaries), executable, threads):
            self.waiting.pop(0)
            yield one, core
            if one.extracted and not keep:
                one.path.unlink(missing_ok=True)

    def slim(self, executable: Path | None, mask: bool) -> Slim | str:
        """The first core and the modules that its stacks need, to be handed on; a sentence where that cannot be."""
        from analyzer.cores.binaries import Places
        from analyzer.cores.slim import slim_core

        def slim(one: Shelved) -> Slim | str:
            known = _index((self.given, self.binaries))
            places = Places(executable, self._sysroots(one), known=known)
            return slim_core(one.path, places, name=PurePosixPath(one.member).name, mask=mask)

        [(_, made)] = each_apart(self.waiting[:1], slim)
        return str(made) if isinstance(made, Death) else made

    def _read_apart(
        self,
        waiting: Sequence[Shelved],
        places: Sequence[Sequence[Path]],
        executable: Path | None = None,
        threads: str = "all",
    ) -> Iterator[tuple[Shelved, Core]]:
        """In a child: a core is mapped into memory, and may be cut, or its disk fail, in that moment."""
        known = cache(lambda: _index(places))

        def read(one: Shelved) -> Core:
            roots, index = self._sysroots(one), known()
            core = cores.read_core(
                one.path, name=one.member, executable=executable, sysroots=roots, threads=threads, known=index
            )
            return {**core, "problems": [*one.notes, *core["problems"]]}

        for one, core in each_apart(waiting, read):
            if isinstance(core, Death) and not one.extracted and (rest := self._salvage(one)):
                yield from self._read_apart([rest], places, executable, threads)
                rest.path.unlink(missing_ok=True)
                continue
            if isinstance(core, Death):
                core = {**cores.blank_core(one.member), "problems": [*one.notes, str(core)]}
            if not core["facts"]:  # it could not be opened any more, or nobody lived to tell
                one = replace(one, notes=tuple(core["problems"]), dropped=one.size)
            yield one, core

    def _salvage(self, one: Shelved) -> Shelved | None:
        """A private copy of what can still be read of a core, from its begin to where its disk fails."""
        from analyzer.bundle import Member
        from analyzer.bundle.disk import open_file
        from analyzer.bundle.folder import open_regular
        from analyzer.bundle.peek import Peekable

        try:
            descriptor, status = open_regular(one.path, follow=True)
            with io.FileIO(descriptor) as file:
                stream = open_file(file, status.st_size, lambda _: None)
                self.put_core(Member(one.member, status.st_size, None, stream), Peekable(stream))
        except OSError:  # not even its begin, or there is no room
            return None
        return self.waiting.pop()

    def _sysroots(self, one: Shelved) -> tuple[Path, ...]:
        """What a person gave, then the bundle's sysroots, the core's own node first, then the core's folder."""
        beside = self.scratch.joinpath("binaries", *PurePosixPath(one.member).parts[:-1])
        home = beside if one.extracted else one.path.parent
        return (*self.given, *sorted(self._roots, key=lambda root: -_shared(root, home)), home)


def shelve_core(file: Path, scratch: Path, sysroots: Sequence[Path]) -> Shelf:
    """The first core of a file: plain, compressed or in an archive with its binaries. None: the shelf is empty.

    Raises InputError where the file cannot be read.
    """
    shelf = Shelf(scratch, sysroots)
    if _is_plain_core(file):  # the usual case needs nothing of what opens bundles
        shelf.waiting.append(Shelved(file.name, file.stat().st_size, file, False, ()))
        return shelf
    from analyzer.bundle import Limits, Member, open_bundle
    from analyzer.bundle.peek import Peekable

    for member in open_bundle([file], Limits(), scratch):
        if not isinstance(member, Member):
            continue
        stream = Peekable(member.stream)
        head = stream.peek(4096)
        if (cores.is_core(head) or cores.is_apport(head)) and not shelf.waiting:
            shelf.put_core(member, stream)
        elif head.startswith(b"\x7fELF"):
            shelf.put_binary(member, stream)
    return shelf


def _is_plain_core(file: Path) -> bool:
    """A file that cannot be read is none: whoever opens it next says why."""
    try:
        with file.open("rb") as stream:
            return file.is_file() and cores.is_core(stream.read(64))
    except OSError:
        return False


def _index(places: Sequence[Sequence[Path]]) -> dict[str, Path]:
    """Binaries by build id; later places come before earlier ones."""
    return {name: path for some in places for name, path in cores.index_binaries(some).items()}


def _shared(root: Path, home: Path) -> int:
    """How many folders two paths have in common from the top: a node's own sysroot comes first."""
    return next((i for i, (a, b) in enumerate(zip(root.parts, home.parts, strict=False)) if a != b), len(home.parts))


def _disk(path: Path) -> int:
    return path.stat().st_blocks * 512 if path.exists() else 0
