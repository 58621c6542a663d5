"""Files on the node: what a pattern names, what a process writes to, the rotated kin of a log."""

from __future__ import annotations

import fnmatch
import glob
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from analyzer.collect.parcel import SLOW, Parcel
from analyzer.collect.patience import with_patience
from analyzer.collect.reach import Entry, is_file, is_folder, list_folder, look
from analyzer.collect.rights import NO_USERS, Users, users_of

MAX_DEPTH = 64  # folders that `**` goes down
MAX_MATCHES = 100_000  # of one pattern
_DATE = r"20\d\d-?\d\d-?\d\d(?:[-_T.]?\d\d[-:\d]*)?"
_PACKED = r"\.(?:gz|xz|bz2|zst|lz4)"
# logrotate with and without dateext, Python's RotatingFileHandler and TimedRotatingFileHandler, savelog
_BEHIND = re.compile(rf"(?:[.-](?:\d{{1,3}}|{_DATE}|old))(?:{_PACKED})?$|{_PACKED}$")
_BEFORE_SUFFIX = re.compile(rf"(?:\.\d{{1,3}}|[.-]{_DATE})(?=\.\w{{1,5}}(?:{_PACKED})?$)")


def find_files(parcel: Parcel, option: str, pattern: str) -> list[Path]:
    """Regular files only; a folder stands for all files in it. Where there are none, the manifest says why."""
    found: list[Path] = []
    try:
        for path in with_patience(match_files(pattern), SLOW):
            if len(found) == MAX_MATCHES:
                parcel.lack(f"{option} {pattern}", f"only the first {MAX_MATCHES} files were looked at")
                break
            found.append(path)
            if parcel.seconds_left <= 0:
                raise TimeoutError("the time limit is reached")
    except OSError as error:
        parcel.lack(f"{option} {pattern}", error.strerror or str(error))
    if not found:
        parcel.lack(f"{option} {pattern}", _why_none(pattern))
    return sorted(found)


def match_files(pattern: str, users: Users = NO_USERS) -> Iterator[Path]:
    """As glob.iglob, no version of which follows a link only as far as its owner could (`reach`)."""
    pattern = os.path.expanduser(pattern)  # noqa: PTH111
    if pattern and is_folder(Path(pattern), users):
        base, parts = Path(pattern), ["**", "*"]
    else:
        base, parts = Path("/" if pattern.startswith("/") else ""), [part for part in pattern.split("/") if part]
    for path in _expand(base, parts, users) if parts else ():
        if is_file(path, users):
            yield path


def _expand(base: Path, parts: Sequence[str], users: Users) -> Iterator[Path]:
    """What the parts of a pattern stand for below `base`. A last part without a wildcard need not be there."""
    if not parts:
        yield base
    elif parts[0] == "**":
        for folder in _descend(base, users):
            yield from _expand(folder, parts[1:], users)
    elif glob.has_magic(parts[0]):
        for entry in list_folder(base, users):
            if fnmatch.fnmatchcase(entry.name, parts[0]) and (_is_shown(entry) or parts[0].startswith(".")):
                yield from _expand(base / entry.name, parts[1:], users)
    else:
        yield from _expand(base / parts[0], parts[1:], users)


def _descend(base: Path, users: Users) -> Iterator[Path]:
    """`base` and the folders below it. As in bash, and unlike in glob, `**` follows no links: one to `/` would do."""
    waiting = [(base, 0)]
    while waiting:
        folder, depth = waiting.pop()
        yield folder
        if depth < MAX_DEPTH:
            below = [entry.name for entry in list_folder(folder, users) if entry.is_folder and _is_shown(entry)]
            waiting += [(folder / name, depth + 1) for name in reversed(below)]


def _is_shown(entry: Entry) -> bool:
    return not entry.name.startswith(".")


def _why_none(pattern: str) -> str:
    """Whether the deepest folder that the pattern names without a wildcard may be listed at all."""
    folder = os.path.dirname(os.path.abspath(os.path.expanduser(pattern)))  # noqa: PTH100, PTH111, PTH120
    while glob.has_magic(folder) or not os.path.isdir(folder):  # noqa: PTH112
        folder = os.path.dirname(folder)  # noqa: PTH120
    return "no such file" if os.access(folder, os.R_OK | os.X_OK) else f"Permission denied: {folder}"


def written_by(pid: int) -> dict[Path, Users]:
    """Regular files that the process's standard output and error lead to, and what it holds open to append to.

    Its user chose them, and may not be allowed to read what he appends to.
    """
    users, found = users_of(pid), {}
    for entry in list_folder(Path(f"/proc/{pid}/fd")):
        link = Path(f"/proc/{pid}/fd/{entry.name}")
        try:
            path = Path(os.readlink(link))  # noqa: PTH115
            flags = _flags(pid, link.name)
        except OSError:
            continue
        if (link.name in ("1", "2") or flags & os.O_APPEND) and is_file(path, users):
            found[path] = users
    return found


def rotated_of(paths: Mapping[Path, Users]) -> dict[Path, Users]:
    """`worker.log.1`, `worker.log-20261120.gz`, `worker.2026-11-20.log`: what was rotated of them, newest first.

    Whoever had a say in a path has it in those beside it.
    """
    wanted: dict[tuple[Path, Users], set[str]] = {}
    for path, users in paths.items():
        wanted.setdefault((path.parent, users), set()).add(path.name)
    found = {
        folder / entry.name: users
        for (folder, users), names in wanted.items()
        for entry in list_folder(folder, users)
        if entry.name not in names and _bases(entry.name) & names and is_file(folder / entry.name, users)
    }
    return dict(sorted(found.items(), key=lambda item: changed_at(*item), reverse=True))


def _bases(name: str) -> set[str]:
    """What a rotated log of this name may have been called while it was written."""
    bare = re.sub(rf"{_PACKED}$", "", name)
    return {bare, _BEHIND.sub("", bare), _BEFORE_SUFFIX.sub("", bare)} - {name}


def changed_at(path: Path, users: Users = NO_USERS) -> float:
    """Seconds since the epoch; 0 for one that is gone, or out of reach."""
    try:
        return look(path, users).st_mtime
    except OSError:
        return 0.0


def is_packed(path: Path) -> bool:
    return re.search(rf"{_PACKED}$", path.name) is not None


def _flags(pid: int, descriptor: str) -> int:
    text = Path(f"/proc/{pid}/fdinfo/{descriptor}").read_text()
    found = re.search(r"^flags:\s+([0-7]+)", text, re.M)
    return int(found[1], 8) if found else 0
