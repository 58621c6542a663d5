"""Logs: those that are asked for with their rotated kin, those that a process writes to, huge ones in part."""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from pathlib import Path
from typing import IO

from analyzer.collect.files import find_files, is_packed, rotated_of, written_by
from analyzer.collect.parcel import SLOW, Parcel, Piece
from analyzer.collect.patience import wait_for
from analyzer.collect.reach import open_file
from analyzer.collect.rights import NO_USERS, Users
from analyzer.collect.wish import Wish

HEAD = 256 * 1024  # bytes: a log's first lines say who wrote it, with which versions and which TF_CONFIG
STEP = 64 * 1024
_STAMP = re.compile(rb"\b(20\d\d)[-/]?(\d\d)[-/]?(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,]\d+)?(Z|\+00:?00)?")


def collect_logs(parcel: Parcel, wish: Wish) -> None:
    """What is written to now comes first, what was rotated long ago last: a limit then costs the least."""
    paths: dict[Path, Users] = {}
    for pattern in wish.logs:
        paths.update(dict.fromkeys(find_files(parcel, "--log", pattern), NO_USERS))
    for pid in wish.pids:
        paths = {**paths, **written_by(pid), **paths}  # a path that we were given is our own word
    every = {**paths, **rotated_of(paths), **paths}
    times = Counter(path.name for path in every)
    for path, users in every.items():
        # worker-0/out.log and worker-1/out.log: the folder says whose it is
        add_log(parcel, path, wish, "logs" if times[path.name] == 1 else f"logs/{path.parent.name}", users)


def add_log(parcel: Parcel, path: Path, wish: Wish, folder: str = "logs", users: Users = NO_USERS) -> None:
    """Whole where it is small. A packed one cannot be read from its middle: one that is huge stays where it is."""
    limit = min(wish.bounds.log, max(parcel.room // 4, STEP))
    pieces = None
    try:
        with wait_for(lambda: open_file(path, users), SLOW) as file:
            status = os.fstat(file.fileno())
            if wish.since is not None and status.st_mtime < wish.since:
                parcel.lack(str(path), "not changed since --since")
                return
            size = status.st_size
            if size > limit and is_packed(path):
                parcel.lack(str(path), f"packed, and its {size} bytes are over --max-log")
                return
            if size > limit:
                pieces = wait_for(lambda: choose_pieces(file, size, limit, wish.since), SLOW)
            parcel.add_file(f"{folder}/{path.name}", path, file, pieces)
    except OSError as error:
        parcel.lack(str(path), error.strerror or str(error))


def choose_pieces(file: IO[bytes], size: int, limit: int, since: float | None) -> list[Piece]:
    """Head and tail, `limit` bytes together; with `since`, from there on instead of the tail. Pieces begin at lines."""
    head = min(HEAD, limit // 4)
    rest = limit - head
    try:
        start = size - rest if since is None else min(_seek_time(file, size, since), size - 1)
        skipped = len(_line_at(file, max(start, head))) if start > 0 else 0
        head += len(_line_at(file, head - 1)) - 1
    except OSError:
        return [(0, limit)]
    start = max(start + skipped, head)
    return [(0, head), (start, _whole_lines(file, start, min(rest, size - start), size))]


def _line_at(file: IO[bytes], start: int) -> bytes:
    """From there to the end of the line, or of what is looked at."""
    file.seek(start)
    data = file.read(STEP)
    return data[: data.find(b"\n") + 1] or data


def _whole_lines(file: IO[bytes], start: int, length: int, size: int) -> int:
    """The length of a piece without the line that it would cut in two."""
    if start + length >= size:
        return length
    step = min(STEP, length)
    try:
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
