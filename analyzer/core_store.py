"""Keeps the cores and binaries of a bundle on the scratch disk until the whole bundle has been read.

A core may come before the binaries that its stacks need, so cores are read last. A binary is found by its build id, by
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
from analyzer.core_dump import DEFAULT_DETAIL, CoreDetail, CoreDump
from analyzer.crash_isolation import ChildCrash, map_in_child

CORE_BUDGET_BYTES = 512 << 20  # how much of a core from an archive is kept on disk
ALL_CORES_BUDGET_BYTES = 4 << 30  # of all waiting cores; above it, the oldest are read with the binaries so far
BINARIES_BUDGET_BYTES = 8 << 30
SYSROOT_FOLDER = "sysroot"

if TYPE_CHECKING:
    from analyzer.bundle import Member
    from analyzer.cores.slim.core import SlimCrash


@dataclass(frozen=True, slots=True)
class StoredCore:
    """A core that waits to be read, of `size` bytes. `notes` are sentences on what was dropped."""

    member: str
    size: int
    path: Path
    is_extracted: bool
    notes: tuple[str, ...] = ()
    dropped_bytes: int = 0


@dataclass(slots=True)
class CoreStore:
    """The cores and binaries seen so far. `given_folders` are folders with binaries that a person named."""

    scratch: Path
    given_folders: Sequence[Path] = ()
    waiting: list[StoredCore] = field(default_factory=list)
    binaries: list[Path] = field(default_factory=list)
    _bundle_sysroots: dict[Path, None] = field(default_factory=dict)
    _stored_bytes: int = 0

    def add_core(self, member: Member, stream: Any) -> None:
        """Store a core. Raises OSError if the scratch disk fails in another way than by being full."""
        apport = cores.open_apport(stream)
        if member.local is not None and apport is None:
            self.waiting.append(StoredCore(member.path, member.size or 0, member.local, is_extracted=False))
            return
        target = self.scratch / f"core-{len(self.waiting)}-{len(list(self.scratch.iterdir()))}"
        kept = cores.extract_core(apport or stream, target, CORE_BUDGET_BYTES)
        left = member.stream.bytes_left() or 0
        size = member.stream.position + left
        self.waiting.append(
            StoredCore(
                member=member.path,
                size=size,
                path=kept.path,
                is_extracted=True,
                notes=kept.notes,
                dropped_bytes=left + kept.dropped_bytes,
            )
        )

    def add_binary(self, member: Member, stream: Any) -> str:
        """Store an ELF file. Return a sentence that says what became of it."""
        path = member.local
        if path is None:
            parts = [part for part in PurePosixPath(member.path).parts if part not in ("/", "..")]
            path = self.scratch.joinpath("binaries", *parts)
            try:
                kept = cores.spool_binary(stream, path, BINARIES_BUDGET_BYTES - self._stored_bytes)
            except OSError as error:  # a name that no disk accepts, or a file where an earlier binary has a folder
                return f"a binary that the scratch disk does not take ({error.strerror}): not used to read cores"
            if kept is None:
                return "a binary for which the scratch disk has no room: not used to read cores"
            self._stored_bytes += kept
        self.binaries.append(path)
        for folder in path.parents:
            if folder.name == SYSROOT_FOLDER:
                self._bundle_sysroots[folder] = None
        return "a binary file, used to read the stacks of cores"

    def read_over_budget(self) -> Iterator[tuple[StoredCore, CoreDump]]:
        """Read and yield the oldest cores while the stored ones exceed their budget."""
        while sum(_disk_usage(stored.path) for stored in self.waiting if stored.is_extracted) > ALL_CORES_BUDGET_BYTES:
            stored = self.waiting.pop(0)
            yield from self._read_in_child([stored], (self.binaries,))
            if stored.is_extracted:
                stored.path.unlink(missing_ok=True)

    def read_cores(
        self, executable: Path | None = None, detail: CoreDetail = DEFAULT_DETAIL, keep: bool = False
    ) -> Generator[tuple[StoredCore, CoreDump], None, None]:
        """Read and yield every waiting core. `keep`: do not delete an extracted core from the scratch disk."""
        waiting = tuple(self.waiting)
        places = (self.given_folders, self.binaries)
        for stored, core in self._read_in_child(waiting, places, executable, detail):
            self.waiting.pop(0)
            yield stored, core
            if stored.is_extracted and not keep:
                stored.path.unlink(missing_ok=True)

    def slim_first_core(self, executable: Path | None, mask: bool) -> SlimCrash | str:
        """Return the first core with the modules that its stacks need; a sentence if it cannot be slimmed."""
        from analyzer.cores.elf.binaries import BinaryLocator
        from analyzer.cores.slim.core import slim_core

        def slim(stored: StoredCore) -> SlimCrash | str:
            binaries_by_build_id = _index_binaries((self.given_folders, self.binaries))
            places = BinaryLocator(executable, self._sysroots(stored), by_build_id=binaries_by_build_id)
            return slim_core(stored.path, places, name=PurePosixPath(stored.member).name, mask=mask)

        [(_, result)] = map_in_child(self.waiting[:1], slim)
        return str(result) if isinstance(result, ChildCrash) else result

    def _read_in_child(
        self,
        waiting: Sequence[StoredCore],
        places: Sequence[Sequence[Path]],
        executable: Path | None = None,
        detail: CoreDetail = DEFAULT_DETAIL,
    ) -> Iterator[tuple[StoredCore, CoreDump]]:
        """Read cores in a child process.

        While a core is mapped into memory, it may be truncated or its disk may fail.
        """
        index_binaries = cache(lambda: _index_binaries(places))

        def read(stored: StoredCore) -> CoreDump:
            roots, index = self._sysroots(stored), index_binaries()
            core = cores.read_core(
                stored.path,
                name=stored.member,
                executable=executable,
                sysroots=roots,
                by_build_id=index,
                detail=detail,
            )
            return replace(core, problems=[*stored.notes, *core.problems])

        for stored, core in map_in_child(waiting, read):
            if (
                isinstance(core, ChildCrash)
                and not stored.is_extracted
                and (readable_part := self._copy_readable_part(stored))
            ):
                yield from self._read_in_child([readable_part], places, executable, detail)
                readable_part.path.unlink(missing_ok=True)
                continue
            if isinstance(core, ChildCrash):
                core = CoreDump(file=stored.member, problems=[*stored.notes, str(core)])
            if core.facts.machine is None:  # it could not be opened, or its child process died
                stored = replace(stored, notes=tuple(core.problems), dropped_bytes=stored.size)
            yield stored, core

    def _copy_readable_part(self, stored: StoredCore) -> StoredCore | None:
        """Return a copy of a core up to where its disk fails; None if nothing of it can be read."""
        from analyzer.bundle import Member
        from analyzer.bundle.disk import open_disk_file
        from analyzer.bundle.folder import open_regular_file
        from analyzer.bundle.peek import Peekable

        try:
            descriptor, status = open_regular_file(stored.path, follow=True)
            with io.FileIO(descriptor) as file:
                stream = open_disk_file(file, status.st_size, lambda _: None)
                self.add_core(Member(stored.member, status.st_size, None, stream), Peekable(stream))
        except OSError:  # not even its begin can be read, or there is no room
            return None
        return self.waiting.pop()

    def _sysroots(self, stored: StoredCore) -> tuple[Path, ...]:
        """Return the given folders, the bundle's sysroots (the core's own node first), and the core's folder."""
        beside = self.scratch.joinpath("binaries", *PurePosixPath(stored.member).parts[:-1])
        home = beside if stored.is_extracted else stored.path.parent
        return (*self.given_folders, *sorted(self._bundle_sysroots, key=lambda root: -_common_depth(root, home)), home)


