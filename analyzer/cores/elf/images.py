"""ELF objects that are read by their own addresses: a file, or the part of an object in the core's memory."""

from __future__ import annotations

import os
import stat
import struct
from bisect import bisect_right
from dataclasses import dataclass, field
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import NamedTuple

from analyzer.cores.elf.headers import (
    PF_R,
    PF_W,
    PF_X,
    PT_GNU_EH_FRAME,
    PT_LOAD,
    PT_NOTE,
    Buffer,
    ElfHeader,
    ElfSegment,
    read_header,
    read_segments,
)
from analyzer.cores.elf.memory import Extent, ProcessMemory
from analyzer.cores.elf.notes import split_notes

NT_GNU_BUILD_ID = 3
MAX_SECTIONS = 1 << 16
MAX_IMAGE_SEGMENTS = 512
MAX_NOTE_SEGMENT_BYTES = 1 << 16  # bytes of a segment that are looked through for a build id
# The mark in the padding of e_ident of a module that `tf-postmortem core --slim` made: it has only these sections, and
# holes elsewhere.
SLIM_MARK, SLIM_MARK_AT = b"tfslim", 10
SLIM_KEPT_SECTIONS = (".eh_frame", ".eh_frame_hdr", ".dynamic", ".note.gnu.build-id", ".note.ABI-tag")
# A hostile core may name these paths: devices hang or never end, and below /net autofs connects to any host in the
# name.
FORBIDDEN_PREFIXES = ("/proc/", "/sys/", "/dev/", "/net/")


class ElfSection(NamedTuple):
    name: str
    type: int
    flags: int
    addr: int
    offset: int
    size: int
    link: int
    entsize: int


@dataclass(slots=True)
class ElfImage:
    """An ELF object. `parts` map its own virtual addresses to bytes. `data` is the whole file; None if
    it is in memory.
    """

    header: ElfHeader
    segments: list[ElfSegment]
    parts: list[Extent]
    build_id: str | None
    data: Buffer | None = None
    path: Path | None = None
    _sections: dict[str, ElfSection] | None = None
    _starts: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.parts.sort(key=lambda p: p.start)
        self._starts = [p.start for p in self.parts]

    @property
    def sections(self) -> dict[str, ElfSection]:
        """Sections by name, read on first use: most modules of a process never need them."""
        if self._sections is None:
            self._sections = read_sections(self.data, self.header) if self.data is not None else {}
        return self._sections

    def locate(self, vaddr: int) -> tuple[Buffer, int, int] | None:
        """Return (buffer, offset of that address, offset where its part ends); None if no part covers it."""
        index = bisect_right(self._starts, vaddr) - 1
        if index < 0 or vaddr >= (part := self.parts[index]).end:
            return None
        at = part.offset + vaddr - part.start
        return part.buffer, at, part.offset + part.end - part.start

    def read(self, vaddr: int, size: int) -> bytes:
        where = self.locate(vaddr)
        return b"" if where is None else bytes(where[0][where[1] : min(where[1] + size, where[2])])

    def section_content(self, name: str) -> bytes | memoryview:
        """Return the raw content of a section; empty if it is missing or its bounds are wrong."""
        section = self.sections.get(name)
        if section is None or self.data is None or section.type == 8 or section.offset + section.size > len(self.data):
            return b""
        return memoryview(self.data)[section.offset : section.offset + section.size]

    @property
    def frame_table_segment(self) -> ElfSegment | None:
        return next((s for s in self.segments if s.type == PT_GNU_EH_FRAME), None)


def open_image(path: Path) -> ElfImage | None:
    """Map and return an ELF file; None if it is not a regular ELF file or cannot be read."""
    if str(path).startswith(FORBIDDEN_PREFIXES):
        return None
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size < 64 or os.pread(descriptor, 4, 0) != b"\x7fELF":
            return None
        data = mmap(descriptor, status.st_size, access=ACCESS_READ)
    except (OSError, ValueError):
        return None
    finally:
        os.close(descriptor)
    return parse_image(data, path)


def parse_image(data: Buffer, path: Path | None = None) -> ElfImage | None:
    """Return the object in `data`, the bytes of a complete file; None if it is not an ELF file."""
    header = read_header(data)
    if header is None:
        return None
    segments = read_segments(data, header, count=min(header.phnum, MAX_IMAGE_SEGMENTS))
    size = len(data)
    parts = [
        Extent(s.vaddr, s.vaddr + stored_bytes, data, s.offset)
        for s in segments
        if s.type == PT_LOAD and (stored_bytes := min(s.filesz, size - s.offset)) > 0
    ]
    image = ElfImage(header=header, segments=segments, parts=parts, build_id=None, data=data, path=path)
    if bytes(data[SLIM_MARK_AT : SLIM_MARK_AT + len(SLIM_MARK)]) == SLIM_MARK:
        kept = (image.sections[name] for name in SLIM_KEPT_SECTIONS if name in image.sections)
        image = ElfImage(
            header=header,
            segments=segments,
            parts=[_section_extent(s, data) for s in kept if s.addr],
            build_id=None,
            data=data,
            path=path,
        )
    image.build_id = find_build_id(image)
    return image


