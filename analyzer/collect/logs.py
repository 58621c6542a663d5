"""Collect logs: the requested ones with their rotated siblings, those that a process writes to, huge ones in part."""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from pathlib import Path
from typing import IO

from analyzer.collect.files import files_written_by, find_files, is_compressed, rotated_siblings
from analyzer.collect.node_archive import READ_TIMEOUT_S, FileRange, NodeArchive
from analyzer.collect.request import CollectRequest
from analyzer.collect.rights import NO_USERS, Users
from analyzer.collect.safe_open import open_file
from analyzer.collect.timeouts import call_with_timeout

HEAD_BYTES = 256 * 1024  # bytes: a log's first lines say who wrote it, with which versions and which TF_CONFIG
READ_STEP_BYTES = 64 * 1024
_STAMP = re.compile(rb"\b(20\d\d)[-/]?(\d\d)[-/]?(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,]\d+)?(Z|\+00:?00)?")


def collect_logs(archive: NodeArchive, request: CollectRequest) -> None:
    """Add the logs. Live ones come first and old rotated ones last, so that a limit costs the least."""
    paths: dict[Path, Users] = {}
    for pattern in request.log_patterns:
        paths.update(dict.fromkeys(find_files(archive, "--log", pattern), NO_USERS))
    for pid in request.pids:
        paths = {**paths, **files_written_by(pid), **paths}  # a path that we were given is our own word
    all_paths = {**paths, **rotated_siblings(paths), **paths}
    name_counts = Counter(path.name for path in all_paths)
    for path, users in all_paths.items():
        # worker-0/out.log and worker-1/out.log: the folder says which worker's it is
        add_log(archive, path, request, "logs" if name_counts[path.name] == 1 else f"logs/{path.parent.name}", users)


def add_log(
    archive: NodeArchive, path: Path, request: CollectRequest, folder: str = "logs", users: Users = NO_USERS
) -> None:
    """Add a log, whole if it is small. A compressed log cannot be read from its middle, so a huge one is left out."""
    max_bytes = min(request.limits.max_log_bytes, max(archive.bytes_left // 4, READ_STEP_BYTES))
    ranges = None
    try:
        with call_with_timeout(lambda: open_file(path, users), READ_TIMEOUT_S) as file:
            status = os.fstat(file.fileno())
            if request.since is not None and status.st_mtime < request.since:
                archive.add_missing(str(path), "not changed since --since")
                return
            size = status.st_size
            if size > max_bytes and is_compressed(path):
                archive.add_missing(str(path), f"compressed, and its {size} bytes exceed --max-log")
                return
            if size > max_bytes:
                ranges = call_with_timeout(lambda: choose_ranges(file, size, max_bytes, request.since), READ_TIMEOUT_S)
            archive.add_file(f"{folder}/{path.name}", path, file, ranges)
    except OSError as error:
        archive.add_missing(str(path), error.strerror or str(error))


def choose_ranges(file: IO[bytes], size: int, max_bytes: int, since: float | None) -> list[FileRange]:
    """Return the ranges to keep: head and tail, `max_bytes` together; with `since`, from there on instead of the tail.

    Ranges begin at the start of a line.
    """
    head = min(HEAD_BYTES, max_bytes // 4)
    tail = max_bytes - head
    try:
        start = size - tail if since is None else min(_seek_time(file, size, since), size - 1)
        skipped = len(_rest_of_line(file, max(start, head))) if start > 0 else 0
        head += len(_rest_of_line(file, head - 1)) - 1
    except OSError:
        return [(0, max_bytes)]
    start = max(start + skipped, head)
    return [(0, head), (start, _length_to_line_end(file, start, min(tail, size - start), size))]


def _rest_of_line(file: IO[bytes], start: int) -> bytes:
    """Return the bytes from `start` to the end of the line, or READ_STEP_BYTES of a longer one."""
    file.seek(start)
    data = file.read(READ_STEP_BYTES)
    return data[: data.find(b"\n") + 1] or data


def _length_to_line_end(file: IO[bytes], start: int, length: int, size: int) -> int:
    """Return the length of a range without the line that it would cut."""
    if start + length >= size:
        return length
    step = min(READ_STEP_BYTES, length)
    try:
        file.seek(start + length - step)
        return length - step + file.read(step).rfind(b"\n") + 1
    except OSError:
        return length


def _seek_time(file: IO[bytes], size: int, since: float) -> int:
    """Return the offset of a line of about that time, by binary search, so that a log of 100 GB is not read for it."""
    low, high = 0, size
    while high - low > READ_STEP_BYTES:
        middle = (low + high) // 2
        time_there = _time_at(file, middle)
        if time_there is None or time_there >= since:
            high = middle
        else:
            low = middle
    return low


def _time_at(file: IO[bytes], offset: int) -> float | None:
    file.seek(offset)
    match = _STAMP.search(file.read(READ_STEP_BYTES))
    if not match:
        return None
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    try:
        local = time.mktime((year, month, day, hour, minute, second, 0, 0, -1))
        return local if not match[7] else local + time.localtime(local).tm_gmtoff
    except (OverflowError, ValueError):
        return None