def store_first_core(file: Path, scratch: Path, sysroots: Sequence[Path]) -> CoreStore:
    """Return a store with the first core of a file: plain, compressed or in an archive with its binaries.

    The store is empty if the file has no core. Raises InputError if the file cannot be read.
    """
    store = CoreStore(scratch, sysroots)
    if _is_plain_core(file):  # the usual case, which needs no import of what opens bundles
        store.waiting.append(
            StoredCore(member=file.name, size=file.stat().st_size, path=file, is_extracted=False, notes=())
        )
        return store
    from analyzer.bundle import BundleLimits, Member, open_bundle
    from analyzer.bundle.peek import Peekable

    for member in open_bundle([file], BundleLimits(), scratch):
        if not isinstance(member, Member):
            continue
        stream = Peekable(member.stream)
        head = stream.peek(4096)
        if (cores.is_core(head) or cores.is_apport(head)) and not store.waiting:
            store.add_core(member, stream)
        elif head.startswith(b"\x7fELF"):
            store.add_binary(member, stream)
    return store


def _is_plain_core(file: Path) -> bool:
    """Return whether a file is an uncompressed core; False if it cannot be read, which its next reader reports."""
    try:
        with file.open("rb") as stream:
            return file.is_file() and cores.is_core(stream.read(64))
    except OSError:
        return False


def _index_binaries(places: Sequence[Sequence[Path]]) -> dict[str, Path]:
    """Return binaries by build id; later places take precedence over earlier ones."""
    return {name: path for some in places for name, path in cores.index_binaries(some).items()}


def _common_depth(root: Path, home: Path) -> int:
    """Return how many folders two paths have in common from the top."""
    return next((i for i, (a, b) in enumerate(zip(root.parts, home.parts, strict=False)) if a != b), len(home.parts))


def _disk_usage(path: Path) -> int:
    return path.stat().st_blocks * 512 if path.exists() else 0
