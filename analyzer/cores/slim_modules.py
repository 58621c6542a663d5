"""Modules of a slim crash: of each file what unwinding and names rest on, the rest is holes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from analyzer.cores.cfi import FrameTable
from analyzer.cores.dump import Dump
from analyzer.cores.images import SLIM, SLIM_AT, Image
from analyzer.cores.loaded import DELETED, Module
from analyzer.cores.symbols import find_debug_file, needed_rows
from analyzer.cores.symtab import MAX_NAME, ROW, read_table
from analyzer.cores.unwind import Unwinder

SMALL = 1 << 20  # bytes of unwind tables, symbols or debug information that are kept whole
SYMBOLS = ("_PyRuntime", "Py_Version", "__abort_msg")  # what the reader looks up by name
WHOLE = (".note", ".dynamic", ".shstrtab", ".gnu_debuglink", ".gnu_debugdata", ".debug_frame")

BLOCK = 512

Piece = tuple[int, bytes]  # offset in the file, content


@dataclass(frozen=True, slots=True)
class SlimFile:
    """A file of a slim crash: its name in the archive, its size in bytes, and what of it is no hole."""

    name: str
    size: int
    pieces: tuple[Piece, ...]


def slim_modules(dump: Dump, unwinder: Unwinder) -> list[SlimFile]:
    """The modules that some stack went through, the program, and those that the reader looks symbols up in."""
    wanted: dict[int, set[int]] = {}
    for address, module in unwinder.looked_up.items():
        if module is not None and module.bias is not None:
            wanted.setdefault(id(module), set()).add(address - module.bias)
    files: dict[str, SlimFile] = {}
    for module in dump.modules.items:
        addresses = wanted.get(id(module), set())
        if module.image is None or module.image.path is None or not (addresses or module.main or _speaks(module)):
            continue
        place = module.path.removesuffix(DELETED).lstrip("/")
        files[place] = slim_image(f"sysroot/{place}", module.image, addresses)
        debug = find_debug_file(module.image, tuple(dump.places.sysroots))
        if debug is not None and module.build_id:
            name = f"sysroot/usr/lib/debug/.build-id/{module.build_id[:2]}/{module.build_id[2:]}.debug"
            files[name] = slim_image(name, debug, addresses)
    return list(files.values())


def _speaks(module: Module) -> bool:
    return module.name.startswith(("libpython3", "python3")) or module.name.startswith(("libc.so", "libc-2."))


def slim_image(name: str, image: Image, addresses: Iterable[int]) -> SlimFile:
    """Headers, notes, unwind tables and symbols of a module: whole while small, else what these addresses need."""
    data, wanted = image.data or b"", sorted(addresses)
    header = image.header
    table = header.phnum * header.segment_size
    ranges = [(header.phoff, header.phoff + table), (header.shoff, header.shoff + header.shnum * header.shentsize)]
    small = sum(s.size for n, s in image.sections.items() if n.startswith(".debug_")) <= SMALL
    for section in image.sections.values():
        if section.type != 8 and (section.name.startswith(WHOLE) or (small and section.name.startswith(".debug_"))):
            ranges.append((section.offset, section.offset + section.size))
    ranges += _unwind_ranges(image, wanted)
    ranges += [r for kind in (".symtab", ".dynsym") for r in _symbol_ranges(image, kind, wanted)]
    pieces = [(low, bytes(data[low:high])) for low, high in _merge([(0, header.size), *ranges], len(data))]
    first = bytearray(pieces[0][1])
    first[SLIM_AT : SLIM_AT + len(SLIM)] = SLIM
    return SlimFile(name, len(data), ((0, bytes(first)), *pieces[1:]))


def _unwind_ranges(image: Image, addresses: Sequence[int]) -> list[tuple[int, int]]:
    sections = [image.sections[name] for name in (".eh_frame_hdr", ".eh_frame") if name in image.sections]
    if sum(s.size for s in sections) <= SMALL or ".eh_frame_hdr" not in image.sections:
        return [(s.offset, s.offset + s.size) for s in sections if s.type != 8]
    table = FrameTable(image)
    return [r for address in addresses for r in table.ranges(address)]


def _symbol_ranges(image: Image, kind: str, addresses: Sequence[int]) -> list[tuple[int, int]]:
    """A symbol table and its names."""
    table, section = read_table(image, kind), image.sections.get(kind)
    if table is None or section is None:
        return []
    strings = list(image.sections.values())[section.link] if section.link < len(image.sections) else None
    strings = image.sections.get(".dynstr" if kind == ".dynsym" else ".strtab", strings)
    if strings is None:
        return []
    if section.size + strings.size <= SMALL:
        return [(s.offset, s.offset + s.size) for s in (section, strings)]
    ranges = []
    for symbol in needed_rows(table, addresses, SYMBOLS):
        at, start = section.offset + symbol.row * ROW.size, strings.offset + symbol.name
        end = bytes(table.strings[symbol.name : symbol.name + MAX_NAME]).find(b"\0")
        ranges += [(at, at + ROW.size), (start, start + max(end, 0) + 1)]
    return ranges


def _merge(ranges: Iterable[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    """Sorted and disjoint, in whole blocks of an archive, as GNU tar wants the parts of a sparse file."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted((low // BLOCK * BLOCK, min(-(-high // BLOCK) * BLOCK, size)) for low, high in ranges):
        if start >= end:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