def _section_extent(section: ElfSection, data: Buffer) -> Extent:
    return Extent(
        section.addr, section.addr + min(section.size, max(0, len(data) - section.offset)), data, section.offset
    )


def read_loaded_headers(
    memory: ProcessMemory, start: int, head: bytes
) -> tuple[ElfHeader, list[ElfSegment], int] | None:
    """Return header, segments and load bias of the object at `start` in the process; `head` is its first page."""
    header = read_header(head)
    if header is None or header.phnum > MAX_IMAGE_SEGMENTS:
        return None
    segments = (
        read_segments(memory.read_some(start, header.phoff + header.phnum * header.program_header_size), header)
        if header.phoff < 1 << 20
        else []
    )
    first = next((s for s in segments if s.type == PT_LOAD and s.offset < 4096), None)
    return (header, segments, start - (first.vaddr - first.offset)) if first else None


def image_in_memory(memory: ProcessMemory, header: ElfHeader, segments: list[ElfSegment], bias: int) -> ElfImage:
    """Return the part of an object that is in the core's memory.

    That is all of the vDSO, and with a generous coredump_filter also code.
    """
    parts = []
    for segment in (s for s in segments if s.type == PT_LOAD):
        at, end = segment.vaddr + bias, segment.vaddr + bias + segment.filesz
        extent = memory.find_extent(at)
        if extent is not None:
            parts.append(
                Extent(segment.vaddr, min(end, extent.end) - bias, extent.buffer, extent.offset + at - extent.start)
            )
    image = ElfImage(header, segments, parts, None)
    image.build_id = find_build_id(image)
    return image


def find_build_id(image: ElfImage) -> str | None:
    """Return NT_GNU_BUILD_ID of the PT_NOTE segments in hexadecimal; None if there is none."""
    for segment in image.segments:
        if segment.type == PT_NOTE:
            body = image.read(segment.vaddr, min(segment.filesz, MAX_NOTE_SEGMENT_BYTES))
            for name, kind, desc in split_notes(body, image.header.order):
                if name == b"GNU" and kind == NT_GNU_BUILD_ID and 0 < len(desc) <= 64:
                    return desc.hex()
    return None


def find_debug_build_id(image: ElfImage) -> str | None:
    """Return the build id of a separate debug file, from its section, because its segments point at missing bytes."""
    for name, kind, desc in split_notes(bytes(image.section_content(".note.gnu.build-id")), image.header.order):
        if name == b"GNU" and kind == NT_GNU_BUILD_ID and 0 < len(desc) <= 64:
            return desc.hex()
    return None


def read_sections(data: Buffer, header: ElfHeader) -> dict[str, ElfSection]:
    """Return the sections by name, the first of each name."""
    wide = header.bits == 64
    entry = struct.Struct(header.order + ("IIQQQQIIQQ" if wide else "IIIIIIIIII"))
    count = min(header.shnum, MAX_SECTIONS)
    if header.shentsize != entry.size or header.shoff + count * entry.size > len(data) or not count:
        return {}
    rows = list(entry.iter_unpack(bytes(data[header.shoff : header.shoff + count * entry.size])))
    if header.shstrndx >= len(rows):
        return {}
    names_at, names_size = rows[header.shstrndx][4:6]
    names = bytes(data[names_at : names_at + min(names_size, 1 << 22)])
    sections: dict[str, ElfSection] = {}
    for name, kind, flags, addr, offset, size, link, _, _, entsize in rows:
        label = names[name : name + 128].split(b"\0")[0].decode("ascii", "replace")
        sections.setdefault(
            label,
            ElfSection(
                name=label, type=kind, flags=flags, addr=addr, offset=offset, size=size, link=link, entsize=entsize
            ),
        )
    return sections


def loaded_extents(image: ElfImage, bias: int) -> list[Extent]:
    """Return the file's bytes at their addresses in the process, of segments that the process cannot write."""
    ranges = [
        (s.vaddr, s.vaddr + s.filesz)
        for s in image.segments
        if s.type == PT_LOAD and s.flags & PF_R and not s.flags & PF_W
    ]
    return [
        Extent(p.start + bias, p.end + bias, p.buffer, p.offset)
        for p in image.parts
        if any(low <= p.start < high for low, high in ranges)
    ]


def code_extents(image: ElfImage, bias: int) -> list[Extent]:
    """Return the addresses of the object's code in the process, without its bytes."""
    return [
        Extent(s.vaddr + bias, s.vaddr + s.memsz + bias, b"", 0)
        for s in image.segments
        if s.type == PT_LOAD and s.flags & PF_X and not s.flags & PF_W
    ]
