"""GPU cores of CUDA (`.nvcudmp`): devices, kernels, and exceptions with their places.

The file is an ELF core of machine EM_CUDA without memory segments: everything is in sections of types of NVIDIA's own.
A table's parent is the section in sh_link and the row in sh_info; rows have sh_entsize bytes and grew with the driver,
so the beginning that has stayed the same since CUDA 7 is read, and more where a row is long enough for it. The layouts
are those that cuda-gdb reads (its cudacoredump.h); of a version that differs, what does not fit is said.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt

from analyzer.arrays import np
from analyzer.core_dump import GpuCore, GpuDevice, GpuException, GpuGrid
from analyzer.cores.demangle import demangle
from analyzer.cores.elf.headers import Buffer, ElfHeader
from analyzer.cores.elf.images import parse_image
from analyzer.cores.elf.symbols import resolve_functions

SHT_LOUSER = 0x80000000
CUBIN, DEVICES, SMS, GRIDS, BLOCKS, WARPS, LANES = (SHT_LOUSER + n for n in (7, 9, 11, 12, 13, 14, 15))
TABLE_NAMES = {DEVICES: "device", SMS: "SM", GRIDS: "grid", BLOCKS: "block", WARPS: "warp", LANES: "lane"}
ROW_LAYOUTS = {
    DEVICES: struct.Struct("<3Q12I"),
    GRIDS: struct.Struct("<7Q12I"),
    SMS: struct.Struct("<2I"),
    BLOCKS: struct.Struct("<Q3I"),
    WARPS: struct.Struct("<Q5I"),
    LANES: struct.Struct("<2Q5I"),
}
SM_EXCEPTION_LAYOUT = struct.Struct(
    "<2IQ"
)  # behind the SM's first 8 bytes, since driver 555: exception, whether a PC is known, PC
MAX_SECTIONS = 1 << 22
MAX_LISTED_EXCEPTIONS = 64  # exceptions that are listed one by one
MAX_CUBIN_BYTES = 1 << 30

# CUDA-GDB manual, "GPU exceptions"; the number is the code in the tables.
EXCEPTION_NAMES = {
    1: "Lane Illegal Address",
    2: "Lane User Stack Overflow",
    3: "Device Hardware Stack Overflow",
    4: "Warp Illegal Instruction",
    5: "Warp Out-of-range Address",
    6: "Warp Misaligned Address",
    7: "Warp Invalid Address Space",
    8: "Warp Invalid PC",
    9: "Warp Hardware Stack Overflow",
    10: "Device Illegal Address",
    11: "Lane Misaligned Address",
    12: "Warp Assert",
    13: "Lane Syscall Error",
    14: "Warp Illegal Address",
}

SECTION_HEADER = np.dtype(
    [
        ("name", "<u4"),
        ("type", "<u4"),
        ("flags", "<u8"),
        ("addr", "<u8"),
        ("offset", "<u8"),
        ("size", "<u8"),
        ("link", "<u4"),
        ("info", "<u4"),
        ("align", "<u8"),
        ("entsize", "<u8"),
    ]
)


@dataclass(slots=True)
class _GpuCoreFile:
    data: Buffer
    table: npt.NDArray[Any]
    problems: list[str] = field(default_factory=list)
    children: dict[tuple[int, int, int], list[int]] = field(default_factory=dict)  # by kind, parent's section and row

    def __post_init__(self) -> None:
        for index in map(int, np.flatnonzero(np.isin(self.table["type"], list(ROW_LAYOUTS)))):
            row = self.table[index]
            key = int(row["type"]), int(row["link"]), int(row["info"])
            self.children.setdefault(key, []).append(index)

    def sections_of_type(self, kind: int) -> list[int]:
        return [int(index) for index in np.flatnonzero(self.table["type"] == kind)]

    def section_content(self, index: int) -> memoryview:
        row = self.table[index]
        start, end = int(row["offset"]), int(row["offset"]) + int(row["size"])
        return memoryview(self.data)[start:end] if end <= len(self.data) else memoryview(b"")

    def rows(
        self, kind: int, parent: int | None = None, row: int = 0
    ) -> Iterator[tuple[int, int, tuple[int, ...], bytes]]:
        """Yield (section, row number, fields, raw row) of the tables of a kind, or of those below a parent's row."""
        layout = ROW_LAYOUTS[kind]
        chosen = self.sections_of_type(kind) if parent is None else self.children.get((kind, parent, row), ())
        for index in chosen:
            size, body = int(self.table[index]["entsize"]), self.section_content(index)
            if size < layout.size:
                self._add_problem(f"{TABLE_NAMES[kind]} rows of {size} bytes are of an unknown layout")
                continue
            for number in range(len(body) // size):
                raw = bytes(body[number * size : (number + 1) * size])
                yield index, number, layout.unpack_from(raw), raw

    def _add_problem(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)


def read_gpu_core(data: Buffer, header: ElfHeader) -> tuple[GpuCore, list[str]]:
    """Return what a GPU core holds, and sentences on what could not be read. Never raises for what the bytes are."""
    gpu_core = _GpuCoreFile(data, _read_section_table(data, header))
    if not len(gpu_core.table):
        gpu_core.problems.append("the table of sections is cut off: a GPU core has it at its end")
    known = {*TABLE_NAMES, *(SHT_LOUSER + n for n in range(1, 24))}
    unknown_types = Counter(
        int(kind) for kind in gpu_core.table["type"] if int(kind) >= SHT_LOUSER and int(kind) not in known
    )
    if unknown_types:
        listed = ", ".join(f"{kind:#x}" for kind in sorted(unknown_types)[:8])
        gpu_core.problems.append(f"{sum(unknown_types.values())} sections are of kinds that are not known: {listed}")
    names = _string_table(gpu_core, header)
    devices = [_device(fields, names) for _, _, fields, _ in gpu_core.rows(DEVICES)]
    grids = [_grid(fields) for _, _, fields, _ in gpu_core.rows(GRIDS)]
    exceptions = list(_list_exceptions(gpu_core))
    _name_kernels(gpu_core, grids, exceptions)
    kernels: dict[int | None, str | None] = {grid.id: grid.kernel for grid in grids}
    for exception in exceptions:
        exception.kernel = kernels.get(exception.grid) or exception.kernel
    if not devices:
        gpu_core.problems.append("no table of devices is in it")
    return GpuCore(devices=devices, grids=grids, exceptions=exceptions), gpu_core.problems


def _read_section_table(data: Buffer, header: ElfHeader) -> npt.NDArray[Any]:
    """Return the section headers. If there are more than 65,279, the first one's size is their count."""
    empty = np.zeros(0, SECTION_HEADER)
    room = (len(data) - header.shoff) // SECTION_HEADER.itemsize
    if header.bits != 64 or header.shentsize != SECTION_HEADER.itemsize or header.shoff <= 0 or room <= 0:
        return empty
    first = np.frombuffer(data, SECTION_HEADER, 1, header.shoff)[0]
    count = header.shnum or int(first["size"])
    return np.frombuffer(data, SECTION_HEADER, min(count, room, MAX_SECTIONS), header.shoff)


def _string_table(core: _GpuCoreFile, header: ElfHeader) -> bytes:
    """Return .strtab, into which the devices' names are offsets: the string table that does not name the sections."""
    tables = [index for index in core.sections_of_type(3) if index != header.shstrndx] or core.sections_of_type(3)
    return bytes(core.section_content(tables[0])[: 1 << 24]) if tables else b""


def _read_name(names: bytes, at: int) -> str | None:
    text = names[at : at + 256].split(b"\0", 1)[0].decode("utf-8", "replace") if at < len(names) else ""
    return text or None


def _device(fields: tuple[int, ...], names: bytes) -> GpuDevice:
    name, kind, sm, number, bus, device, sms, warps, lanes = fields[:9]
    return GpuDevice(
        id=number,
        name=_read_name(names, name),
        type=_read_name(names, kind),
        architecture=_read_name(names, sm) or f"sm_{fields[11]}{fields[12]}",
        pci=f"{bus:02x}:{device:02x}",
        sms=sms,
        warps_per_sm=warps,
        lanes_per_warp=lanes,
    )


def _grid(fields: tuple[int, ...]) -> GpuGrid:
    return GpuGrid(
        id=fields[0],
        kernel=None,
        entry=f"{fields[3]:#x}",
        grid_size=list(fields[11:14]),
        block_size=list(fields[14:17]),
        host_tid=fields[18],
    )


def _list_exceptions(core: _GpuCoreFile) -> Iterator[GpuException]:
    """Yield the exceptions of each SM's lanes and warps, else the SM's own; at most MAX_LISTED_EXCEPTIONS in all."""
    listed = 0
    for section, row, (sm, _), raw in core.rows(SMS):
        device = int(core.table[section]["info"])
        exceptions = list(_list_lane_exceptions(core, section, row))
        if not exceptions and len(raw) >= 8 + SM_EXCEPTION_LAYOUT.size:
            code, valid, pc = SM_EXCEPTION_LAYOUT.unpack_from(raw, 8)
            exceptions = [_make_exception(code, pc if valid else None)] if code else []
        for exception in exceptions:
            if listed == MAX_LISTED_EXCEPTIONS:
                core.problems.append(f"more than {MAX_LISTED_EXCEPTIONS} exceptions: the others are not listed")
                return
            listed += 1
            exception.device, exception.sm = device, sm
            yield exception


def _list_lane_exceptions(core: _GpuCoreFile, section: int, row: int) -> Iterator[GpuException]:
    for blocks, block, (grid, x, y, z), _ in core.rows(BLOCKS, section, row):
        for warps, warp, fields, _ in core.rows(WARPS, blocks, block):
            lanes = [fields for _, _, fields, _ in core.rows(LANES, warps, warp) if fields[6]]
            warp_pc = fields[0] if fields[5] else None
            exceptions = []
            for code in sorted({lane[6] for lane in lanes}):
                lanes_struck = [lane for lane in lanes if lane[6] == code]
                exception = _make_exception(code, warp_pc if warp_pc is not None else lanes_struck[0][0])
                exception.lanes = [lane[2] for lane in lanes_struck]
                exception.thread = list(lanes_struck[0][3:6])
                exceptions.append(exception)
            if warp_pc is not None and not lanes:  # an error of the warp; the SM says which, where the driver tells it
                exceptions.append(_make_exception(0, warp_pc))
            for exception in exceptions:
                exception.grid, exception.block, exception.warp = grid, [x, y, z], fields[1]
            yield from exceptions


def _make_exception(code: int, pc: int | None) -> GpuException:
    name = EXCEPTION_NAMES.get(code, f"exception {code}" if code else "an error that no table names")
    return GpuException(code=code or None, exception=name, pc=f"{pc:#x}" if pc is not None else None)


def _name_kernels(core: _GpuCoreFile, grids: list[GpuGrid], exceptions: list[GpuException]) -> None:
    """Set the kernels' names by the symbols of the loaded cubins, which the core holds as ELF images with addresses."""
    entry_points = {int(grid.entry, 16) for grid in grids}
    counters = {int(exception.pc, 16) for exception in exceptions if exception.pc}
    wanted = entry_points | counters
    names: dict[int, str] = {}
    for index in core.sections_of_type(CUBIN):
        body = core.section_content(index)
        image = parse_image(bytes(body)) if 0 < len(body) <= MAX_CUBIN_BYTES else None
        if image is not None:
            functions = resolve_functions(image, wanted - names.keys())
            names |= {address: demangle(name) for address, (name, _) in functions.items()}
    for grid in grids:
        grid.kernel = names.get(int(grid.entry, 16))
    for exception in exceptions:
        exception.kernel = names.get(int(exception.pc, 16)) if exception.pc else None
