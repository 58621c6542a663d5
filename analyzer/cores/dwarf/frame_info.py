"""Call frame information: find the rules that give the caller's registers for a code address.

Format: DWARF 5, 6.4, with the .eh_frame variant of the LSB (augmentation, encoded pointers) and its search table
.eh_frame_hdr. Only the entries that a stack needs are parsed, because a TensorFlow library has 730,000.
"""

from __future__ import annotations

import struct
import zlib
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import NamedTuple

from analyzer.cores.dwarf.cfa_program import BadFrameInfoError, Cie, UnwindRow, run_cfa_program
from analyzer.cores.dwarf.expressions import read_sleb, read_uleb
from analyzer.cores.elf.headers import Buffer, ElfHeader
from analyzer.cores.elf.images import ElfImage

MAX_ENTRY_BYTES = 1 << 20  # bytes of one CIE or FDE
MAX_SCANNED_ENTRIES = 300_000  # entries, without a search table
MAX_SECTION_BYTES = 64 << 20  # bytes of a compressed section, packed and unpacked
SHT_NOBITS, SHF_COMPRESSED, ELFCOMPRESS_ZLIB = 8, 0x800, 1

# Pointer encodings of a fixed size: struct letter, bytes.
_FIXED_SIZE_ENCODINGS = {0x02: ("H", 2), 0x03: ("I", 4), 0x04: ("Q", 8), 0x0A: ("h", 2), 0x0B: ("i", 4), 0x0C: ("q", 8)}


class _FrameSection(NamedTuple):
    """A section with entries: `.eh_frame` (loaded, so every offset has an address) or `.debug_frame`."""

    data: Buffer
    start: int
    limit: int
    bias: int  # address = offset + delta
    is_eh_frame: bool


