"""Programs and libraries beside a core: symbols, frame tables and debug information, whatever they say.

An input is an ELF file. It is read by itself, at addresses all over its code, and as the program of a core whose stack
leads into it.
"""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random

from zstandard import ZstdDecompressor

from analyzer.core_dump import CoreDetail
from analyzer.cores import index_binaries
from analyzer.cores.dwarf.frame_info import FrameTable
from analyzer.cores.dwarf.machine import FrameState
from analyzer.cores.dwarf.native_variables import read_variables
from analyzer.cores.dwarf.source_lines import find_locations
from analyzer.cores.dwarf.typed_values import MAX_VALUE_CHARS
from analyzer.cores.elf.binaries import BinaryLocator
from analyzer.cores.elf.headers import PF_X, PT_LOAD, ElfSegment, read_header
from analyzer.cores.elf.images import ElfImage, ElfSection, open_image, read_sections
from analyzer.cores.elf.memory import ProcessMemory
from analyzer.cores.elf.symbols import find_symbol_address, resolve_functions
from analyzer.cores.slim.core import slim_core
from tests.cores.core_rows import read_core_row
from tests.cores.made_cores import make_core, make_note, make_prpsinfo, make_prstatus
from tests.fuzz import odd
from tests.fuzz.dumps import FIXTURES, python_files
from tests.fuzz.elves import change_elf
from tests.fuzz.target import LONGEST, Target, disturb, workplace

PROGRAMS = Path(__file__).parents[1] / "cores/programs"
FLAGS = (
    ("-O2", "-gdwarf-5"),
    ("-O1", "-gdwarf-4", "-gz"),
    ("-O2", "-gdwarf-3"),
    ("-O0", "-gdwarf-5", "-gsplit-dwarf"),
    ("-O2", "-g0", "-Wl,-z,noseparate-code"),
    ("-O2", "-gdwarf-5", "-gno-as-locview-support", "-fdebug-types-section"),
)
MOST = 24  # addresses that are asked for
BIAS, STACK, MASK = 0x555555554000, 0x7FF000000000, (1 << 64) - 1
VARIABLES = ElfSegment(type=PT_LOAD, flags=6, offset=0, vaddr=STACK, filesz=LONGEST, memsz=LONGEST)  # the file itself


@cache
def seeds() -> Sequence[bytes]:
    """Small programs that were kept, a library as it is shipped, and what a compiler here makes, if there is one."""
    kept = [ZstdDecompressor().decompress(path.read_bytes(), 1 << 20) for path in sorted(FIXTURES.glob("*.zst"))[:1]]
    shipped = [path.read_bytes() for path in python_files("*.so*") if path.stat().st_size < LONGEST // 2]
    return [*kept, *shipped, *_compiled()]


def _compiled() -> Iterator[bytes]:
    target = workplace() / "made"
    sources = [("gcc", "inline.c", flags) for flags in FLAGS] + [("g++", "variables.cc", flags) for flags in FLAGS[:3]]
    for name, source, flags in sources:
        command = [str(shutil.which(name)), "-o", str(target), *flags, str(PROGRAMS / source)]
        if shutil.which(name) and not subprocess.run(command, capture_output=True, cwd=target.parent).returncode:
            yield target.read_bytes()


def change_section(data: bytes, chance: Random, _seeds: Sequence[bytes]) -> bytes:
    """Numbers inside one section become others: lengths of units, forms, opcodes, pointers, rows of symbols."""
    header = read_header(data)
    sections = [section for section in read_sections(data, header).values() if _holds(section, data)] if header else []
    if not sections:
        return data
    parsed_sections = [
        section
        for section in sections
        if section.name.startswith((".debug", ".eh_frame", ".symtab", ".dynsym", ".gnu"))
    ]
    section = chance.choice(parsed_sections or sections)
    out = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8))):
        size = chance.choice((1, 1, 2, 4, 8))
        at = section.offset + chance.randrange(min(section.size, chance.choice((32, 1 << 30))))
        near = int.from_bytes(data[at : at + size], "little") + chance.choice((-1, 1, 2, 16))
        value = chance.choice(
            (chance.choice(odd.INTEGERS), near, chance.getrandbits(8 * size), 0x80 | chance.getrandbits(7))
        )
        out[at : at + size] = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")[: len(data) - at]
    return bytes(out)


def _holds(section: ElfSection, data: bytes) -> bool:
    return section.type != 8 and section.size > 0 and section.offset + section.size <= len(data)


