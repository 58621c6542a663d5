"""Logs: those that are asked for with their rotated kin, those that a process writes to, huge ones in part."""

from __future__ import annotations

import glob
import os
import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from analyzer.collect.parcel import Parcel, Piece
from analyzer.collect.wish import Wish

HEAD = 256 * 1024  # bytes: a log's first lines say who wrote it, with which versions and which TF_CONFIG
STEP = 64 * 1024
_ROTATED = re.compile(r"[.-](?:\d{1,3}|20\d{6}(?:-?\d+)?|old)(?:\.(?:gz|xz|bz2|zst|lz4))?$|\.(?:gz|xz|bz2|zst|lz4)$")
_STAMP = re.compile(rb"\b(20\d\d)[-/]?(\d\d)[-/]?(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,]\d+)?(Z|\+00:?00)?")


def collect_logs(parcel: Parcel, wish: Wish) -> None:
    for pattern in wish.logs:
        found = list(find_files(pattern))
        if not found:
            parcel.lack(f"--log {pattern}", "no such file")
    paths = dict.fromkeys(path for pattern in wish.logs for path in find_files(pattern))
    paths.update(dict.fromkeys(path for pid in wish.pids for path in written_by(pid)))
    for path in _with_rotated(paths):
        if wish.since is None or _changed(path) >= wish.since:
            size = _size(path)
            add_log(parcel, path, size, wish)


def add_log(parcel: Parcel, path: Path, size: int, wish: Wish, folder: str = "logs") -> None:
    limit = min(wish.bounds.log, max(parcel.room // 4, STEP))
    pieces = choose_pieces(path, size, limit, wish.since) if size > limit and not _is_packed(path) else None
    parcel.add_file(f"{folder}/{path.name}", path, pieces)


def find_files(pattern: str) -> Iterator[Path]:
    """Regular files only; a folder stands for all files in it."""
    pattern = os.path.expanduser(pattern)  # noqa: PTH111
    if Path(pattern).is_dir():
        pattern = str(Path(pattern) / "**" / "*")
    for name in sorted(glob.iglob(pattern, recursive=True)):  # noqa: PTH207  (the pattern may be absolute)
        if Path(name).is_file():
            yield Path(name)


def written_by(pid: int) -> Iterator[Path]:
    """Regular files that the process's standard output and error lead to, and what it holds open to append to."""
    for link in _list(f"/proc/{pid}/fd"):
        try:
            path = Path(os.readlink(link))  # noqa: PTH115
            flags = _flags(pid, link.name)
        except OSError:
            continue
        if (link.name in ("1", "2") or flags & os.O_APPEND) and path.is_file():
            yield path


def choose_pieces(path: Path, size: int, limit: int, since: float | None) -> list[Piece]:
    """Head and tail, `limit` bytes together; with `since`, from there on instead of the tail. Pieces begin at lines."""
    head = min(HEAD, limit // 4)
    rest = limit - head
    try:
        with path.open("rb") as file:
            start = size - rest if since is None else min(_seek_time(file, size, since), size - 1)
            file.seek(max(start, head))
            skipped = file.readline(STEP) if start > 0 else b""
            file.seek(head - 1)
            head += len(file.readline(STEP)) - 1
    except OSError:
        return [(0, limit)]
    start = max(start + len(skipped), head)
    return [(0, head), (start, _whole_lines(path, start, min(rest, size - start), size))]


def _whole_lines(path: Path, start: int, length: int, size: int) -> int:
    """The length of a piece without the line that it would cut in two."""
    if start + length >= size:
        return length
    step = min(STEP, length)
    try:
        with path.open("rb") as file:
            file.seek(start + length - step)
            return length - step + file.read(step).rfind(b"\n") + 1
    except OSError:
        return length


def _seek_time(file: IO[bytes], size: int, since: float) -> int:
    """The offset of a line of about that time, by halving: a log of 100 GB is not read for it."""
    low, high = 0, size
    while high - low > STEP:
        middle = (low + high) // 2
        time_there = _time_at(file, middle)
        if time_there is None or time_there >= since:
            high = middle
        else:
            low = middle
    return low


def _time_at(file: IO[bytes], offset: int) -> float | None:
    file.seek(offset)
    found = _STAMP.search(file.read(STEP))
    if not found:
        return None
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    try:
        local = time.mktime((year, month, day, hour, minute, second, 0, 0, -1))
        return local if not found[7] else local + time.localtime(local).tm_gmtoff
    except (OverflowError, ValueError):
        return None


def _with_rotated(paths: Iterable[Path]) -> Iterator[Path]:
    """`worker.log.1`, `worker.log-20261120.gz`: what logrotate and TensorFlow's users make of a log, oldest first."""
    seen: dict[Path, None] = {}
    for path in paths:
        kin = [each for each in _list(str(path.parent)) if each.name.startswith(path.name)]
        rotated = [each for each in kin if _ROTATED.fullmatch(each.name[len(path.name) :]) and each.is_file()]
        seen.update(dict.fromkeys([*sorted(rotated, key=_changed), path]))
    yield from seen


def _list(folder: str) -> list[Path]:
    try:
        return sorted(Path(folder).iterdir())
    except OSError:
        return []


def _flags(pid: int, descriptor: str) -> int:
    text = Path(f"/proc/{pid}/fdinfo/{descriptor}").read_text()
    found = re.search(r"^flags:\s+([0-7]+)", text, re.M)
    return int(found[1], 8) if found else 0


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _is_packed(path: Path) -> bool:
    return path.name.endswith((".gz", ".xz", ".bz2", ".zst", ".lz4"))
