"""Make the modules of a slim crash: files with the parts that stacks and names need, and holes elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from analyzer.cores.dwarf.frame_info import FrameTable
from analyzer.cores.dwarf.unwind import Unwinder
from analyzer.cores.elf.images import SLIM_MARK, SLIM_MARK_AT, ElfImage
from analyzer.cores.elf.modules import DELETED_SUFFIX, LoadedModule
from analyzer.cores.elf.symbol_table import MAX_NAME_BYTES, SYMBOL_LAYOUT, read_symbol_table
from analyzer.cores.elf.symbols import find_debug_file, required_symbols
from analyzer.cores.opened_core import OpenedCore

WHOLE_SECTION_BYTES = 1 << 20  # bytes of unwind tables, symbols or debug information that are kept whole
REQUIRED_SYMBOLS = ("_PyRuntime", "Py_Version", "__abort_msg")  # symbols that the reader looks up by name
WHOLE_SECTIONS = (".note", ".dynamic", ".shstrtab", ".gnu_debuglink", ".gnu_debugdata", ".debug_frame")

TAR_BLOCK_BYTES = 512

FilePiece = tuple[int, bytes]  # offset in the file, content


@dataclass(frozen=True, slots=True)
class SlimFile:
    """A file of a slim crash: its name in the archive, its size in bytes, and the parts that are not holes."""

    name: str
    size: int
    pieces: tuple[FilePiece, ...]


def slim_modules(opened: OpenedCore, unwinder: Unwinder) -> list[SlimFile]:
    """Return the modules that a stack went through, the program, and those whose symbols the reader looks up."""
    wanted: dict[int, set[int]] = {}
    for address, module in unwinder.rows_by_address.items():
        if module is not None and module.bias is not None:
            wanted.setdefault(id(module), set()).add(address - module.bias)
    files: dict[str, SlimFile] = {}
    for module in opened.modules.modules:
        addresses = wanted.get(id(module), set())
        if (
            module.image is None
            or module.image.path is None
            or not (addresses or module.is_main or _has_required_symbols(module))
        ):
            continue
        path = module.path.removesuffix(DELETED_SUFFIX).lstrip("/")
        files[path] = slim_image(f"sysroot/{path}", module.image, addresses)
        debug = find_debug_file(module.image, tuple(opened.locator.sysroots))
        if debug is not None and module.build_id:
            name = f"sysroot/usr/lib/debug/.build-id/{module.build_id[:2]}/{module.build_id[2:]}.debug"
            files[name] = slim_image(name, debug, addresses)
    return list(files.values())


def _has_required_symbols(module: LoadedModule) -> bool:
    return module.name.startswith(("libpython3", "python3")) or module.name.startswith(("libc.so", "libc-2."))


def slim_image(name: str, image: ElfImage, addresses: Iterable[int]) -> SlimFile:
    """Return the headers, notes, unwind tables and symbols of a module: complete if small, else the parts for
    `addresses`.
    """
    data, wanted = image.data or b"", sorted(addresses)
    header = image.header
    table = header.phnum * header.program_header_size
    ranges = [(header.phoff, header.phoff + table), (header.shoff, header.shoff + header.shnum * header.shentsize)]
    small = sum(s.size for n, s in image.sections.items() if n.startswith(".debug_")) <= WHOLE_SECTION_BYTES
    for section in image.sections.values():
        if section.type != 8 and (
            section.name.startswith(WHOLE_SECTIONS) or (small and section.name.startswith(".debug_"))
        ):
            ranges.append((section.offset, section.offset + section.size))
    ranges += _unwind_ranges(image, wanted)
    ranges += [r for kind in (".symtab", ".dynsym") for r in _symbol_ranges(image, kind, wanted)]
    pieces = [
        (low, bytes(data[low:high])) for low, high in _merge_blocks([(0, header.header_size), *ranges], len(data))
    ]
    first = bytearray(pieces[0][1])
    first[SLIM_MARK_AT : SLIM_MARK_AT + len(SLIM_MARK)] = SLIM_MARK
    return SlimFile(name, len(data), ((0, bytes(first)), *pieces[1:]))


def _unwind_ranges(image: ElfImage, addresses: Sequence[int]) -> list[tuple[int, int]]:
    sections = [image.sections[name] for name in (".eh_frame_hdr", ".eh_frame") if name in image.sections]
    if sum(s.size for s in sections) <= WHOLE_SECTION_BYTES or ".eh_frame_hdr" not in image.sections:
        return [(s.offset, s.offset + s.size) for s in sections if s.type != 8]
    table = FrameTable(image)
    return [r for address in addresses for r in table.ranges_read_for(address)]


def _symbol_ranges(image: ElfImage, kind: str, addresses: Sequence[int]) -> list[tuple[int, int]]:
    """Return the ranges of a symbol table and its names."""
    table, section = read_symbol_table(image, kind), image.sections.get(kind)
    if table is None or section is None:
        return []
    strings = list(image.sections.values())[section.link] if section.link < len(image.sections) else None
    strings = image.sections.get(".dynstr" if kind == ".dynsym" else ".strtab", strings)
    if strings is None:
        return []
    if section.size + strings.size <= WHOLE_SECTION_BYTES:
        return [(s.offset, s.offset + s.size) for s in (section, strings)]
    ranges = []
    for symbol in required_symbols(table, addresses, REQUIRED_SYMBOLS):
        at, start = section.offset + symbol.row * SYMBOL_LAYOUT.size, strings.offset + symbol.name
        end = bytes(table.strings[symbol.name : symbol.name + MAX_NAME_BYTES]).find(b"\0")
        ranges += [(at, at + SYMBOL_LAYOUT.size), (start, start + max(end, 0) + 1)]
    return ranges


def _merge_blocks(ranges: Iterable[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    """Sort and merge ranges, in whole blocks of an archive, as GNU tar needs the parts of a sparse file."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(
        (low // TAR_BLOCK_BYTES * TAR_BLOCK_BYTES, min(-(-high // TAR_BLOCK_BYTES) * TAR_BLOCK_BYTES, size))
        for low, high in ranges
    ):
        if start >= end:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
