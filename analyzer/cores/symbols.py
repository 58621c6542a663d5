"""Function names for addresses of one image, all addresses of a core at once.

numpy looks at every symbol once and never sorts them: a TensorFlow library has 1.2 million, a stack asks for fifty.
"""

from __future__ import annotations

import ctypes
import lzma
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from analyzer.cores.debuginfod import find_servers
from analyzer.cores.images import Image, open_image, parse_image

MAX_SYMBOLS = 1 << 25
MAX_NAME = 4096
MAX_DEBUGDATA = 64 << 20
DEBUG_ROOT = Path("/usr/lib/debug")

FUNCTIONS = (2, 10)  # STT_FUNC, STT_GNU_IFUNC
NOTYPE = 0
Table = npt.NDArray[Any]


def resolve(image: Image, addresses: Iterable[int], sysroots: Sequence[Path] = ()) -> dict[int, tuple[str, int]]:
    """{address: (mangled name, offset)} for those of an image's addresses that a function covers."""
    wanted = sorted(set(addresses))
    found: dict[int, tuple[str, int]] = {}
    for table, names in tables(image, sysroots):
        if missing := [a for a in wanted if a not in found]:
            found |= _search(table, names, missing)
    return found


def find_symbol(image: Image, name: str, sysroots: Sequence[Path] = ()) -> int | None:
    """The address of a symbol of this exact name."""
    for table, names in tables(image, sysroots):
        rows = _rows_named(table, names, name.encode())
        if len(rows):
            return int(table["value"][rows[0]])
    return None


def _rows_named(table: Table, names: bytes | memoryview, wanted: bytes) -> list[int]:
    """The rows with this exact name. The linker may share tails ("x_PyRuntime"), so that a name stands at no start."""
    at = _find_name(names, wanted)
    while at >= 0:
        rows = np.flatnonzero((table["name"] == at) & (table["shndx"] != 0))
        if len(rows):
            return [int(row) for row in rows]
        at = _find_name(names, wanted, at + 1)
    return []


def _find_name(names: bytes | memoryview, wanted: bytes, start: int = 0) -> int:
    raw = names.obj if isinstance(names, memoryview) and len(names) == 0 else names
    return bytes(raw).find(wanted + b"\0", start) if raw else -1


def tables(image: Image, sysroots: Sequence[Path]) -> Iterable[tuple[Table, bytes | memoryview]]:
    """Symbol tables, best first: the object's own, the separate debug file's, the packed one, the exported names."""
    for candidate, section in ((image, ".symtab"), (None, ""), (image, ".gnu_debugdata"), (image, ".dynsym")):
        if candidate is None:
            debug = find_debug_file(image, tuple(sysroots)) if ".symtab" not in image.sections else None
            table = read_table(debug, ".symtab") if debug else None
        elif section == ".gnu_debugdata":
            packed = _unpack_debugdata(image) if section in image.sections else None
            table = read_table(packed, ".symtab") if packed else None
        else:
            table = read_table(candidate, section)
        if table is not None:
            yield table


