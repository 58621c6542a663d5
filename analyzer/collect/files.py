"""Find files on the node: those of a pattern, those that a process writes to, and the rotated siblings of a log."""

from __future__ import annotations

import fnmatch
import glob
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from analyzer.collect.node_archive import READ_TIMEOUT_S, NodeArchive
from analyzer.collect.rights import NO_USERS, Users, process_users
from analyzer.collect.safe_open import FolderEntry, is_file, is_folder, list_folder, stat_path
from analyzer.collect.timeouts import iterate_with_timeout

MAX_DEPTH = 64  # folders that `**` goes down
MAX_MATCHES = 100_000  # of one pattern
_ROTATION_DATE = r"20\d\d-?\d\d-?\d\d(?:[-_T.]?\d\d[-:\d]*)?"
_COMPRESSED_SUFFIX = r"\.(?:gz|xz|bz2|zst|lz4)"
# logrotate with and without dateext, Python's RotatingFileHandler and TimedRotatingFileHandler, savelog
_ROTATION_SUFFIX = re.compile(
    rf"(?:[.-](?:\d{{1,3}}|{_ROTATION_DATE}|old))(?:{_COMPRESSED_SUFFIX})?$|{_COMPRESSED_SUFFIX}$"
)
_ROTATION_INFIX = re.compile(rf"(?:\.\d{{1,3}}|[.-]{_ROTATION_DATE})(?=\.\w{{1,5}}(?:{_COMPRESSED_SUFFIX})?$)")


def find_files(archive: NodeArchive, option: str, pattern: str) -> list[Path]:
    """Return the regular files that match; a folder stands for all files in it. If there are none, the manifest says
    why.
    """
    paths: list[Path] = []
    try:
        for path in iterate_with_timeout(match_files(pattern), READ_TIMEOUT_S):
            if len(paths) == MAX_MATCHES:
                archive.add_missing(f"{option} {pattern}", f"only the first {MAX_MATCHES} files were considered")
                break
            paths.append(path)
            if archive.seconds_left <= 0:
                raise TimeoutError("the time limit is reached")
    except OSError as error:
        archive.add_missing(f"{option} {pattern}", error.strerror or str(error))
    if not paths:
        archive.add_missing(f"{option} {pattern}", _why_no_match(pattern))
    return sorted(paths)


def match_files(pattern: str, users: Users = NO_USERS) -> Iterator[Path]:
    """Yield the matching files like glob.iglob, but follow a link only as far as its owner could (`safe_open`)."""
    pattern = os.path.expanduser(pattern)  # noqa: PTH111
    if pattern and is_folder(Path(pattern), users):
        base, parts = Path(pattern), ["**", "*"]
    else:
        base, parts = Path("/" if pattern.startswith("/") else ""), [part for part in pattern.split("/") if part]
    for path in _expand_parts(base, parts, users) if parts else ():
        if is_file(path, users):
            yield path


def _expand_parts(base: Path, parts: Sequence[str], users: Users) -> Iterator[Path]:
    """Yield what the parts of a pattern match below `base`. The last part need not exist if it has no wildcard."""
    if not parts:
        yield base
    elif parts[0] == "**":
        for folder in _walk_folders(base, users):
            yield from _expand_parts(folder, parts[1:], users)
    elif glob.has_magic(parts[0]):
        for entry in list_folder(base, users):
            if fnmatch.fnmatchcase(entry.name, parts[0]) and (_is_visible(entry) or parts[0].startswith(".")):
                yield from _expand_parts(base / entry.name, parts[1:], users)
    else:
        yield from _expand_parts(base / parts[0], parts[1:], users)


def _walk_folders(base: Path, users: Users) -> Iterator[Path]:
    """Yield `base` and the folders below it. As in bash, and unlike in glob, `**` follows no links."""
    pending = [(base, 0)]
    while pending:
        folder, depth = pending.pop()
        yield folder
        if depth < MAX_DEPTH:
            below = [entry.name for entry in list_folder(folder, users) if entry.is_folder and _is_visible(entry)]
            pending += [(folder / name, depth + 1) for name in reversed(below)]


def _is_visible(entry: FolderEntry) -> bool:
    return not entry.name.startswith(".")


def _why_no_match(pattern: str) -> str:
    """Return the reason why nothing matched: whether the deepest folder without a wildcard may be listed at all."""
    folder = os.path.dirname(os.path.abspath(os.path.expanduser(pattern)))  # noqa: PTH100, PTH111, PTH120
    while glob.has_magic(folder) or not os.path.isdir(folder):  # noqa: PTH112
        folder = os.path.dirname(folder)  # noqa: PTH120
    return "no such file" if os.access(folder, os.R_OK | os.X_OK) else f"Permission denied: {folder}"


def files_written_by(pid: int) -> dict[Path, Users]:
    """Return the regular files behind the process's standard output and error, and those it has open for appending.

    The process's user chose them, and may not be allowed to read what the process appends to.
    """
    users, users_by_path = process_users(pid), {}
    for entry in list_folder(Path(f"/proc/{pid}/fd")):
        link = Path(f"/proc/{pid}/fd/{entry.name}")
        try:
            path = Path(os.readlink(link))  # noqa: PTH115
            flags = _open_flags(pid, link.name)
        except OSError:
            continue
        if (link.name in ("1", "2") or flags & os.O_APPEND) and is_file(path, users):
            users_by_path[path] = users
    return users_by_path


def rotated_siblings(paths: Mapping[Path, Users]) -> dict[Path, Users]:
    """Return the rotated files of the logs, newest first: `worker.log.1`, `worker.log-20261120.gz`,
    `worker.2026-11-20.log`.

    The users who control a path control its siblings too.
    """
    names_by_folder: dict[tuple[Path, Users], set[str]] = {}
    for path, users in paths.items():
        names_by_folder.setdefault((path.parent, users), set()).add(path.name)
    siblings = {
        folder / entry.name: users
        for (folder, users), names in names_by_folder.items()
        for entry in list_folder(folder, users)
        if entry.name not in names and _unrotated_names(entry.name) & names and is_file(folder / entry.name, users)
    }
    return dict(sorted(siblings.items(), key=lambda item: modified_time(*item), reverse=True))


def _unrotated_names(name: str) -> set[str]:
    """Return the names that a rotated log may have had while it was written."""
    bare = re.sub(rf"{_COMPRESSED_SUFFIX}$", "", name)
    return {bare, _ROTATION_SUFFIX.sub("", bare), _ROTATION_INFIX.sub("", bare)} - {name}


def modified_time(path: Path, users: Users = NO_USERS) -> float:
    """Return the modification time in seconds since the epoch; 0 if the file is gone or not allowed."""
    try:
        return stat_path(path, users).st_mtime
    except OSError:
        return 0.0


def is_compressed(path: Path) -> bool:
    """Return whether the file's name says that it is compressed."""
    return re.search(rf"{_COMPRESSED_SUFFIX}$", path.name) is not None


def _open_flags(pid: int, descriptor: str) -> int:
    text = Path(f"/proc/{pid}/fdinfo/{descriptor}").read_text()
    match = re.search(r"^flags:\s+([0-7]+)", text, re.M)
    return int(match[1], 8) if match else 0
