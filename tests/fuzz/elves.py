"""Changes of ELF files that keep them ELF files: a field, a note or a pointer becomes another, and sizes fit again."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from random import Random

from analyzer.cores.elf.headers import (
    PT_LOAD,
    PT_NOTE,
    ElfHeader,
    ElfSegment,
    count_segments,
    read_header,
    read_segments,
)
from analyzer.cores.elf.notes import pack_note, split_notes
from tests.fuzz import odd

# (offset, length) in the header and in a program header of 64 and of 32 bits; in a section's row of 64 bits.
_HEADER = {
    64: [(4, 1), (5, 1), (16, 2), (18, 2), (24, 8), (32, 8), (40, 8), (54, 2), (56, 2), (58, 2), (60, 2), (62, 2)]
}
_HEADER[32] = [(4, 1), (5, 1), (16, 2), (18, 2), (24, 4), (28, 4), (32, 4), (42, 2), (44, 2), (46, 2), (48, 2), (50, 2)]
_ROW = {64: [(0, 4), (4, 4), (8, 8), (16, 8), (32, 8), (40, 8), (48, 8)], 32: [(at, 4) for at in range(0, 32, 4)]}
_SECTION = [(0, 4), (4, 4), (16, 8), (24, 8), (32, 8), (40, 4), (44, 4), (56, 8)]
# NT_*: what kernels of all machines write, and two that none does.
_KINDS = [
    1,
    2,
    3,
    4,
    6,
    0x100,
    0x202,
    0x400,
    0x401,
    0x402,
    0x405,
    0x406,
    0x53494749,
    0x46494C45,
    0x46E62B7F,
    7,
    0xFFFFFFFF,
]


def change_elf(data: bytes, chance: Random, seeds: Sequence[bytes]) -> bytes:
    header = read_header(data)
    if header is None:
        return data
    segments = read_segments(data, header, count=min(64, count_segments(data, header)))
    change = chance.randrange(9)
    if change == 0:
        return _overwrite(data, header, *chance.choice(_HEADER[header.bits]), chance)
    if change == 1 and segments:
        row = header.phoff + chance.randrange(len(segments)) * header.program_header_size
        at, size = chance.choice(_ROW[header.bits])
        return _overwrite(data, header, row + at, size, chance)
    if change == 2 and header.shnum:
        at, size = chance.choice(_SECTION)
        return _overwrite(data, header, header.shoff + chance.randrange(header.shnum) * 64 + at, size, chance)
    if change < 6 and (noted := [segment for segment in segments if segment.type == PT_NOTE]):
        return _change_note(data, header, segments, chance.choice(noted), chance)
    return _point(data, header, segments, chance)


def _overwrite(data: bytes, header: ElfHeader, at: int, size: int, chance: Random) -> bytes:
    order = "little" if header.order == "<" else "big"
    old = int.from_bytes(data[at : at + size], order)
    value = chance.choice(
        (chance.choice(odd.INTEGERS), old + chance.choice((-1, 1, 8, 4096)), chance.choice(_KINDS), at)
    )
    return data[:at] + (value & ((1 << 8 * size) - 1)).to_bytes(size, order) + data[at + size :]


def _change_note(
    data: bytes, header: ElfHeader, segments: Sequence[ElfSegment], segment: ElfSegment, chance: Random
) -> bytes:
    """One note other, cut, longer, twice or gone; all notes then stand at the end, where there is room."""
    notes = list(split_notes(data[segment.offset : segment.offset + segment.filesz], header.order))
    if not notes:
        return data
    at = chance.randrange(len(notes))
    name, kind, desc = notes[at]
    change = chance.randrange(6)
    if change == 0:
        kind = chance.choice(_KINDS)
    elif change == 1:
        desc = desc[: chance.randrange(len(desc) + 1)]
    elif change == 2:
        desc += bytes(chance.choice((1, 8, 300)))
    elif desc:
        place = chance.randrange(len(desc)) & -4
        desc = _overwrite(desc, header, place, chance.choice((2, 4, 8)), chance)[: len(desc)]
        if change == 5 and segments:
            desc = desc[:place] + _address(header, segments, chance) + desc[place + header.word_size :]
    notes[at : at + 1] = [(name, kind, desc)] * chance.choice((0, 1, 1, 1, 2, 40))
    body = b"".join(pack_note(*note, header.order) for note in notes)
    row = header.phoff + segments.index(segment) * header.program_header_size
    letter, fields = ("Q", (8, 32)) if header.bits == 64 else ("I", (4, 16))
    out = bytearray(data)
    for field, value in zip(fields, (len(data), len(body)), strict=True):
        struct.pack_into(header.order + letter, out, row + field, value)
    return bytes(out) + body


def _point(data: bytes, header: ElfHeader, segments: Sequence[ElfSegment], chance: Random) -> bytes:
    """A word of memory points into memory: chains that go elsewhere, in circles, or across a segment's end."""
    loads = [segment for segment in segments if segment.type == PT_LOAD and segment.filesz >= 16]
    if not loads:
        return data
    into = chance.choice(loads)
    at = into.offset + (chance.randrange(min(into.filesz, 1 << 16) - 8) & -8)
    return data[:at] + _address(header, loads, chance) + data[at + header.word_size :]


def _address(header: ElfHeader, segments: Sequence[ElfSegment], chance: Random) -> bytes:
    segment = chance.choice(segments)
    ends = (
        segment.vaddr,
        segment.vaddr + segment.filesz - 1,
        segment.end,
        segment.vaddr - 1,
        segment.vaddr + chance.randrange(max(1, segment.filesz)),
    )
    value = chance.choice(ends) & ((1 << header.bits) - 1)
    return value.to_bytes(header.word_size, "little" if header.order == "<" else "big")
