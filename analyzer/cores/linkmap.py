"""The dynamic linker's list of loaded objects, in the process's memory: r_debug and its link maps (glibc link.h)."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from analyzer.cores.elf import PT_DYNAMIC, ElfHeader, ElfSegment, unpack_segments
from analyzer.cores.memory import ProcessMemory

AT_PHDR, AT_PHENT, AT_PHNUM = 3, 4, 5
PT_PHDR = 6
DT_DEBUG = 21
MAX_LINKS = 1 << 14


def walk_link_map(memory: ProcessMemory, auxv: dict[int, int], table: bytes = b"") -> Iterator[tuple[int, str]]:
    """(load bias, name) of each object; the executable's name is its AT_EXECFN. A circle ends where it closes.

    `table`: the executable's program headers, for cores that lack them (QEMU dumps no text).
    """
    debug = _find_r_debug(memory, auxv, table)
    word = memory.word_size
    link = memory.read_word(debug + word) if debug else None
    seen: set[int] = set()
    while link and link not in seen and len(seen) < MAX_LINKS:
        seen.add(link)
        base, name, next_link = memory.read_word(link), memory.read_word(link + word), memory.read_word(link + 3 * word)
        text = memory.read_string(name or 0).decode("utf-8", "backslashreplace")
        if not text and len(seen) == 1:
            text = memory.read_string(auxv.get(31, 0)).decode("utf-8", "backslashreplace")
        if base is not None and text and not text.startswith("linux-vdso"):
            yield base, text
        link = next_link


def _find_r_debug(memory: ProcessMemory, auxv: dict[int, int], known_headers: bytes) -> int | None:
    """DT_DEBUG of the executable, found through the program headers that the kernel pointed the process at."""
    at, count = auxv.get(AT_PHDR, 0), auxv.get(AT_PHNUM, 0)
    wide = memory.word_size == 8
    size = 56 if wide else 32
    if not at or auxv.get(AT_PHENT) != size or not 0 < count < 512:
        return None
    order = memory.order
    header = ElfHeader(memory.word_size * 8, order, 0, 0, 0, 0, 0, size, count, 0, 0, 0)
    segments = list(unpack_segments(memory.read(at, count * size) or known_headers[: count * size], header))
    bias = _load_bias(segments, at)
    dynamic = next((s for s in segments if s.type == PT_DYNAMIC), None)
    if dynamic is None:
        return None
    table = memory.read_some(bias + dynamic.vaddr, min(dynamic.memsz, 1 << 16))
    pair = struct.Struct(order + ("QQ" if wide else "II"))
    for tag, value in pair.iter_unpack(table[: len(table) // pair.size * pair.size]):
        if tag == DT_DEBUG:
            return int(value)
    return None


def _load_bias(segments: list[ElfSegment], at: int) -> int:
    return next((at - s.vaddr for s in segments if s.type == PT_PHDR), 0)
