"""Find symbols in an ELF symbol table (gABI, chapter 4) without unpacking most of them.

libtensorflow_cc has 1.2 million unordered rows, and a stack needs fifty. The column of values selects the rows around
an address, in C loops of the interpreter. Other rows are never unpacked.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator
from itertools import compress, count
from typing import NamedTuple

from analyzer.cores.elf.images import ElfImage

SYMBOL_LAYOUT = struct.Struct("<IBBHQQ")  # name, info, other, section, value, size
VALUE_OFFSET = 8  # offset of the value in the row
MAX_ROWS = 1 << 25
MAX_NAME_BYTES = 4096
# How far before an address its function may begin, as (bits of a block, number of blocks). Few functions are longer
# than 4 KiB, none is longer than 16 MiB. 32 bits of an address distinguish blocks.
SEARCH_WINDOWS = ((8, 17), (8, 513), (16, 257))

FUNCTION_TYPES = (2, 10)  # STT_FUNC, STT_GNU_IFUNC
STT_NOTYPE = 0


class Symbol(NamedTuple):
    """A symbol: its `row` in the table, `name` as an offset in the table's strings, `value` and `size` in bytes."""

    row: int
    name: int
    info: int
    value: int
    size: int

    @property
    def is_function(self) -> bool:
        return self.info & 15 in FUNCTION_TYPES

    @property
    def end(self) -> int:
        return self.value + self.size


class SymbolTable(NamedTuple):
    """The rows and the strings of one section, as the file has them."""

    raw: memoryview
    strings: bytes | memoryview

    def symbols_near(self, addresses: Collection[int], window: tuple[int, int]) -> list[Symbol]:
        """Return functions and untyped symbols that begin at one of the addresses or in the window before it."""
        bits, blocks = window
        wanted = {(address >> bits) - back & 0xFFFFFFFF for address in addresses for back in range(blocks)}
        column = self._column(VALUE_OFFSET + bits // 8)
        symbols = (self.read_symbol(index) for index in compress(count(), map(wanted.__contains__, column)))
        return [s for s in symbols if s and (s.is_function or s.info & 15 == STT_NOTYPE)]

    def read_symbol(self, index: int) -> Symbol | None:
        """Return the symbol of a row; None if another object defines it."""
        name, info, _, section, value, size = SYMBOL_LAYOUT.unpack_from(self.raw, index * SYMBOL_LAYOUT.size)
        return Symbol(index, name, info, value, size) if section else None

    def symbols_named(self, wanted: str) -> Iterator[Symbol]:
        """Yield symbols of exactly this name.

        The linker may share ends of strings: `_PyRuntime` may be the end of another string.
        """
        strings, text = bytes(self.strings), wanted.encode() + b"\0"
        at = strings.find(text)
        while at >= 0:
            rows = compress(count(), map(at.__eq__, self._column(0)))
            if same := [symbol for index in rows if (symbol := self.read_symbol(index))]:
                yield from same
                return
            at = strings.find(text, at + 1)

    def name_of(self, symbol: Symbol) -> str:
        """Return a symbol's name without its version."""
        raw = bytes(self.strings[symbol.name : symbol.name + MAX_NAME_BYTES])
        return raw.split(b"\0", 1)[0].decode("utf-8", "backslashreplace").split("@")[0]

    def _column(self, offset: int) -> memoryview:
        """Return the 32-bit words of all rows at an offset in the row (this machine and the file are little-endian)."""
        column_size = (len(self.raw) - offset) // 4 * 4
        return self.raw[offset : offset + column_size].cast("I")[:: SYMBOL_LAYOUT.size // 4]


def read_symbol_table(image: ElfImage, name: str) -> SymbolTable | None:
    """Return `.symtab` or `.dynsym` with its strings; None for 32-bit and big-endian objects: they are not unwound."""
    section, raw = image.sections.get(name), image.section_content(name)
    count = len(raw) // SYMBOL_LAYOUT.size
    if section is None or not count or count > MAX_ROWS or (image.header.bits, image.header.order) != (64, "<"):
        return None
    linked = next((s.name for i, s in enumerate(image.sections.values()) if i == section.link), ".strtab")
    strings = ".dynstr" if name == ".dynsym" else linked if linked.endswith("str") else ".strtab"
    return SymbolTable(memoryview(raw)[: count * SYMBOL_LAYOUT.size], image.section_content(strings))