@dataclass(slots=True)
class FrameTable:
    """The call frame information of one image, read on demand."""

    image: ElfImage
    _rows: dict[int, UnwindRow | None] = field(default_factory=dict)
    _cies: dict[int, Cie] = field(default_factory=dict)
    _search_table: tuple[Buffer, int, int, int] | None = None  # buffer, offset, count, address of the header
    _scanned_entries: tuple[list[int], list[tuple[int, Cie, bytes]]] | None = None

    def __post_init__(self) -> None:
        self._search_table = self._open_search_table()

    def find_row(self, vaddr: int) -> UnwindRow | None:
        """Return the rules at an address of the image; None if no entry covers it."""
        if vaddr not in self._rows:
            self._rows[vaddr] = self._read_row(vaddr)
        return self._rows[vaddr]

    def ranges_read_for(self, vaddr: int) -> list[tuple[int, int]]:
        """Return (offset, end) of the parts of the file that `find_row` reads for an address; empty without a search
        table.
        """
        if self._search_table is None or self.image.data is None or self._search_table[0] is not self.image.data:
            return []
        ranges = [(self._search_table[1] - 12, self._search_table[1])]
        try:
            entry = self._bisect_search_table(vaddr, ranges)
            located = self.image.locate(entry) if entry is not None else None
            if located is not None:
                order = self.image.header.order
                body, end, entry_id = _read_entry(
                    _FrameSection(data=located[0], start=0, limit=located[2], bias=0, is_eh_frame=True),
                    located[1],
                    order,
                )
                cie = body - 4 - entry_id
                ranges += [
                    (located[1], end),
                    (
                        cie,
                        _read_entry(
                            _FrameSection(data=located[0], start=0, limit=located[2], bias=0, is_eh_frame=True),
                            cie,
                            order,
                        )[1],
                    ),
                ]
        except (BadFrameInfoError, IndexError, struct.error):
            pass
        return ranges

    def _read_row(self, vaddr: int) -> UnwindRow | None:
        try:
            entry = self._find_entry_by_search(vaddr) if self._search_table else None
            if entry is None:
                entry = self._find_entry_by_scan(vaddr)
            return run_cfa_program(entry[1], entry[2], entry[0], vaddr, self.image.header.order) if entry else None
        except (BadFrameInfoError, IndexError, struct.error):
            return None

    def _open_search_table(self) -> tuple[Buffer, int, int, int] | None:
        """Open .eh_frame_hdr in the layout that all linkers write.

        Version 1, udata4 count, sdata4 pairs from the header on.
        """
        table = self.image.frame_table_segment
        located = self.image.locate(table.vaddr) if table else None
        if table is None or located is None or located[1] + 12 > located[2]:
            return None
        data, at, limit = located
        version, pointer, count_encoding, encoding = data[at : at + 4]
        if (version, count_encoding, encoding) != (1, 0x03, 0x3B) or pointer & 0x0F not in (0x03, 0x0B):
            return None
        (count,) = struct.unpack_from(self.image.header.order + "I", data, at + 8)
        return data, at + 12, min(count, (limit - at - 12) // 8), table.vaddr

    def _find_entry_by_search(self, vaddr: int) -> tuple[int, Cie, bytes] | None:
        address = self._bisect_search_table(vaddr)
        if address is None:
            return None
        located = self.image.locate(address)
        if located is None:
            return None
        source = _FrameSection(data=located[0], start=0, limit=located[2], bias=address - located[1], is_eh_frame=True)
        start, size, cie, program = self._read_fde(source, located[1])
        return (start, cie, program) if start <= vaddr < start + size else None

    def _bisect_search_table(self, vaddr: int, ranges: list[tuple[int, int]] | None = None) -> int | None:
        """Return the address of the last FDE that starts at or before `vaddr`; append what was read to `ranges`."""
        assert self._search_table is not None
        data, base, count, origin = self._search_table
        pair = struct.Struct(self.image.header.order + "ii")
        low, high, target = 0, count, vaddr - origin
        while low < high:
            middle = (low + high) // 2
            if ranges is not None:
                ranges.append((base + 8 * middle, base + 8 * middle + 8))
            if pair.unpack_from(data, base + 8 * middle)[0] <= target:
                low = middle + 1
            else:
                high = middle
        address: int | None = origin + pair.unpack_from(data, base + 8 * (low - 1))[1] if low else None
        return address

    def _read_fde(self, source: _FrameSection, at: int) -> tuple[int, int, Cie, bytes]:
        """Return (first address, size, CIE, instructions) of the FDE at an offset."""
        body, end, entry_id = _read_entry(source, at, self.image.header.order)
        if _is_cie(source, entry_id):
            raise BadFrameInfoError("a CIE where an FDE should be")
        cie_at = body - 4 - entry_id if source.is_eh_frame else source.start + entry_id
        if not 0 <= cie_at < source.limit:
            raise BadFrameInfoError("CIE out of bounds")
        if cie_at not in self._cies:
            self._cies[cie_at] = _read_cie(source, cie_at, self.image.header.order, self.image.header.word_size)
        cie = self._cies[cie_at]
        reader = _PointerReader(source, self.image)
        start, body = reader.read(cie.encoding, body)
        size, body = reader.read(cie.encoding & 0x0F, body)
        if cie.has_augmentation:
            skip, body = read_uleb(source.data, body)  # type: ignore[arg-type]
            body += skip
        return start, size, cie, bytes(source.data[body:end])

    def _find_entry_by_scan(self, vaddr: int) -> tuple[int, Cie, bytes] | None:
        """Find an entry without a search table (unusual linkers, .debug_frame): parse all entries once."""
        if self._scanned_entries is None:
            parsed = sorted(self._scan_sections(), key=lambda e: e[0])
            self._scanned_entries = [e[0] for e in parsed], [(e[1], e[2], e[3]) for e in parsed]
        starts, entries = self._scanned_entries
        index = bisect_right(starts, vaddr) - 1
        if index < 0 or vaddr >= starts[index] + entries[index][0]:
            return None
        return starts[index], entries[index][1], entries[index][2]

    def _open_section(self, name: str) -> _FrameSection | None:
        section, data = self.image.sections.get(name), self.image.data
        if section is None or data is None or section.type == SHT_NOBITS:
            return None
        end, is_eh_frame = min(len(data), section.offset + section.size), name == ".eh_frame"
        if not section.flags & SHF_COMPRESSED and not name.startswith(".z"):
            return _FrameSection(
                data=data, start=section.offset, limit=end, bias=section.addr - section.offset, is_eh_frame=is_eh_frame
            )
        if end - section.offset > MAX_SECTION_BYTES:
            return None
        content = _decompress(bytes(data[section.offset : end]), self.image.header, name.startswith(".z"))
        return (
            _FrameSection(data=content, start=0, limit=len(content), bias=0, is_eh_frame=is_eh_frame)
            if content
            else None
        )

    def _scan_sections(self) -> list[tuple[int, int, Cie, bytes]]:
        entries: list[tuple[int, int, Cie, bytes]] = []
        for name in (*(() if self._search_table else (".eh_frame",)), ".debug_frame", ".zdebug_frame"):
            source = self._open_section(name)
            if source is None:
                continue
            at = source.start
            while at + 4 <= source.limit and len(entries) < MAX_SCANNED_ENTRIES:
                try:
                    _, end, entry_id = _read_entry(source, at, self.image.header.order)
                    if not _is_cie(source, entry_id):
                        entries.append(self._read_fde(source, at))
                except (BadFrameInfoError, IndexError, struct.error):
                    break
                at = end
        return entries


def _decompress(content: bytes, header: ElfHeader, is_old_style: bool) -> bytes | None:
    """Return the content of a compressed section, at most MAX_SECTION_BYTES; None if it is damaged or not zlib.

    Elf64_Chdr and Elf32_Chdr of the gABI; `.zdebug_*` begin with "ZLIB" and the size.
    """
    head = 12 if is_old_style or header.bits == 32 else 24
    is_zlib = content[:4] == (b"ZLIB" if is_old_style else struct.pack(header.order + "I", ELFCOMPRESS_ZLIB))
    try:
        return zlib.decompressobj().decompress(content[head:], MAX_SECTION_BYTES) if is_zlib else None
    except zlib.error:
        return None


def _read_entry(source: _FrameSection, at: int, order: str) -> tuple[int, int, int]:
    """Return (offset after the id, end, id) of the entry at an offset."""
    if at < source.start:  # a negative index would read from the end of the file
        raise BadFrameInfoError("out of bounds")
    (length,) = struct.unpack_from(order + "I", source.data, at)
    if not 4 <= length <= MAX_ENTRY_BYTES or at + 4 + length > source.limit:
        raise BadFrameInfoError("length")  # 0 ends the section; linkers do not write 64-bit DWARF
    (entry_id,) = struct.unpack_from(order + "I", source.data, at + 4)
    return at + 8, at + 4 + length, entry_id


def _is_cie(source: _FrameSection, entry_id: int) -> bool:
    return entry_id == (0 if source.is_eh_frame else 0xFFFFFFFF)


def _read_cie(source: _FrameSection, at: int, order: str, word: int) -> Cie:
    body, end, entry_id = _read_entry(source, at, order)
    if not _is_cie(source, entry_id):
        raise BadFrameInfoError("no CIE")
    data = bytes(source.data[body:end])
    version, name_end = data[0], data.index(b"\0", 1) if b"\0" in data[1:] else len(data)
    augmentation, at = data[1:name_end].decode("ascii", "replace"), name_end + 1
    if version == 4:
        at += 2
    if augmentation.startswith("eh"):
        at += word
    code_align, at = read_uleb(data, at)
    data_align, at = read_sleb(data, at)
    return_register, at = (data[at], at + 1) if version == 1 else read_uleb(data, at)
    encoding, signal, augmented = 0, False, augmentation.startswith("z")
    if augmented:
        size, at = read_uleb(data, at)
        encoding, signal = _read_augmentation(augmentation[1:], data, at, word)
        at += size
    elif augmentation not in ("", "eh"):
        raise BadFrameInfoError(augmentation)
    return Cie(
        code_align=code_align,
        data_align=data_align,
        return_register=return_register,
        encoding=encoding,
        has_augmentation=augmented,
        is_signal_frame=signal,
        program=data[at:],
    )


def _read_augmentation(letters: str, data: bytes, at: int, word: int) -> tuple[int, bool]:
    encoding, signal = 0, False
    for letter in letters:
        if letter == "R":
            encoding, at = data[at], at + 1
        elif letter == "L":
            at += 1
        elif letter == "P":
            size = _FIXED_SIZE_ENCODINGS.get(data[at] & 0x0F, ("", word))[1]
            at += 1 + size
        elif letter == "S":
            signal = True
        elif letter not in "BG":  # aarch64: the B key signs, memory is tagged
            raise BadFrameInfoError(letters)
    return encoding, signal


class _PointerReader(NamedTuple):
    """Reads encoded pointers (LSB, 10.5)."""

    source: _FrameSection
    image: ElfImage

    def read(self, encoding: int, at: int) -> tuple[int, int]:
        header, data, start = self.image.header, self.source.data, at
        if encoding & 0x0F == 0:
            letter, size = ("Q", 8) if header.bits == 64 else ("I", 4)
        elif encoding & 0x0F in _FIXED_SIZE_ENCODINGS:
            letter, size = _FIXED_SIZE_ENCODINGS[encoding & 0x0F]
        else:
            raise BadFrameInfoError(f"pointer encoding {encoding:#x}")
        value: int = struct.unpack_from(header.order + letter, data, at)[0]
        relative = encoding & 0x70
        if relative == 0x10:
            value += start + self.source.bias
        elif relative == 0x30 and self.image.frame_table_segment:
            value += self.image.frame_table_segment.vaddr
        elif relative:
            raise BadFrameInfoError(f"pointer encoding {encoding:#x}")
        return value & ((1 << header.bits) - 1), at + size
