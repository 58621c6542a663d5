"""Read the string literals of an ELF library together with the source file of the code that uses them.

A library does not say which source file a string comes from. But x86-64 code takes the address of a literal with one
instruction (`lea disp32(%rip), register`), functions have bounds in `.eh_frame_hdr`, and many functions also take the
address of their own `__FILE__`, because they log or make a status. A function without one belongs to the file of its
neighbours if both neighbours agree, because the linker places the code of one object file together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from elftools.elf.elffile import ELFFile

SCAN_BYTES = 1 << 24  # of code that is searched at once
_LEA_BYTES = 7  # REX prefix, opcode, ModRM, four bytes of distance
_HEADER_BYTES = 12  # of .eh_frame_hdr before its table
_SORTED_TABLE = bytes((0x03, 0x3B))  # its count is unsigned, its pairs are relative to the section
_SOURCE_FILE = re.compile(r"(?:\./)?[\w+.-]+(?:/[\w+.-]+)+\.(?:cc|cpp|cu\.cc)").fullmatch
_MAX_LITERAL_BYTES = 2000


class Literal(NamedTuple):
    """A use of a string literal: the address of the instruction, the start of its function, the source file ("" if
    unknown), and the text."""

    address: int
    function: int
    file: str
    text: str


@dataclass(frozen=True, slots=True)
class _Section:
    address: int
    data: bytes


class NotReadableError(ValueError):
    """The library is of another processor, or lacks a section that this module needs."""


def read_literals(path: Path) -> list[Literal]:
    """Return every use of a literal in the library, in the order of the code. Raises NotReadableError."""
    with path.open("rb") as file:
        elf = ELFFile(file)
        if elf["e_machine"] != "EM_X86_64":
            raise NotReadableError(f"{path}: only libraries for x86-64 can be read")
        code, texts, frames = (_read_section(elf, file, name) for name in (".text", ".rodata", ".eh_frame_hdr"))
    addresses, targets = _find_references(code, texts)
    starts = _function_starts(frames)
    owners = starts[np.maximum(np.searchsorted(starts, addresses, side="right") - 1, 0)]
    uses = [
        (int(address), int(owner), text)
        for address, owner, target in zip(addresses, owners, targets, strict=True)
        if (text := _read_text(texts, int(target)))
    ]
    files = _find_files((owner, text) for _, owner, text in uses)
    return [
        Literal(address, owner, files.get(owner, ""), text) for address, owner, text in uses if not _SOURCE_FILE(text)
    ]


def _read_section(elf: Any, file: BinaryIO, name: str) -> _Section:
    section = elf.get_section_by_name(name)
    if section is None:
        raise NotReadableError(f"{file.name}: it has no section {name}")
    file.seek(section["sh_offset"])
    return _Section(section["sh_addr"], file.read(section["sh_size"]))


def _find_references(code: _Section, texts: _Section) -> tuple[Any, Any]:
    """Return the addresses of the instructions that take an address inside `texts`, and these addresses."""
    found_addresses, found_targets = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for start in range(0, len(code.data), SCAN_BYTES):
        block = np.frombuffer(code.data[start : start + SCAN_BYTES + _LEA_BYTES - 1], np.uint8)
        last = len(block) - _LEA_BYTES + 1
        if last <= 0:
            break
        rex, opcode, mode = block[:last], block[1 : last + 1], block[2 : last + 2]
        offsets = np.flatnonzero((opcode == 0x8D) & ((mode & 0xC7) == 0x05) & ((rex == 0x48) | (rex == 0x4C)))
        distance = sum(block[offsets + 3 + byte].astype(np.uint32) << np.uint32(8 * byte) for byte in range(4))
        addresses = code.address + start + offsets.astype(np.int64)
        targets = addresses + _LEA_BYTES + np.asarray(distance, np.uint32).view(np.int32).astype(np.int64)
        inside = (targets >= texts.address) & (targets < texts.address + len(texts.data))
        found_addresses.append(addresses[inside])
        found_targets.append(targets[inside])
    return np.concatenate(found_addresses), np.concatenate(found_targets)


def _function_starts(frames: _Section) -> Any:
    """Return the sorted starts of all functions, from the search table of `.eh_frame_hdr`."""
    if len(frames.data) < _HEADER_BYTES or frames.data[2:4] != _SORTED_TABLE:
        raise NotReadableError("its .eh_frame_hdr has no search table")
    count = int.from_bytes(frames.data[8:_HEADER_BYTES], "little")
    table = np.frombuffer(frames.data, np.int32, count=count * 2, offset=_HEADER_BYTES)
    return np.sort(table[::2].astype(np.int64) + frames.address)


def _read_text(texts: _Section, address: int) -> str:
    """Return the literal at the address; "" if there is no printable text."""
    start = address - texts.address
    end = texts.data.find(b"\0", start, start + _MAX_LITERAL_BYTES)
    try:
        text = texts.data[start : max(start, end)].decode()
    except UnicodeDecodeError:
        return ""
    return text if text.replace("\n", "").replace("\t", "").isprintable() else ""


def _find_files(uses: Iterable[tuple[int, str]]) -> dict[int, str]:
    """Return the source file of each function. `uses` are (function, text) in the order of the code."""
    files: dict[int, str] = {}
    functions: dict[int, None] = {}
    for function, text in uses:
        functions[function] = None
        if _SOURCE_FILE(text):
            files.setdefault(function, text.removeprefix("./"))
    files.update(_fill_gaps(list(functions), files))
    return files


def _fill_gaps(functions: list[int], files: dict[int, str]) -> Iterator[tuple[int, str]]:
    before, gap = "", list[int]()
    for function in functions:
        if function not in files:
            gap.append(function)
            continue
        if files[function] == before:
            yield from ((member, before) for member in gap)
        before, gap = files[function], []
