"""Select the most valuable parts of a core by its headers and notes, before its memory is read."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from analyzer.cores.elf.headers import PF_W, PT_LOAD, PT_NOTE, ElfHeader, ElfSegment
from analyzer.cores.elf.notes import read_notes
from analyzer.cores.elf.registers import SP_NAMES, first_register

PAGE_BYTES = 4096
MAX_STACK_BYTES = 64 << 20  # of each stack, upwards from the stack pointer
GUARD_BYTES = 1 << 20
STACK_TOP_BYTES = 1 << 18  # arguments, environment, the outermost frames
STACK_HEAD_BYTES = 1 << 20  # the innermost frames of a stack that overflowed
SMALL_SEGMENT_BYTES = 64 << 20  # segments up to this size are kept before larger ones


@dataclass(slots=True)
class PageSelection:
    """Parts of the file that are always kept, as sorted disjoint ranges, with the number of their remaining bytes."""

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    bytes_from: list[int] = field(default_factory=list)  # bytes of the ranges from this index on

    def is_selected(self, at: int) -> bool:
        index = bisect_right(self.starts, at) - 1
        return index >= 0 and at < self.ends[index]

    def next_edge(self, at: int) -> int:
        """Return the next offset after `at` at which a range starts or ends."""
        index = bisect_right(self.starts, at) - 1
        if index >= 0 and at < self.ends[index]:
            return self.ends[index]
        return self.starts[index + 1] if index + 1 < len(self.starts) else 1 << 64

    def bytes_to_come(self, at: int) -> int:
        index = bisect_right(self.starts, at) - 1
        if index < 0:
            return self.bytes_from[0] if self.bytes_from else 0
        left = max(0, self.ends[index] - at)
        return left + (self.bytes_from[index + 1] if index + 1 < len(self.bytes_from) else 0)


def select_ranges(head: bytes, header: ElfHeader | None, segments: list[ElfSegment], budget: int) -> PageSelection:
    """Select the most valuable ranges that fit into `budget` bytes even if none of them is zero."""
    ranges: list[tuple[int, int]] = [(0, len(head))]
    bytes_left = budget - len(head)
    if header is not None:
        for start, end in _ranges_by_value(head, header, segments):
            if end - start <= bytes_left:
                ranges.append((start, end))
                bytes_left -= end - start
    return _make_selection(sorted(ranges))


def _ranges_by_value(head: bytes, header: ElfHeader, segments: list[ElfSegment]) -> list[tuple[int, int]]:
    loads = [s for s in segments if s.type == PT_LOAD and s.filesz]
    notes = read_notes(head, header, segments)
    pointers = [pointer for t in notes.threads if (pointer := first_register(t.registers, SP_NAMES)) is not None]
    stacks = list(_stack_ranges(loads, pointers))
    file_starts = sorted(f.start for f in notes.files)
    file_ranges = [(s.offset, s.offset + s.filesz) for s in loads if _starts_at_any(s, file_starts)]
    small = sorted((s for s in loads if s.filesz <= SMALL_SEGMENT_BYTES), key=lambda s: (not s.flags & PF_W, s.filesz))
    large = [s for s in loads if s.filesz > SMALL_SEGMENT_BYTES]
    note_ranges = [(s.offset, s.offset + s.filesz) for s in segments if s.type == PT_NOTE]
    return [
        *note_ranges,
        *stacks,
        *(r for r in file_ranges if r[1] - r[0] <= SMALL_SEGMENT_BYTES),
        *((s.offset, s.offset + s.filesz) for s in small),
        *((s.offset, s.offset + SMALL_SEGMENT_BYTES) for s in large),
    ]


def _starts_at_any(segment: ElfSegment, starts: list[int]) -> bool:
    index = bisect_right(starts, segment.vaddr) - 1
    return index >= 0 and starts[index] == segment.vaddr


def _stack_ranges(loads: list[ElfSegment], pointers: list[int]) -> list[tuple[int, int]]:
    """Return the parts of the file with each stack, upwards from its pointer minus the red zone, within bounds."""
    by_address = sorted(loads, key=lambda s: s.vaddr)
    starts = [s.vaddr for s in by_address]
    ranges = []
    for pointer in pointers:
        # The pointer of a stack that overflowed is in the guard page, below its segment.
        index = max(0, bisect_right(starts, pointer) - 1)
        segment = next((s for s in by_address[index : index + 2] if s.vaddr - GUARD_BYTES <= pointer < s.end), None)
        if segment is not None:
            low = min(max(0, pointer - PAGE_BYTES - segment.vaddr), segment.filesz)
            start, end = segment.offset + low, segment.offset + segment.filesz
            ranges += [
                (start, min(end, start + STACK_HEAD_BYTES)),
                (max(start, end - STACK_TOP_BYTES), end),
                (start, min(end, start + MAX_STACK_BYTES)),
            ]
    return sorted(set(ranges), key=lambda part: part[1] - part[0])


def _make_selection(ranges: list[tuple[int, int]]) -> PageSelection:
    selection = PageSelection()
    for start, end in ranges:
        if selection.ends and start <= selection.ends[-1]:
            selection.ends[-1] = max(selection.ends[-1], end)
        else:
            selection.starts.append(start)
            selection.ends.append(end)
    total = 0
    for start, end in zip(reversed(selection.starts), reversed(selection.ends), strict=True):
        total += end - start
        selection.bytes_from.append(total)
    selection.bytes_from.reverse()
    return selection
