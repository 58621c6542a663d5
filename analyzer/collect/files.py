"""Files on the node: what a pattern names, what a process writes to, the rotated kin of a log."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from analyzer.collect.parcel import SLOW, Parcel
from analyzer.collect.patience import with_patience

_DATE = r"20\d\d-?\d\d-?\d\d(?:[-_T.]?\d\d[-:\d]*)?"
_PACKED = r"\.(?:gz|xz|bz2|zst|lz4)"
# logrotate with and without dateext, Python's RotatingFileHandler and TimedRotatingFileHandler, savelog
_BEHIND = re.compile(rf"(?:[.-](?:\d{{1,3}}|{_DATE}|old))(?:{_PACKED})?$|{_PACKED}$")
_BEFORE_SUFFIX = re.compile(rf"(?:\.\d{{1,3}}|[.-]{_DATE})(?=\.\w{{1,5}}(?:{_PACKED})?$)")


def find_files(parcel: Parcel, option: str, pattern: str) -> list[Path]:
    """Regular files only; a folder stands for all files in it. Where there are none, the manifest says why."""
    found: list[Path] = []
    try:
        found.extend(with_patience(match_files(pattern), SLOW))
    except OSError as error:
        parcel.lack(f"{option} {pattern}", error.strerror or str(error))
        return found
    if not found:
        parcel.lack(f"{option} {pattern}", _why_none(pattern))
    return found


def match_files(pattern: str) -> Iterator[Path]:
    """In the order of their names. `os.path` says no where pathlib before Python 3.14 raises: a folder that may not be
    entered."""
    pattern = os.path.expanduser(pattern)  # noqa: PTH111
    if os.path.isdir(pattern):  # noqa: PTH112
        pattern = os.path.join(pattern, "**", "*")  # noqa: PTH118
    yield from sorted(path for path in map(Path, glob.iglob(pattern, recursive=True)) if is_file(path))  # noqa: PTH207


def is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113


def _why_none(pattern: str) -> str:
    """Whether the deepest folder that the pattern names without a wildcard may be listed at all."""
    folder = os.path.dirname(os.path.abspath(os.path.expanduser(pattern)))  # noqa: PTH100, PTH111, PTH120
    while glob.has_magic(folder) or not os.path.isdir(folder):  # noqa: PTH112
        folder = os.path.dirname(folder)  # noqa: PTH120
    return "no such file" if os.access(folder, os.R_OK | os.X_OK) else f"Permission denied: {folder}"


def written_by(pid: int) -> Iterator[Path]:
    """Regular files that the process's standard output and error lead to, and what it holds open to append to."""
    for link in list_folder(Path(f"/proc/{pid}/fd")):
        try:
            path = Path(os.readlink(link))  # noqa: PTH115
            flags = _flags(pid, link.name)
        except OSError:
            continue
        if (link.name in ("1", "2") or flags & os.O_APPEND) and is_file(path):
            yield path


def rotated_of(paths: Iterable[Path]) -> Iterator[Path]:
    """`worker.log.1`, `worker.log-20261120.gz`, `worker.2026-11-20.log`: what was rotated of them, newest first."""
    wanted: dict[Path, set[str]] = {}
    for path in paths:
        wanted.setdefault(path.parent, set()).add(path.name)
    found = [
        path
        for folder, names in wanted.items()
        for path in list_folder(folder)
        if path.name not in names and _bases(path.name) & names and is_file(path)
    ]
    yield from sorted(found, key=changed_at, reverse=True)


def _bases(name: str) -> set[str]:
    """What a rotated log of this name may have been called while it was written."""
    bare = re.sub(rf"{_PACKED}$", "", name)
    return {bare, _BEHIND.sub("", bare), _BEFORE_SUFFIX.sub("", bare)} - {name}


def list_folder(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def changed_at(path: Path) -> float:
    """Seconds since the epoch; 0 for one that is gone."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def is_packed(path: Path) -> bool:
    return re.search(rf"{_PACKED}$", path.name) is not None


def _flags(pid: int, descriptor: str) -> int:
    text = Path(f"/proc/{pid}/fdinfo/{descriptor}").read_text()
    found = re.search(r"^flags:\s+([0-7]+)", text, re.M)
    return int(found[1], 8) if found else 0
