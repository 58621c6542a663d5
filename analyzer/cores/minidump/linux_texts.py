"""Parse the texts that Breakpad copies from /proc into a minidump: mappings, status, arguments,
environment (proc(5)).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from analyzer.cores.elf.headers import MAX_SEGMENTS, PF_R, PF_W, PF_X

MAPPING = re.compile(
    r"^([0-9a-f]{1,16})-([0-9a-f]{1,16}) ([r-])([w-])([x-])[ps-] ([0-9a-f]{1,16}) \S+ \d+[ ]*(.*)$", re.MULTILINE
)
STATUS_FIELD = re.compile(r"^(Name|Tgid|PPid|Uid|Gid):\t(\S[^\t\n]*)", re.MULTILINE)


class MemoryRegion(NamedTuple):
    """A line of /proc/PID/maps: addresses, PF_ flags, offset in the file, path or empty."""

    start: int
    end: int
    flags: int
    offset: int
    path: str


def parse_maps(text: str) -> list[MemoryRegion]:
    """Return the mappings by address."""
    return drop_overlapping(_list_mappings(text))


def drop_overlapping(mappings: Iterable[MemoryRegion]) -> list[MemoryRegion]:
    """Return the mappings by address, without those that overlap an earlier one."""
    kept: list[MemoryRegion] = []
    for mapping in sorted(mappings):
        if not kept or mapping.start >= kept[-1].end:
            kept.append(mapping)
    return kept[:MAX_SEGMENTS]


def _list_mappings(text: str) -> Iterator[MemoryRegion]:
    for match in MAPPING.finditer(text):
        start, end, offset = (int(match[index], 16) for index in (1, 2, 6))
        flags = sum(bit for bit, letter in ((PF_R, match[3]), (PF_W, match[4]), (PF_X, match[5])) if letter != "-")
        if start < end:
            yield MemoryRegion(start=start, end=end, flags=flags, offset=offset, path=match[7])


def parse_status(text: str) -> dict[str, str]:
    """Return the relevant fields of /proc/PID/status; of several ids the first, the real one."""
    return {match[1]: match[2] for match in STATUS_FIELD.finditer(text)}


def split_strings(raw: bytes) -> list[str]:
    """Return the strings of /proc/PID/cmdline or environ, each ended by NUL."""
    return [part.decode("utf-8", "backslashreplace") for part in raw.removesuffix(b"\0").split(b"\0")] if raw else []
