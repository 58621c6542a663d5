"""What of a core is worth most, decided from its headers and notes before its memory has come by."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from analyzer.cores.elf import PF_W, PT_LOAD, PT_NOTE, Header, Segment
from analyzer.cores.notes import read_notes
from analyzer.cores.registers import SP_NAMES, first_of

PAGE = 4096
STACK_KEEP = 64 << 20  # of each stack, from the stack pointer upwards
GUARD = 1 << 20
STACK_TOP = 1 << 18  # arguments, environment, the outermost frames
STACK_HEAD = 1 << 20  # the innermost frames of a stack that overflowed
SMALL = 64 << 20  # a segment of this size is kept before larger ones are begun


@dataclass(slots=True)
class Plan:
    """Parts of the file that are kept at any rate, as sorted disjoint ranges, with what is still to come of them."""

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)  # bytes of the ranges from this index on

    def is_sure(self, at: int) -> bool:
        index = bisect_right(self.starts, at) - 1
        return index >= 0 and at < self.ends[index]

    def next_edge(self, at: int) -> int:
        """Where a range starts or ends next, behind `at`."""
        index = bisect_right(self.starts, at) - 1
        if index >= 0 and at < self.ends[index]:
            return self.ends[index]
        return self.starts[index + 1] if index + 1 < len(self.starts) else 1 << 64

    def to_come(self, at: int) -> int:
        index = bisect_right(self.starts, at) - 1
        if index < 0:
            return self.after[0] if self.after else 0
        rest = max(0, self.ends[index] - at)
        return rest + (self.after[index + 1] if index + 1 < len(self.after) else 0)


def make_plan(head: bytes, header: Header | None, segments: list[Segment], budget: int) -> Plan:
    """What is worth most, until the budget is full even if none of it is zero."""
    ranges: list[tuple[int, int]] = [(0, len(head))]
    room = budget - len(head)
    if header is not None:
        for start, end in _by_worth(head, header, segments):
            if end - start <= room:
                ranges.append((start, end))
                room -= end - start
    return _sum_up(sorted(ranges))


def _by_worth(head: bytes, header: Header, segments: list[Segment]) -> list[tuple[int, int]]:
    loads = [s for s in segments if s.type == PT_LOAD and s.filesz]
    notes = read_notes(head, header, segments)
    pointers = [pointer for t in notes.threads if (pointer := first_of(t.registers, SP_NAMES)) is not None]
    stacks = list(_stack_parts(loads, pointers))
    file_starts = sorted(f.start for f in notes.files)
    mapped = [(s.offset, s.offset + s.filesz) for s in loads if _begins_in(s, file_starts)]
    small = sorted((s for s in loads if s.filesz <= SMALL), key=lambda s: (not s.flags & PF_W, s.filesz))
    large = [s for s in loads if s.filesz > SMALL]
    noted = [(s.offset, s.offset + s.filesz) for s in segments if s.type == PT_NOTE]
    return [
        *noted,
        *stacks,
        *(r for r in mapped if r[1] - r[0] <= SMALL),
        *((s.offset, s.offset + s.filesz) for s in small),
        *((s.offset, s.offset + SMALL) for s in large),
    ]


def _begins_in(segment: Segment, starts: list[int]) -> bool:
    index = bisect_right(starts, segment.vaddr) - 1
    return index >= 0 and starts[index] == segment.vaddr


def _stack_parts(loads: list[Segment], pointers: list[int]) -> list[tuple[int, int]]:
    """The parts of the file that hold each stack from its pointer (less the red zone) up, bounded."""
    by_address = sorted(loads, key=lambda s: s.vaddr)
    starts = [s.vaddr for s in by_address]
    parts = []
    for pointer in pointers:
        # A stack that overflowed has its pointer in the guard, below its segment.
        index = max(0, bisect_right(starts, pointer) - 1)
        segment = next((s for s in by_address[index : index + 2] if s.vaddr - GUARD <= pointer < s.end), None)
        if segment is not None:
            low = min(max(0, pointer - PAGE - segment.vaddr), segment.filesz)
            start, end = segment.offset + low, segment.offset + segment.filesz
            parts += [
                (start, min(end, start + STACK_HEAD)),
                (max(start, end - STACK_TOP), end),
                (start, min(end, start + STACK_KEEP)),
            ]
    return sorted(set(parts), key=lambda part: part[1] - part[0])


def _sum_up(ranges: list[tuple[int, int]]) -> Plan:
    plan = Plan()
    for start, end in ranges:
        if plan.ends and start <= plan.ends[-1]:
            plan.ends[-1] = max(plan.ends[-1], end)
        else:
            plan.starts.append(start)
            plan.ends.append(end)
    total = 0
    for start, end in zip(reversed(plan.starts), reversed(plan.ends), strict=True):
        total += end - start
        plan.after.append(total)
    plan.after.reverse()
    return plan