def change_piece(data: bytes, chance: Random, seeds: Sequence[bytes]) -> bytes:
    """One section's content disturbed or that of another file, at the same length."""
    header, other = read_header(data), chance.choice(seeds)
    sections = [section for section in read_sections(data, header).values() if _holds(section, data)] if header else []
    if not sections:
        return data
    section = chance.choice(sections)
    old = data[section.offset : section.offset + section.size]
    start = other.find(chance.choice((b"\x7fELF", b".debug", b"\x05\0", b"zR\0", b"\0")))
    new = disturb(old, chance, seeds) if chance.random() < 0.6 else other[max(start, 0) :]
    return (
        data[: section.offset] + new[: section.size].ljust(section.size, b"\0") + data[section.offset + section.size :]
    )


_kept = tempfile.TemporaryDirectory(prefix="fuzz-library-")


def check(data: bytes) -> None:
    root = Path(_kept.name)  # not in /dev/shm: nothing below /dev is taken for a binary
    path = root / "bin/crash"
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)  # the one before may still be mapped
    path.write_bytes(data)
    index_binaries([root])
    image = open_image(path)
    if image is None:
        return
    _look_into(image)
    core = workplace() / "core"
    core.write_bytes(_core(image, *_code(image)))
    row = read_core_row(core, sysroots=[root], detail=CoreDetail(locals=True))
    assert json.dumps(row, allow_nan=False)
    assert len(row["threads"]) == 2, "a program that is damaged costs no thread"
    slim = slim_core(core, BinaryLocator(None, (root,)), mask=True)
    for file in () if isinstance(slim, str) else slim.files:
        ends = [0, *(end for at, piece in file.pieces for end in (at, at + len(piece))), file.size]
        assert ends == sorted(ends), "pieces of a file lie behind each other and inside it"


def _look_into(image: ElfImage) -> None:
    start, end = _code(image)
    addresses = sorted({start, end - 1, end, *range(start, end, max(1, (end - start) // MOST))})[: 2 * MOST]
    for name, offset in resolve_functions(image, addresses).values():
        assert offset >= 0 and name
    find_symbol_address(image, "main")
    for places in find_locations(image, addresses, mapped_path="/opt/crash").values():
        assert all(place.file is None or isinstance(place.file, str) for place in places)
    if image.path is not None:
        memory = ProcessMemory(image.data or b"", LONGEST, [VARIABLES], "<", 64)
        states = [FrameState(address, 0, [STACK] * 17, STACK + 1024) for address in addresses]
        for scopes in read_variables(image.path, states, memory):
            assert all(len(value) <= MAX_VALUE_CHARS for scope in scopes for value in scope.values())
    table = FrameTable(image)
    for address in addresses:
        table.find_row(address)
        assert all(0 <= low <= high for low, high in table.ranges_read_for(address))


def _code(image: ElfImage) -> tuple[int, int]:
    """Addresses of the code that the file holds; bounded, for it may claim all there are."""
    text = image.sections.get(".text")
    loads = (
        segment for segment in image.segments if segment.type == PT_LOAD and segment.flags & PF_X and segment.filesz
    )
    start, size = (text.addr, text.size) if text else next(((load.vaddr, load.filesz) for load in loads), (0, 4096))
    return start, start + max(1, min(size, 1 << 20))


def _core(image: ElfImage, start: int, end: int) -> bytes:
    """A core in which this program is mapped, and whose two stacks point all over its code."""
    loads = [segment for segment in image.segments if segment.type == PT_LOAD][:8]
    mapped = [((BIAS + load.vaddr & -4096) & MASK, load.filesz, load.offset >> 12) for load in loads]
    rows = b"".join(struct.pack("<3Q", at, min(at + size + 4096, MASK), page & MASK) for at, size, page in mapped)
    files = struct.pack("<2Q", len(mapped), 4096) + rows + b"/bin/crash\0" * len(mapped)
    notes = [make_note("<", 3, make_prpsinfo(64, "<", False, 7, b"crash", b"crash")), make_note("<", 0x46494C45, files)]
    for number, pc in enumerate((start + 8, (start + end) // 2)):
        registers = [0] * 27
        registers[4], registers[16], registers[19] = STACK + 64, (BIAS + pc) & MASK, STACK + 1024 * number
        notes.insert(number, make_note("<", 1, make_prstatus(64, "<", 7 + number, 11, registers)))
    steps = range(start, end, max(1, (end - start) // 200))
    stack = b"".join(struct.pack("<QQ", (BIAS + at) & MASK, STACK + 32 * place) for place, at in enumerate(steps))
    # As the kernel does, only the first page of what was mapped from a file is in the core.
    held = [
        (at, segment.flags & 7, image.read(segment.vaddr, 4096) if not segment.offset else b"", size)
        for (at, size, _), segment in zip(mapped, loads, strict=True)
    ]
    return make_core("x86_64", b"".join(notes), [*held, (STACK, 6, stack, 8192)])


TARGET = Target("libraries", seeds, check, (change_elf, change_section, change_section, change_piece))
