"""From inputs to members: one pass over archives, folders and files, each opened by what its first bytes show."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from analyzer.bundle.archive import Entry
from analyzer.bundle.compression import decompress, detect_compression
from analyzer.bundle.folder import name_kind, open_regular, walk_folder
from analyzer.bundle.meter import Meter, Watcher, ignore
from analyzer.bundle.names import Names, find_escape, make_printable, tidy_name
from analyzer.bundle.stream import Stream, open_file
from analyzer.bundle.tar_archive import read_tar
from analyzer.bundle.tar_header import BLOCK, is_header
from analyzer.bundle.types import DEFAULT_LIMITS, DamageError, LimitReachedError, Limits, Loss, Member, StoppedError
from analyzer.bundle.zip_archive import is_zip, read_zip
from analyzer.bundle.zip_seek import open_seekable
from analyzer.errors import InputError

_TAR_NAME = (".tar", ".tgz", ".tbz2", ".txz", ".tzst")
_MOST_LAYERS = 4  # x.gz.gz.gz.gz
_HINT = "Give a tarball, a .zip, a folder, or a single log or core file."


@dataclass(frozen=True, slots=True)
class Place:
    """A file of an input, not yet opened. `given`: it is itself an input, so that a link is followed.

    `label` is where it stands in the bundle: empty if it is the bundle.
    """

    path: Path
    label: str
    name: str  # for messages, where `label` is empty
    given: bool = False


@dataclass(frozen=True, slots=True)
class _Intake:
    """What is shared by all that one call opens."""

    limits: Limits
    scratch: Path | None
    meter: Meter
    names: Names = field(default_factory=Names)


@dataclass(frozen=True, slots=True)
class _Found:
    """A stream on its way to become a member, or an archive to look into. An empty `path` is the bundle itself."""

    path: str
    name: str  # for messages, where `path` is empty
    stream: Stream
    size: int | None
    mtime: float | None
    depth: int = 0
    local: Path | None = None


def open_bundle(
    inputs: Sequence[Path], limits: Limits = DEFAULT_LIMITS, scratch: Path | None = None
) -> Iterator[Member | Loss]:
    """All members of all inputs, as they come, and every name that is not read with the reason.

    Members are valid until the next is asked for and need not be read. `scratch` is a private folder of the caller's,
    used for zips inside archives over `limits.nested_memory`. Raises InputError if no input can be opened, here, or if
    none holds a single member, at the end.
    """
    return check_members(inputs, open_places(list_places(inputs), limits, scratch))


def list_places(inputs: Sequence[Path]) -> Iterator[Place | Loss]:
    """The files of all inputs, unopened, in the order in which they are read, and what cannot be listed.

    One input gives paths as they stand inside it; of several, each path begins with its input's name. Raises
    InputError, here, if no input can be opened.
    """
    problems = {path: problem for path in inputs if (problem := _check_input(path))}
    if len(problems) == len(set(inputs)):
        raise InputError("\n".join(problems.values()) or "no input was given", _HINT)
    return _list_inputs(inputs, problems)


def open_places(
    places: Iterable[Place | Loss],
    limits: Limits = DEFAULT_LIMITS,
    scratch: Path | None = None,
    watch: Watcher = ignore,
) -> Iterator[Member | Loss]:
    """What is in the files, as `open_bundle` gives it.

    `watch` is told of all bytes that are taken from the disk; where it raises StoppedError, nothing more is read and
    every file that is left over is a Loss.
    """
    intake = _Intake(limits, scratch, Meter(limits, watch))
    for place in places:
        try:
            intake.meter.catch_up()
            if isinstance(place, Loss):
                yield Loss(intake.names.claim(place.path), place.size, place.reason, place.status)
            else:
                if not place.given:
                    intake.meter.count_member()
                yield from _read_file(place.path, place.label, place.name, intake, place.given)
        except StoppedError:
            name = place.path if isinstance(place, Loss) else place.name
            yield Loss(intake.names.claim(make_printable(name)), None, "not read: the reading was stopped", "skipped")
        except LimitReachedError as limit:
            name = place.path if isinstance(place, Loss) else place.name
            yield Loss(intake.names.claim(make_printable(name)), None, f"the rest is not read: {limit}", "skipped")
            return


def check_members(inputs: Sequence[Path], found: Iterable[Member | Loss]) -> Iterator[Member | Loss]:
    """The same; raises InputError at the end where there was no member."""
    members, first_loss = 0, None
    for item in found:
        members += isinstance(item, Member)
        if first_loss is None and isinstance(item, Loss):
            first_loss = item
        yield item
    if not members:
        reason = f": {first_loss.path}: {first_loss.reason}" if first_loss else ""
        names = ", ".join(make_printable(str(path)) for path in inputs)
        raise InputError(f"nothing in {names} can be read{reason}", _HINT)


def _check_input(path: Path) -> str | None:
    """Why an input cannot be read, or None."""
    name = make_printable(str(path))
    try:
        if path.is_dir():
            return None if next(path.iterdir(), None) else f"{name}: the folder is empty"
        kind = name_kind(path.stat().st_mode)
        if kind:
            return f"{name}: {kind}, not a file"
        descriptor, status = open_regular(path, follow=True)
        os.close(descriptor)
    except OSError as error:
        return f"{name}: {error.strerror}"
    except ValueError:  # a NUL in the name
        return f"{name}: not a file name"
    return None if status.st_size else f"{name}: the file is empty"


def _list_inputs(inputs: Sequence[Path], problems: Mapping[Path, str]) -> Iterator[Place | Loss]:
    for path, label in _label_inputs(inputs).items():
        if problem := problems.get(path):
            yield Loss(label or path.name, None, problem)
        elif not path.is_dir():
            yield Place(path, label, path.name, given=True)
        else:
            for below, file, unlisted in walk_folder(path):
                name = f"{label}/{below}".strip("/")
                yield Loss(make_printable(name or path.name), None, unlisted) if unlisted else Place(file, name, name)


def _label_inputs(inputs: Sequence[Path]) -> dict[Path, str]:
    """What the paths of each input begin with: nothing for one alone, else its name, or more where names are equal."""
    distinct = list(dict.fromkeys(path.absolute() for path in inputs))
    if len(distinct) == 1:
        return {inputs[0]: ""}
    by_name = {path.name for path in distinct}
    root = "" if len(by_name) == len(distinct) else os.path.commonpath([path.parent for path in distinct])
    given = {path.absolute(): path for path in reversed(inputs)}
    return {given[path]: str(path.relative_to(root)) if root else path.name for path in distinct}


def _read_file(path: Path, label: str, name: str, intake: _Intake, follow: bool = False) -> Iterator[Member | Loss]:
    try:
        kind = None if follow else name_kind(path.lstat().st_mode)
        if kind:
            yield Loss(intake.names.claim(make_printable(name)), None, kind, "skipped")
            return
        descriptor, status = open_regular(path, follow)
    except OSError as error:
        yield Loss(intake.names.claim(make_printable(name)), None, f"it cannot be opened: {error.strerror}")
        return
    intake.meter.count_input(status.st_size)
    with os.fdopen(descriptor, "rb", buffering=0) as file, open_file(file, status.st_size, intake.meter.take) as stream:
        printable = make_printable(label), make_printable(name)
        found = _Found(*printable, stream, status.st_size, status.st_mtime, 0 if follow else 1, path)
        yield from _open_found(found, intake)


def _open_found(found: _Found, intake: _Intake) -> Iterator[Member | Loss]:
    """A member of `found`, or all that lies in it if it is an archive."""
    archived = found
    for _ in range(_MOST_LAYERS):
        compression = detect_compression(found.stream.peek(16))
        if not compression:
            break
        stream = decompress(compression, found.stream, intake.meter)
        found = _Found(found.path, found.name, stream, None, found.mtime, found.depth)
    head = found.stream.peek(BLOCK)
    if not head and found.stream.damage:
        yield Loss(_claim(found, intake), archived.size, str(found.stream.damage))
    elif is_header(head) or _is_empty_tar(head, found):
        entries = read_tar(found.stream, intake.meter)
        yield from _open_archive(entries, found, lambda: found.stream.position, intake)
    elif is_zip(head):
        yield from _open_zip(found, intake)
    else:
        yield Member(_claim(found, intake), found.size, found.mtime, found.stream, found.local)
    found.stream.close()


def _is_empty_tar(head: bytes, found: _Found) -> bool:
    """Only the name can tell an archive without members from a file of zeros."""
    return len(head) == BLOCK and not any(head) and any(end in found.name.lower() for end in _TAR_NAME)


def _open_zip(found: _Found, intake: _Intake) -> Iterator[Member | Loss]:
    try:
        with open_seekable(found.stream, found.local, intake.meter, intake.scratch) as file:
            yield from _open_archive(read_zip(file, intake.meter), found, file.tell, intake)
    except DamageError as damage:
        yield Loss(_claim(found, intake), found.size, str(damage))


def _open_archive(
    entries: Iterator[Entry], found: _Found, tell: Callable[[], int], intake: _Intake
) -> Iterator[Member | Loss]:
    limits = intake.limits
    if found.depth > limits.depth:
        reason = f"archives inside archives are followed {limits.depth} deep (limit: depth)"
        yield Loss(_claim(found, intake), found.size, reason, "skipped")
        return
    empty = True
    try:
        for entry in entries:
            empty = False
            intake.meter.count_member()
            yield from _open_entry(entry, found, intake)
    except DamageError as damage:
        verb = "is read up to" if isinstance(damage, LimitReachedError) else "ends after"
        reason = f"the archive {verb} {tell():,} bytes: {damage}"
        yield Loss(_claim(found, intake), found.size, reason)
        return
    if empty:
        yield Loss(_claim(found, intake), found.size, "the archive is empty", "skipped")


def _open_entry(entry: Entry, archive: _Found, intake: _Intake) -> Iterator[Member | Loss]:
    if entry.stream is None and not entry.reason:
        return  # a folder
    name = tidy_name(entry.name)
    longest = intake.limits.name_length
    printable = make_printable(name[:longest])
    path = f"{archive.path}/{printable}".strip("/")
    reason, status = entry.reason or find_escape(name), entry.status
    if len(name) > longest:
        reason, status = f"its name is longer than {longest:,} characters (limit: name_length)", "skipped"
    if reason or entry.stream is None:
        yield Loss(intake.names.claim(path), entry.size, reason or "", status)
        return
    yield from _open_found(_Found(path, path, entry.stream, entry.size, entry.mtime, archive.depth + 1), intake)


def _claim(found: _Found, intake: _Intake) -> str:
    return intake.names.claim(found.path or found.name)