def read_table(image: Image, name: str) -> tuple[Table, bytes | memoryview] | None:
    section = image.sections.get(name)
    raw = image.section(name)
    order = image.header.order
    wide = [
        ("name", f"{order}u4"),
        ("info", "u1"),
        ("other", "u1"),
        ("shndx", f"{order}u2"),
        ("value", f"{order}u8"),
        ("size", f"{order}u8"),
    ]
    narrow = [wide[0], ("value", f"{order}u4"), ("size", f"{order}u4"), wide[1], wide[2], wide[3]]
    layout = np.dtype(wide if image.header.bits == 64 else narrow)
    if section is None or not raw or len(raw) // layout.itemsize > MAX_SYMBOLS:
        return None
    strings = next((s.name for i, s in enumerate(image.sections.values()) if i == section.link), ".strtab")
    names = image.section(".dynstr" if name == ".dynsym" else strings if strings.endswith("str") else ".strtab")
    return np.frombuffer(raw, layout, count=len(raw) // layout.itemsize), names


def _search(table: Table, names: bytes | memoryview, wanted: Sequence[int]) -> dict[int, tuple[str, int]]:
    kind = table["info"] & 15
    code = table[np.isin(kind, FUNCTIONS) & (table["shndx"] != 0)] if len(table) else table
    addresses = np.array(wanted, dtype=np.uint64)
    value, size = code["value"].astype(np.uint64), code["size"].astype(np.uint64)
    low, high = np.searchsorted(addresses, value), np.searchsorted(addresses, value + size)
    found: dict[int, tuple[str, int]] = {}
    best: dict[int, tuple[Any, ...]] = {}
    for index in np.flatnonzero(low < high):
        start, name = int(value[index]), _name(names, int(code["name"][index]))
        key = _preference(int(code["info"][index]) >> 4, name, int(size[index]))
        for address in wanted[int(low[index]) : int(high[index])]:
            if address not in best or key < best[address]:
                best[address], found[address] = key, (name, address - start)
    for address in wanted:
        if address not in found and (nearest := _nearest(table, kind, names, address)):
            found[address] = nearest
    return found


def _preference(binding: int, name: str, size: int) -> tuple[Any, ...]:
    """Which of several names of one function is told: always the same, and the one that people know."""
    return (size, {1: 0, 2: 1, 10: 0}.get(binding, 2), len(name) - len(name.lstrip("_")), len(name), name)


def _nearest(table: Table, kind: Table, names: bytes | memoryview, address: int) -> tuple[str, int] | None:
    """Hand-written code may lack sizes: the symbol before it, if no sized function ends in between."""
    before = (table["value"] <= address) & (table["shndx"] != 0) & (np.isin(kind, FUNCTIONS) | (kind == NOTYPE))
    rows = table[before]
    if not len(rows):
        return None
    start = int(rows["value"].max())
    rows = rows[rows["value"] == start]
    if address - start > 4096 or int(rows["size"].max()) or not np.any(np.isin(rows["info"] & 15, FUNCTIONS)):
        return None
    name = min(_name(names, int(n)) for n in rows["name"])
    return (name, address - start) if name else None


def _name(names: bytes | memoryview, at: int) -> str:
    return bytes(names[at : at + MAX_NAME]).split(b"\0", 1)[0].decode("utf-8", "backslashreplace").split("@")[0]


@lru_cache(64)
def _debug_file(build_id: str | None, path: Path | None, link: bytes, sysroots: tuple[Path, ...]) -> Image | None:
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
        if image and image.build_id == build_id and ".symtab" in image.sections:
            return image
    return _download(build_id) if build_id else None


def _download(build_id: str) -> Image | None:
    servers = find_servers()
    path = servers.fetch(build_id, "debuginfo") if servers else None
    image = open_image(path) if path else None
    return image if image and image.build_id == build_id and ".symtab" in image.sections else None


def find_debug_file(image: Image, sysroots: tuple[Path, ...] = ()) -> Image | None:
    """The separate debug file, by build id, then by .gnu_debuglink; its build id must be the same."""
    link = bytes(image.section(".gnu_debuglink")[:256])
    return _debug_file(image.build_id, image.path, link, sysroots)


def needed_rows(table: Table, names: bytes | memoryview, addresses: Sequence[int], symbols: Sequence[str]) -> list[int]:
    """The rows of a symbol table on which the names of these addresses and the addresses of these symbols rest."""
    value, end = table["value"].astype(np.uint64), (table["value"] + table["size"]).astype(np.uint64)
    wanted = np.array(sorted(addresses), dtype=np.uint64)
    covers = np.searchsorted(wanted, value) < np.searchsorted(wanted, end)
    code = np.isin(table["info"] & 15, (*FUNCTIONS, NOTYPE)) & (table["shndx"] != 0)
    starts = np.sort(value[code])
    before = np.searchsorted(starts, wanted, side="right")
    nearest = starts[before[before > 0] - 1]
    named = [row for name in symbols for row in _rows_named(table, names, name.encode())]
    kept = np.flatnonzero((covers & code) | (np.isin(value, nearest) & code))
    return sorted({*map(int, kept), *named})


def _unpack_debugdata(image: Image) -> Image | None:
    """Fedora's and Red Hat's packed symbol table (MiniDebugInfo)."""
    try:
        packed = bytes(image.section(".gnu_debugdata"))
        raw = lzma.LZMADecompressor(memlimit=256 << 20).decompress(packed, MAX_DEBUGDATA)
    except (lzma.LZMAError, EOFError):
        return None
    return parse_image(raw)


@lru_cache(4096)
def demangle(name: str) -> str:
    """A C++ name in words, through the C++ runtime of this system; the name itself where there is none."""
    return demangle_type(name) if name.startswith("_Z") else name


@lru_cache(4096)
def demangle_type(name: str) -> str:
    """As `demangle`, for the names in std::type_info too, which have no prefix."""
    if len(name) > MAX_NAME:
        return name
    demangler = _load_demangler()
    if demangler is None:
        return name
    status = ctypes.c_int(1)
    result = demangler[0](name.encode("ascii", "replace"), None, None, ctypes.byref(status))
    if not result:
        return name
    text = ctypes.string_at(result).decode("utf-8", "replace")
    demangler[1](result)
    return text if status.value == 0 else name


@cache
def _load_demangler() -> tuple[Any, Any] | None:
    try:
        library, libc = ctypes.CDLL("libstdc++.so.6"), ctypes.CDLL(None)
        function, free = library.__cxa_demangle, libc.free
    except (OSError, AttributeError):
        return None
    function.restype, function.argtypes = ctypes.c_void_p, [ctypes.c_char_p, *3 * [ctypes.c_void_p]]
    free.restype, free.argtypes = None, [ctypes.c_void_p]
    return function, free
