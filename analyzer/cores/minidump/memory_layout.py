"""Lay out the memory of a minidump as the segments of a core: memory in the file, and mapped memory without bytes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol, TypeVar

from analyzer.cores.elf.headers import PF_R, PF_W, PT_LOAD, ElfSegment
from analyzer.cores.minidump.linux_texts import MemoryRegion
from analyzer.cores.minidump.streams import MemoryRange


class _Span(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


_Spanning = TypeVar("_Spanning", bound=_Span)


def lay_out_memory(ranges: Sequence[MemoryRange], mappings: Sequence[MemoryRegion]) -> list[ElfSegment]:
    """Return disjoint segments by address. Memory that is not in the file has no file bytes.

    `mappings` are by address and do not overlap. Memory that no mapping covers counts as writable.
    """
    present = _without_overlaps(ranges)
    edges = sorted(
        {part.start for part in present}
        | {part.end for part in present}
        | {mapping.start for mapping in mappings}
        | {mapping.end for mapping in mappings}
    )
    segments: list[ElfSegment] = []
    for start, end in pairwise(edges):
        part, mapping = _find_span(present, start), _find_span(mappings, start)
        if part is None and mapping is None:
            continue
        segments.append(
            ElfSegment(
                type=PT_LOAD,
                flags=mapping.flags if mapping else PF_R | PF_W,
                offset=part.offset + start - part.start if part else 0,
                vaddr=start,
                filesz=end - start if part else 0,
                memsz=end - start,
            )
        )
    return segments


def _without_overlaps(ranges: Sequence[MemoryRange]) -> list[MemoryRange]:
    """Return the ranges by address, each without the parts of earlier ranges."""
    kept: list[MemoryRange] = []
    end = 0
    for part in sorted(ranges):
        start = max(part.start, end)
        if start < part.end:
            kept.append(MemoryRange(start, part.end - start, part.offset + start - part.start))
            end = part.end
    return kept


def _find_span(spans: Sequence[_Spanning], address: int) -> _Spanning | None:
    index = bisect_right(spans, address, key=lambda span: span.start) - 1
    return spans[index] if index >= 0 and address < spans[index].end else None
