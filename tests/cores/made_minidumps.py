"""Minidumps by Breakpad's layout, of the process whose core a kernel wrote: its registers, stacks, modules and texts.

The order of the streams and what each holds is that of Breakpad's client/linux/minidump_writer/minidump_writer.cc. Of a
stack there is what its mapping has from the stack pointer's page on, of the code 256 bytes around the instruction.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

from analyzer.cores.elf.binaries import BinaryLocator
from analyzer.cores.elf.memory import ProcessMemory
from analyzer.cores.elf.notes import ThreadNote
from analyzer.cores.minidump.linux_texts import parse_maps
from analyzer.cores.opened_core import OpenedCore, map_core, open_core
from analyzer.cores.process_info import format_flags, read_strings

WRITTEN = 1_772_359_200  # 2026-03-01 10:00:00 UTC
MAX_STACK_BYTES, CODE_BYTES = 1 << 16, 256
SYSTEM_LINUX, AMD64, ARM64 = 0x8201, 9, 12


class MinidumpFile:
    """A minidump that grows: parts are appended, streams are noted in the directory."""

    def __init__(self, streams: int) -> None:
        self.data = bytearray(32 + 12 * streams)
        self.rows: list[tuple[int, int, int]] = []

    def append(self, part: bytes) -> tuple[int, int]:
        """(size, offset) of a part: MINIDUMP_LOCATION_DESCRIPTOR."""
        self.data += bytes(-len(self.data) % 8)
        at = len(self.data)
        self.data += part
        return len(part), at

    def append_text(self, text: str) -> int:
        raw = text.encode("utf-16-le")
        return self.append(struct.pack("<I", len(raw)) + raw + b"\0\0")[1]

    def add_stream(self, kind: int, content: bytes) -> None:
        self.rows.append((kind, *self.append(content)))

    def finish(self) -> bytes:
        struct.pack_into("<4sIIIIIQ", self.data, 0, b"MDMP", 0xA793, len(self.rows), 32, 0, WRITTEN, 0)
        for index, row in enumerate(self.rows):
            struct.pack_into("<III", self.data, 32 + 12 * index, *row)
        return bytes(self.data)


def pack_amd64(registers: Mapping[str, int]) -> bytes:
    """MDRawContextAMD64, without floating point."""
    names = ("rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", *(f"r{number}" for number in range(8, 16)), "rip")
    context = bytearray(1232)
    struct.pack_into("<I", context, 48, 0x10000B)
    struct.pack_into("<I", context, 68, registers.get("eflags", 0) & 0xFFFFFFFF)
    struct.pack_into("<17Q", context, 120, *(registers.get(name, 0) for name in names))
    return bytes(context)


def pack_arm64(registers: Mapping[str, int]) -> bytes:
    """MDRawContextARM64, without floating point."""
    names = (*(f"x{number}" for number in range(31)), "sp", "pc")
    return struct.pack("<II33Q", 0x400000, 0, *(registers.get(name, 0) for name in names)).ljust(912, b"\0")


def pack_exception(tid: int, signal: int, code: int, address: int, context: tuple[int, int]) -> bytes:
    record = struct.pack("<IIQQII", signal, code & 0xFFFFFFFF, 0, address, 0, 0) + bytes(120)
    return struct.pack("<II", tid, 0) + record + struct.pack("<II", *context)


def pack_system(architecture: int = AMD64, platform: int = SYSTEM_LINUX) -> bytes:
    return struct.pack("<HHHBBIIIIIHH", architecture, 6, 0, 2, 0, 6, 1, 0, platform, 0, 0, 0).ljust(56, b"\0")


def make_minidump(path: Path, has_texts: bool = True) -> bytes:
    """A minidump of the process of an x86_64 core. `has_texts`: with Breakpad's copies from /proc."""
    mapped = map_core(path)
    assert isinstance(mapped, tuple) and mapped[1] is not None
    core = open_core(*mapped, BinaryLocator())  # type: ignore[arg-type]
    out = MinidumpFile(streams=10)
    blocks: list[tuple[int, tuple[int, int]]] = []
    rows, contexts = [], []
    for thread in core.notes.threads:
        start, stack = _stack(core.memory, thread)
        place = out.append(stack)
        if stack:
            blocks.append((start, place))
        if thread is core.notes.threads[0]:
            code_at = thread.registers["rip"] - CODE_BYTES // 2
            blocks.append((code_at, out.append(core.memory.read_some(code_at, CODE_BYTES))))
        contexts.append(out.append(pack_amd64(thread.registers)))
        rows.append(struct.pack("<IIIIQQIIII", thread.tid, 0, 0, 0, 0, start, *place, *contexts[-1]))
    out.add_stream(3, struct.pack("<I", len(rows)) + b"".join(rows))
    modules = [_module(out, core, module.path, module.start, module.end, module.build_id) for module in _ordered(core)]
    out.add_stream(4, struct.pack("<I", len(modules)) + b"".join(modules))
    ranges = [struct.pack("<QII", start, *place) for start, place in blocks]
    out.add_stream(5, struct.pack("<I", len(ranges)) + b"".join(ranges))
    signal, tid = core.notes.signal, core.notes.threads[0].tid
    assert signal is not None
    out.add_stream(6, pack_exception(tid, signal.number, signal.code, signal.address, contexts[0]))
    out.add_stream(7, pack_system())
    if has_texts:
        _add_texts(out, core)
    return out.finish()


