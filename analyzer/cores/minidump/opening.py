"""Open a minidump of Breakpad or Crashpad as a core: the same threads and modules, but less memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from analyzer.cores.elf.binaries import BinaryLocator, attach_binaries
from analyzer.cores.elf.headers import ET_CORE, PF_R, PF_X, Buffer, ElfHeader, ElfSegment
from analyzer.cores.elf.memory import ProcessMemory
from analyzer.cores.elf.module_discovery import AT_ENTRY, AT_PHDR, MAX_MODULES
from analyzer.cores.elf.modules import LoadedModule, ModuleMap
from analyzer.cores.elf.notes import (
    MAX_THREADS,
    CoreNotes,
    MappedFile,
    ProcessNote,
    SignalNote,
    ThreadNote,
    read_auxv,
)
from analyzer.cores.minidump.contexts import PROCESSORS, Processor, read_registers
from analyzer.cores.minidump.linux_texts import MemoryRegion, drop_overlapping, parse_maps, parse_status, split_strings
from analyzer.cores.minidump.memory_layout import lay_out_memory
from analyzer.cores.minidump.streams import (
    AUXV,
    CMD_LINE,
    ENVIRON,
    MAPS,
    MEMORY_64,
    MISC,
    PROC_STATUS,
    SYSTEM,
    Minidump,
    MinidumpModule,
    read_directory,
    read_exception,
    read_memory_ranges,
    read_modules,
    read_thread_names,
    read_threads,
)
from analyzer.cores.opened_core import OpenedCore, describe_missing_memory

PLATFORM_AT = 20  # in the stream of the system
LINUX_PLATFORMS = (0x8201, 0x8203)  # Linux and Android
PLATFORM_NAMES = {1: "Windows", 2: "Windows", 3: "Windows", 0x8101: "macOS", 0x8102: "iOS"}
MAX_SIGNAL = 64  # higher codes are of dumps that were requested without a crash
HAS_PROCESS_ID = 1  # MINIDUMP_MISC1_PROCESS_ID
LIBRARY_FOLDERS = tuple(
    map(Path, ("/lib64", "/usr/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/lib", "/usr/lib"))
)
VDSO_NAMES = ("linux-vdso", "linux-gate")


def open_minidump(data: Buffer, locator: BinaryLocator) -> OpenedCore | str:
    """Return the minidump as a core; a sentence if its processor or its system is not supported.

    Never raises for damaged data.
    """
    minidump = read_directory(data)
    system = minidump.content(SYSTEM)
    platform = int.from_bytes(system[PLATFORM_AT : PLATFORM_AT + 4], "little")
    if platform not in LINUX_PLATFORMS:
        name = PLATFORM_NAMES.get(platform, "a system that it does not state")
        return f"a minidump of {name}: only those of Linux are read; `minidump-stackwalk FILE` may show it"
    processor = PROCESSORS.get(int.from_bytes(system[:2], "little"))
    if processor is None:
        return "a minidump of a processor that is not read; `minidump-stackwalk FILE` may show it"
    mappings = parse_maps(minidump.text(MAPS))
    listed = list(read_modules(minidump))[:MAX_MODULES]
    notes = _read_notes(minidump, processor, mappings)
    segments = lay_out_memory(list(read_memory_ranges(minidump)), mappings or _mappings_of_modules(listed))
    memory = ProcessMemory(data, len(data), segments, "<", processor.bits)
    modules = _make_modules(listed, notes)
    locator = replace(locator, library_folders=_list_library_folders(modules.main))
    attach_binaries(modules, memory, locator)
    return OpenedCore(
        data=data,
        header=_make_header(processor),
        segments=segments,
        notes=notes,
        memory=memory,
        modules=modules,
        locator=locator,
        problems=[*_describe_limits(minidump, segments), *minidump.problems, *describe_missing_memory(memory)],
    )


def _list_library_folders(main: LoadedModule | None) -> list[Path]:
    """Return the folders of libraries for which Crashpad notes only the name: those of the system and
    of the program.
    """
    program = PurePosixPath(main.path if main else "")
    own = [program.parent, program.parent.parent / "lib"] if program.is_absolute() and ".." not in program.parts else []
    return [*map(Path, own), *LIBRARY_FOLDERS]


def _describe_limits(minidump: Minidump, segments: Sequence[ElfSegment]) -> list[str]:
    problems = []
    if MEMORY_64 not in minidump.rows:
        size = sum(segment.filesz for segment in segments)
        problems.append(
            f"a minidump: of the process's memory it has {size:,} bytes, mostly of stacks; what lies elsewhere, as "
            "Python's frames and most messages do, is not in it"
        )
    if unread := minidump.unread_streams:
        problems.append(f"not read of the minidump: {', '.join(unread)}")
    return problems


def _make_header(processor: Processor) -> ElfHeader:
    return ElfHeader(
        bits=processor.bits,
        order="<",
        type=ET_CORE,
        machine=processor.machine,
        entry=0,
        phoff=0,
        shoff=0,
        phentsize=0,
        phnum=0,
        shentsize=0,
        shnum=0,
        shstrndx=0,
    )


def _read_notes(minidump: Minidump, processor: Processor, mappings: Sequence[MemoryRegion]) -> CoreNotes:
    """Return the notes as a core would state them. The thread of the exception comes first, as in a core."""
    status = parse_status(minidump.text(PROC_STATUS))
    process = _read_process(minidump, status)
    exception = read_exception(minidump)
    signal = _read_signal(exception.ExceptionRecord) if exception is not None else None
    threads: dict[int, ThreadNote] = {}
    if exception is not None:  # at the fault; in the list, this thread may be in the handler that wrote the minidump
        context = exception.ThreadContext
        registers = read_registers(minidump.data, context.Rva, context.DataSize, processor)
        threads[exception.ThreadId] = _make_thread(exception.ThreadId, process, signal, registers)
    for row in read_threads(minidump)[:MAX_THREADS]:
        context = row.ThreadContext
        registers = read_registers(minidump.data, context.Rva, context.DataSize, processor)
        if registers and processor.machine == 62:
            registers["fs_base"] = row.Teb
        thread = threads.get(row.ThreadId)
        if thread is None or not thread.registers:
            threads[row.ThreadId] = _make_thread(row.ThreadId, process, signal if thread else None, registers)
        elif "fs_base" in registers:
            thread.registers["fs_base"] = row.Teb
    return CoreNotes(
        threads=list(threads.values()),
        thread_names=read_thread_names(minidump),
        signal=signal,
        process=process,
        auxv=read_auxv(minidump.content(AUXV), _make_header(processor)),
        files=[MappedFile(m.start, m.end, m.offset, m.path) for m in mappings if m.path.startswith("/")],
        strings=(split_strings(minidump.content(CMD_LINE)), split_strings(minidump.content(ENVIRON))),
        written=float(minidump.written) if minidump.written else None,
    )


def _make_thread(
    tid: int, process: ProcessNote | None, signal: SignalNote | None, registers: dict[str, int]
) -> ThreadNote:
    return ThreadNote(
        tid=tid, ppid=process.ppid if process else 0, signal=signal.number if signal else 0, registers=registers
    )


def _read_process(minidump: Minidump, status: dict[str, str]) -> ProcessNote | None:
    """Return the process by Breakpad's copy of /proc, or with only its pid, for Crashpad."""
    numbers = {key: int(value) for key, value in status.items() if value.isdecimal() and len(value) < 11}
    misc = minidump.content(MISC)
    if "Tgid" not in numbers and int.from_bytes(misc[4:8], "little") & HAS_PROCESS_ID:
        numbers["Tgid"] = int.from_bytes(misc[8:12], "little")
    if "Tgid" not in numbers:
        return None
    return ProcessNote(
        pid=numbers["Tgid"],
        ppid=numbers.get("PPid", 0),
        uid=numbers.get("Uid", 0),
        gid=numbers.get("Gid", 0),
        comm=status.get("Name", ""),
        args="",
    )


