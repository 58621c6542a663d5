"""Logs: those that are asked for with their rotated kin, those that a process writes to, huge ones in part."""

from __future__ import annotations

import re
import time
from collections import Counter
from pathlib import Path
from typing import IO

from analyzer.collect.files import changed_at, find_files, is_packed, rotated_of, written_by
from analyzer.collect.parcel import SLOW, Parcel, Piece
from analyzer.collect.patience import wait_for
from analyzer.collect.wish import Wish

HEAD = 256 * 1024  # bytes: a log's first lines say who wrote it, with which versions and which TF_CONFIG
STEP = 64 * 1024
_STAMP = re.compile(rb"\b(20\d\d)[-/]?(\d\d)[-/]?(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,]\d+)?(Z|\+00:?00)?")


def collect_logs(parcel: Parcel, wish: Wish) -> None:
    """What is written to now comes first, what was rotated long ago last: a limit then costs the least."""
    paths: dict[Path, None] = {}
    for pattern in wish.logs:
        paths.update(dict.fromkeys(find_files(parcel, "--log", pattern)))
    paths.update(dict.fromkeys(path for pid in wish.pids for path in written_by(pid)))
    every = list(dict.fromkeys([*paths, *rotated_of(paths)]))
    times = Counter(path.name for path in every)
    for path in every:
        if wish.since is None or changed_at(path) >= wish.since:
            # worker-0/out.log and worker-1/out.log: the folder says whose it is
            add_log(parcel, path, wish, "logs" if times[path.name] == 1 else f"logs/{path.parent.name}")
        else:
            parcel.lack(str(path), "not changed since --since")


def add_log(parcel: Parcel, path: Path, wish: Wish, folder: str = "logs") -> None:
    """Whole where it is small. A packed one cannot be read from its middle: one that is huge stays where it is."""
    limit = min(wish.bounds.log, max(parcel.room // 4, STEP))
    pieces = None
    try:
        size = path.stat().st_size
        if size > limit and is_packed(path):
            parcel.lack(str(path), f"packed, and its {size} bytes are over --max-log")
            return
        if size > limit:
            pieces = wait_for(lambda: choose_pieces(path, size, limit, wish.since), SLOW)
    except OSError as error:
        parcel.lack(str(path), error.strerror or str(error))
        return
    parcel.add_file(f"{folder}/{path.name}", path, pieces)


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
