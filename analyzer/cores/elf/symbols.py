"""Find function names for addresses of one image, and addresses for names."""

from __future__ import annotations

import lzma
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from analyzer.cores.elf.debuginfod import find_servers
from analyzer.cores.elf.images import ElfImage, find_debug_build_id, open_image, parse_image
from analyzer.cores.elf.symbol_table import SEARCH_WINDOWS, Symbol, SymbolTable, read_symbol_table

MAX_DEBUGDATA_BYTES = 64 << 20
DEBUG_ROOT = Path("/usr/lib/debug")
MAX_UNSIZED_FUNCTION_BYTES = 4096  # the most bytes of a function without a size: those of the first window


def resolve_functions(
    image: ElfImage, addresses: Iterable[int], sysroots: Sequence[Path] = ()
) -> dict[int, tuple[str, int]]:
    """Return {address: (mangled name, bytes from its start)} for the addresses inside a function."""
    wanted = sorted(set(addresses))
    functions: dict[int, tuple[str, int]] = {}
    for table in symbol_tables(image, sysroots):
        if missing := [a for a in wanted if a not in functions]:
            functions |= search_table(table, missing)
    return functions


def find_symbol_address(image: ElfImage, name: str, sysroots: Sequence[Path] = ()) -> int | None:
    """Return the address of a symbol of exactly this name; None if there is none."""
    for table in symbol_tables(image, sysroots):
        for symbol in table.symbols_named(name):
            return symbol.value
    return None


def symbol_tables(image: ElfImage, sysroots: Sequence[Path]) -> Iterable[SymbolTable]:
    """Yield symbol tables, best first: the object's own, the separate debug file's, the packed one, exported names."""
    for candidate, section in ((image, ".symtab"), (None, ""), (image, ".gnu_debugdata"), (image, ".dynsym")):
        if candidate is None:
            debug = find_debug_file(image, tuple(sysroots)) if ".symtab" not in image.sections else None
            table = read_symbol_table(debug, ".symtab") if debug else None
        elif section == ".gnu_debugdata":
            packed = _unpack_debugdata(image) if section in image.sections else None
            table = read_symbol_table(packed, ".symtab") if packed else None
        else:
            table = read_symbol_table(candidate, section)
        if table is not None:
            yield table


def search_table(table: SymbolTable, wanted: Sequence[int]) -> dict[int, tuple[str, int]]:
    """Do the same as `resolve_functions`, for one table. `wanted` is sorted."""
    functions: dict[int, tuple[str, int]] = {}
    for window in SEARCH_WINDOWS:
        if missing := [a for a in wanted if a not in functions]:
            functions |= _find_covering_functions(table, table.symbols_near(missing, window), missing)
    if missing := [a for a in wanted if a not in functions]:
        near = table.symbols_near(missing, SEARCH_WINDOWS[0])
        functions |= {
            address: named for address in missing if (named := _nearest_unsized_function(table, near, address))
        }
    return functions


def _find_covering_functions(
    table: SymbolTable, symbols: Iterable[Symbol], wanted: Sequence[int]
) -> dict[int, tuple[str, int]]:
    """Return the sized functions that cover addresses. `wanted` is sorted."""
    functions: dict[int, tuple[str, int]] = {}
    best: dict[int, tuple[Any, ...]] = {}
    for symbol in (s for s in symbols if s.is_function):
        for address in wanted[bisect_left(wanted, symbol.value) : bisect_left(wanted, symbol.end)]:
            name = table.name_of(symbol)
            key = _name_preference(symbol.info >> 4, name, symbol.size)
            if name and (address not in best or key < best[address]):  # damaged tables have empty names
                best[address], functions[address] = key, (name, address - symbol.value)
    return functions


def _name_preference(binding: int, name: str, size: int) -> tuple[Any, ...]:
    """Return a stable sort key for several names of one function; the best-known name comes first."""
    return (size, {1: 0, 2: 1, 10: 0}.get(binding, 2), len(name) - len(name.lstrip("_")), len(name), name)


def _nearest_unsized_function(table: SymbolTable, symbols: Iterable[Symbol], address: int) -> tuple[str, int] | None:
    """Return the symbol before an address if no sized function ends in between: hand-written code may lack sizes."""
    before = [s for s in symbols if address - MAX_UNSIZED_FUNCTION_BYTES <= s.value <= address]
    start = max((s.value for s in before), default=0)
    symbols_at_start = [s for s in before if s.value == start]
    if any(s.size for s in symbols_at_start) or not any(s.is_function for s in symbols_at_start):
        return None
    name = min(map(table.name_of, symbols_at_start))
    return (name, address - start) if name else None


@lru_cache(64)
def _find_debug_file(
    build_id: str | None, path: Path | None, link: bytes, sysroots: tuple[Path, ...]
) -> ElfImage | None:
    roots = [DEBUG_ROOT, *(r / "usr/lib/debug" for r in sysroots), *sysroots]
    candidates = []
    if build_id:
        candidates = [root / ".build-id" / build_id[:2] / f"{build_id[2:]}.debug" for root in roots]
    name = link.split(b"\0", 1)[0].decode("utf-8", "replace")
    if name and "/" not in name and path is not None:
        candidates += [
            path.parent / name,
            path.parent / ".debug" / name,
            *(root / str(path.parent).lstrip("/") / name for root in roots),
            *(r / name for r in sysroots),
        ]
    for candidate in candidates:
        image = open_image(candidate) if candidate != path else None
        if image and _is_debug_file(image, build_id):
            return image
    return _download_debug_file(build_id) if build_id else None


def _download_debug_file(build_id: str) -> ElfImage | None:
    servers = find_servers()
    path = servers.fetch(build_id, "debuginfo") if servers else None
    image = open_image(path) if path else None
    return image if image and _is_debug_file(image, build_id) else None


def _is_debug_file(image: ElfImage, build_id: str | None) -> bool:
    return (image.build_id or find_debug_build_id(image)) == build_id and ".symtab" in image.sections


def find_debug_file(image: ElfImage, sysroots: tuple[Path, ...] = ()) -> ElfImage | None:
    """Return the separate debug file by build id, then by .gnu_debuglink; its build id must be the same."""
    link = bytes(image.section_content(".gnu_debuglink")[:256])
    return _find_debug_file(image.build_id, image.path, link, sysroots)


def required_symbols(table: SymbolTable, addresses: Sequence[int], names: Sequence[str]) -> list[Symbol]:
    """Return the symbols that decide the names of these addresses and the addresses of these names."""
    wanted = sorted(addresses)
    symbols = [symbol for name in names for symbol in table.symbols_named(name)]
    near = table.symbols_near(wanted, SEARCH_WINDOWS[0])
    for address in wanted:
        start = max((s.value for s in near if s.value <= address), default=None)
        symbols += [s for s in near if s.value == start]
    for window in SEARCH_WINDOWS:
        symbols += [
            s for s in table.symbols_near(wanted, window) if bisect_left(wanted, s.value) < bisect_left(wanted, s.end)
        ]
    return sorted({s.row: s for s in symbols}.values(), key=lambda s: s.row)


def _unpack_debugdata(image: ElfImage) -> ElfImage | None:
    """Return the packed symbol table of Fedora and Red Hat (MiniDebugInfo)."""
    try:
        packed = bytes(image.section_content(".gnu_debugdata"))
        raw = lzma.LZMADecompressor(memlimit=256 << 20).decompress(packed, MAX_DEBUGDATA_BYTES)
    except (lzma.LZMAError, EOFError):
        return None
    return parse_image(raw)
