"""Read GPU cores of CUDA (`.nvcudmp`): devices, kernels, exceptions with places and stacks, and other running warps."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from analyzer.core_dump import GpuCore, GpuDevice, GpuException, GpuGrid, GpuPlace
from analyzer.cores.elf.headers import Buffer, ElfHeader
from analyzer.cores.gpu_code import GpuCode, look_up_code
from analyzer.cores.gpu_tables import (
    BLOCKS,
    CALLS,
    DEVICES,
    GRIDS,
    LANES,
    LAST_KNOWN_TYPE,
    METADATA,
    SM_EXCEPTION_LAYOUT,
    SMS,
    WARPS,
    GpuRow,
    GpuTables,
    open_tables,
    string_table,
)

MAX_LISTED_EXCEPTIONS = 64  # exceptions that are listed one by one
MAX_LISTED_PLACES = 16
MAX_FRAMES = 32  # of one stack

# CUDA debugger API, CUDBGException_t, in the words of cuda-gdb; the number is the code in the tables.
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
    15: "Lane Nonmigratable Atomic",
    16: "Lane Invalid Atomic",
    17: "Cluster Out-of-range Address",
    18: "Cluster Block Not Present",
    19: "Warp Stack Canary",
    20: "Warp Tensor Memory Access Check",
    21: "Warp Tensor Memory Leak",
    22: "Warp Call Requires Newer Driver",
    23: "Warp Misaligned PC",
    24: "Warp PC Overflow",
    25: "Warp Misaligned Register",
    26: "Warp Illegal Instruction Encoding",
    27: "Warp Illegal Instruction Parameter",
    28: "Warp Out-of-range Register",
    29: "Warp Invalid Constant Address",
    30: "Warp MMU Fault",
    31: "Warp Barrier Arrival Mismatch",
    32: "Cluster Poison",
    33: "Warp API Stack Error",
    34: "Warp Block Not Present",
    35: "Warp User Stack Overflow",
    36: "Tensor Memory Access Error",
}
ASSERT = 12
TRAP = "Warp Trap"  # no code: a trap or breakpoint instruction was executed, as __trap() has one


@dataclass(slots=True)
class _Findings:
    """What the warps show. The addresses of a stack are innermost first."""

    exceptions: list[tuple[GpuException, list[int]]] = field(default_factory=list)
    running: Counter[tuple[int | None, tuple[int, ...]]] = field(default_factory=Counter)  # by grid and stack


def read_gpu_core(data: Buffer, header: ElfHeader) -> tuple[GpuCore, list[str]]:
    """Return the content of a GPU core, and sentences about what could not be read. Never raises for damaged data."""
    tables = open_tables(data, header)
    if not len(tables.table):
        tables.problems.append(
            "the table of sections at the end of the GPU core is missing; do not end the process before it is written"
        )
    _note_unknown_types(tables)
    names = string_table(tables, header)
    gpu = GpuCore(
        devices=[_device(row.fields, names) for row in tables.rows(DEVICES)],
        grids=[_grid(row.fields) for row in tables.rows(GRIDS)],
    )
    findings = _read_sms(tables)
    entries = [int(grid.entry, 16) for grid in gpu.grids]
    stacks = [stack for _, stack in findings.exceptions] + [list(stack) for _, stack in findings.running]
    looked_up = {address - bool(depth) for stack in stacks for depth, address in enumerate(stack)}
    code = look_up_code(tables, {*entries, *looked_up, *(stack[0] - 1 for stack in stacks if stack)})
    for grid, entry in zip(gpu.grids, entries, strict=True):
        grid.kernel = code.kernel(entry)
    kernels: dict[int | None, str | None] = {grid.id: grid.kernel for grid in gpu.grids}
    for exception, stack in findings.exceptions:
        exception.kernel = kernels.get(exception.grid) or (code.kernel(stack[0]) if stack else None)
        exception.frames = list(code.frames(stack, is_call=exception.code == ASSERT))
        gpu.exceptions.append(exception)
    if not gpu.exceptions:
        gpu.running = _list_running(findings, code, kernels)
    metadata = next((row.fields for row in tables.rows(METADATA)), None)
    if metadata is not None:
        _, driver, driver_minor, cuda, cuda_minor, _, written = metadata
        gpu.driver, gpu.cuda, gpu.written = f"{driver}.{driver_minor}", f"{cuda}.{cuda_minor}", float(written)
    if not gpu.devices:
        tables.problems.append("it has no table of devices")
    return gpu, tables.problems


def _note_unknown_types(tables: GpuTables) -> None:
    kinds = tables.table["type"]
    unknown = Counter(map(int, kinds[kinds > LAST_KNOWN_TYPE]))
    if unknown:
        listed = ", ".join(f"{kind:#x}" for kind in sorted(unknown)[:8])
        tables.problems.append(f"{sum(unknown.values())} sections are of kinds that are not known: {listed}")


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


def _read_sms(tables: GpuTables) -> _Findings:
    """Read the exceptions of each SM's lanes and warps, else the SM's own, and the stacks of the other warps."""
    findings = _Findings()
    for sm in tables.rows(SMS):
        device, before = int(tables.table[sm.section]["info"]), len(findings.exceptions)
        for block in tables.rows(BLOCKS, sm.section, sm.number):
            for warp in tables.rows(WARPS, block.section, block.number):
                _read_warp(tables, block, warp, findings)
        if len(findings.exceptions) == before and len(sm.raw) >= 8 + SM_EXCEPTION_LAYOUT.size:
            code, is_known, pc = SM_EXCEPTION_LAYOUT.unpack_from(sm.raw, 8)
            if code:
                findings.exceptions.append((_make_exception(code, pc if is_known else None), [pc] if is_known else []))
        for exception, _ in findings.exceptions[before:]:
            exception.device, exception.sm = device, sm.fields[0]
        if len(findings.exceptions) > MAX_LISTED_EXCEPTIONS:
            del findings.exceptions[MAX_LISTED_EXCEPTIONS:]
            tables.problems.append(f"more than {MAX_LISTED_EXCEPTIONS} exceptions: the others are not listed")
            break
    return findings


def _read_warp(tables: GpuTables, block: GpuRow, warp: GpuRow, findings: _Findings) -> None:
    error_pc, number, valid, _, is_broken, is_known = warp.fields
    lanes = list(tables.rows(LANES, warp.section, warp.number))
    struck = [lane for lane in lanes if lane.fields[6]]
    exceptions: list[tuple[GpuException, list[int]]] = []
    for code in sorted({lane.fields[6] for lane in struck}):
        alike = [lane for lane in struck if lane.fields[6] == code]
        pc = error_pc if is_known else alike[0].fields[0]
        exceptions.append((_make_exception(code, pc, alike), [pc, *_return_addresses(tables, alike[0])]))
    live = [lane for lane in lanes if valid >> (lane.fields[2] & 31) & 1] or lanes
    if is_known and not struck:  # an error of the warp; newer drivers say in the SM which one
        exceptions.append((_make_exception(0, error_pc), [error_pc]))
    elif is_broken and not struck and live:
        exception = _make_exception(0, live[0].fields[0], live)
        exception.exception = TRAP
        exceptions.append((exception, [live[0].fields[0], *_return_addresses(tables, live[0])]))
    elif not struck and live:
        findings.running[block.fields[0], (live[0].fields[0], *_return_addresses(tables, live[0]))] += 1
    for exception, _ in exceptions:
        exception.grid, exception.block, exception.warp = block.fields[0], list(block.fields[1:4]), number
    findings.exceptions += exceptions


def _return_addresses(tables: GpuTables, lane: GpuRow) -> list[int]:
    calls = sorted((row.fields for row in tables.rows(CALLS, lane.section, lane.number)), key=lambda call: call[2])
    return [address for _, address, _ in calls[: MAX_FRAMES - 1]]


def _make_exception(code: int, pc: int | None, lanes: list[GpuRow] | None = None) -> GpuException:
    name = EXCEPTION_NAMES.get(code, f"exception {code}" if code else "an error that no table names")
    exception = GpuException(code=code or None, exception=name, pc=f"{pc:#x}" if pc is not None else None)
    if lanes:
        exception.lanes = [lane.fields[2] for lane in lanes]
        exception.thread = list(lanes[0].fields[3:6])
    return exception


def _list_running(findings: _Findings, code: GpuCode, kernels: dict[int | None, str | None]) -> list[GpuPlace]:
    """Return the places of warps without an exception, most warps first. Equal stacks of lines are one place."""
    places: dict[tuple[object, ...], GpuPlace] = {}
    for (grid, stack), warps in findings.running.items():
        frames = list(code.frames(stack))
        kernel = kernels.get(grid) or code.kernel(stack[0])
        key = (kernel, *((frame.function, frame.file, frame.line) for frame in frames))
        place = places.setdefault(key, GpuPlace(kernel=kernel, warps=0, frames=frames))
        place.warps += warps
    return sorted(places.values(), key=lambda place: -place.warps)[:MAX_LISTED_PLACES]