def _read_signal(record: Any) -> SignalNote | None:
    """Return the signal of an exception: its code is the number, its flags are si_code.

    The sender of a signal is in the parameters (Crashpad) or in the place of the address (Breakpad).
    """
    number, address = record.ExceptionCode_raw, record.ExceptionAddress
    if not 0 < number <= MAX_SIGNAL:
        return None
    code = record.ExceptionFlags - (1 << 32) * (record.ExceptionFlags >> 31)
    sender = record.ExceptionInformation[:2] if len(record.ExceptionInformation) >= 2 else (address, address >> 32)
    pid, uid = (value & 0xFFFFFFFF for value in sender)
    return SignalNote(number=number, code=code, address=address, sender_pid=pid, sender_uid=uid)


def _mappings_of_modules(modules: Sequence[MinidumpModule]) -> list[MemoryRegion]:
    """Return each module as one mapping of code: Crashpad notes neither mappings nor protections."""
    return drop_overlapping(
        MemoryRegion(start=module.start, end=module.end, flags=PF_R | PF_X, offset=0, path=module.path)
        for module in modules
    )


def _make_modules(listed: Sequence[MinidumpModule], notes: CoreNotes) -> ModuleMap:
    """Return the modules. Without the mappings of its file, a module counts as mapped from the file's beginning."""
    modules: list[LoadedModule] = []
    for row in listed:
        files = [f for f in notes.files if f.path == row.path and row.start <= f.start < row.end]
        path = "[vdso]" if row.path.startswith(VDSO_NAMES) else row.path
        modules.append(
            LoadedModule(
                path=path,
                start=row.start,
                end=row.end,
                build_id=row.build_id,
                files=files or [MappedFile(row.start, row.end, 0, row.path)],
            )
        )
    first = modules[0] if modules else None
    module_map = ModuleMap(modules)
    entry = module_map.find_module(notes.auxv.get(AT_PHDR) or notes.auxv.get(AT_ENTRY) or 0) or first
    if entry is not None:
        entry.is_main = True
    return module_map