def _stack(memory: ProcessMemory, thread: ThreadNote) -> tuple[int, bytes]:
    pointer = thread.registers["rsp"]
    start, segment = pointer & -4096, memory.find_segment(pointer)
    return (
        (pointer, b"")
        if segment is None
        else (start, memory.read_some(start, min(MAX_STACK_BYTES, segment.end - start)))
    )


def _ordered(core: OpenedCore) -> Sequence[object]:
    return sorted((m for m in core.modules.modules if m.path != "[vdso]"), key=lambda module: not module.is_main)


def _module(out: MinidumpFile, core: OpenedCore, path: str, start: int, end: int, build_id: str | None) -> bytes:
    record = (0, 0) if build_id is None else out.append(b"LEpB" + bytes.fromhex(build_id))
    head = struct.pack("<QIIII", start, end - start, 0, 0, out.append_text(path))
    return head + bytes(52) + struct.pack("<II", *record) + bytes(24)


def _add_texts(out: MinidumpFile, core: OpenedCore) -> None:
    process = core.notes.process
    assert process is not None
    status = {"Name": process.comm, "Tgid": process.pid, "Pid": core.notes.threads[0].tid, "PPid": process.ppid}
    status |= {"Uid": f"{process.uid}\t0\t0\t0", "Gid": f"{process.gid}\t0\t0\t0"}
    out.add_stream(0x47670004, "".join(f"{name}:\t{value}\n" for name, value in status.items()).encode())
    arguments, variables, _ = read_strings(core.memory, core.notes)
    for kind, strings in ((0x47670006, arguments), (0x47670007, variables)):
        out.add_stream(kind, "".join(f"{text}\0" for text in strings).encode())
    auxv = b"".join(struct.pack("<QQ", *pair) for pair in (*core.notes.auxv.items(), (0, 0)))
    out.add_stream(0x47670008, auxv)
    files = {file.start: file for file in core.notes.files}
    lines = []
    for segment in core.memory.mapped_segments:
        file = files.get(segment.vaddr)
        place = f"{file.offset:08x} 08:01 7 {file.path}" if file else "00000000 00:00 0"
        lines.append(f"{segment.vaddr:x}-{segment.end:x} {format_flags(segment)}p {place}\n")
    assert len(parse_maps("".join(lines))) == len(lines)
    out.add_stream(0x47670009, "".join(lines).encode())
