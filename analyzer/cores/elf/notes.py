"""Notes of a core: threads with their registers, the signal, the process, the auxiliary vector, the mapped files.

Format: include/uapi/linux/elf.h (types), fs/binfmt_elf.c (who writes what, in which order), each arch's
asm/elf.h and asm/ptrace.h (registers). The kernel writes the crashing thread's NT_PRSTATUS first.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from analyzer.cores.elf.headers import PT_NOTE, Buffer, ElfHeader, ElfSegment
from analyzer.cores.elf.registers import REGISTERS

NT_PRSTATUS, NT_PRPSINFO, NT_AUXV, NT_FILE, NT_SIGINFO = 1, 3, 6, 0x46494C45, 0x53494749
NT_ARM_TLS, NT_ARM_PAC_MASK = 0x401, 0x406
# The types that are read. Other notes have vector registers, with recently moved data, perhaps secrets.
READ_NOTE_TYPES = (NT_PRSTATUS, NT_PRPSINFO, NT_AUXV, NT_FILE, NT_SIGINFO, NT_ARM_TLS, NT_ARM_PAC_MASK)

EM_X86_64 = 62
MAX_NOTE_BYTES = 64 << 20  # 65530 mappings with long paths take some 15 MB
MAX_THREADS = 1 << 16
MAX_MAPPED_FILES = 1 << 18

AUXV_NAMES = {
    3: "AT_PHDR",
    4: "AT_PHENT",
    5: "AT_PHNUM",
    6: "AT_PAGESZ",
    7: "AT_BASE",
    8: "AT_FLAGS",
    9: "AT_ENTRY",
    11: "AT_UID",
    12: "AT_EUID",
    13: "AT_GID",
    14: "AT_EGID",
    15: "AT_PLATFORM",
    16: "AT_HWCAP",
    17: "AT_CLKTCK",
    23: "AT_SECURE",
    24: "AT_BASE_PLATFORM",
    25: "AT_RANDOM",
    26: "AT_HWCAP2",
    27: "AT_RSEQ_FEATURE_SIZE",
    28: "AT_RSEQ_ALIGN",
    29: "AT_HWCAP3",
    30: "AT_HWCAP4",
    31: "AT_EXECFN",
    33: "AT_SYSINFO_EHDR",
    51: "AT_MINSIGSTKSZ",
}


class ThreadNote(NamedTuple):
    """A thread at the moment of the dump; `signal` is pr_cursig, 0 if none."""

    tid: int
    ppid: int
    signal: int
    registers: dict[str, int]
    pac_mask: tuple[int, int] | None = None  # (data, code): the bits for pointer authentication (aarch64)
    tls: int | None = None  # TPIDR_EL0 (aarch64)


class SignalNote(NamedTuple):
    number: int
    code: int
    address: int  # of the union: si_addr for faults
    sender_pid: int  # of the union: si_pid for sent signals
    sender_uid: int


class ProcessNote(NamedTuple):
    pid: int
    ppid: int
    uid: int
    gid: int
    comm: str
    args: str


class MappedFile(NamedTuple):
    """One entry of NT_FILE: addresses, and the offset in the file, in bytes."""

    start: int
    end: int
    offset: int
    path: str


@dataclass(slots=True)
class CoreNotes:
    """The content of all notes. Missing values are empty.

    Only minidumps have `thread_names` (by tid), `strings` (arguments, and variables as `NAME=value`) and `written` (UTC
    seconds).
    """

    threads: list[ThreadNote] = field(default_factory=list)
    thread_names: dict[int, str] = field(default_factory=dict)
    signal: SignalNote | None = None
    process: ProcessNote | None = None
    auxv: dict[int, int] = field(default_factory=dict)
    files: list[MappedFile] = field(default_factory=list)
    strings: tuple[list[str], list[str]] = field(default_factory=lambda: ([], []))
    written: float | None = None
    problems: list[str] = field(default_factory=list)


def read_notes(data: Buffer, header: ElfHeader, segments: Sequence[ElfSegment]) -> CoreNotes:
    """Return the notes of all PT_NOTE segments, as far as the data has them."""
    notes = CoreNotes()
    for segment in segments:
        if segment.type != PT_NOTE:
            continue
        body = bytes(data[segment.offset : segment.offset + min(segment.filesz, MAX_NOTE_BYTES)])
        if len(body) < segment.filesz:
            notes.problems.append(f"the notes are cut: {len(body)} of {segment.filesz} bytes are there")
        for name, kind, desc in split_notes(body, header.order):
            if name in (b"CORE", b"LINUX"):
                _take_note(notes, header, kind, desc)
    return notes


def split_notes(body: bytes, order: str) -> Iterator[tuple[bytes, int, bytes]]:
    """Yield (name, type, descriptor) of each complete note; stop at the first that exceeds the data."""
    at, total = 0, len(body)
    while at + 12 <= total:
        namesz, descsz, kind = struct.unpack_from(order + "III", body, at)
        start = at + 12 + _pad_to_word(namesz)
        if start + descsz > total:
            return
        yield body[at + 12 : at + 12 + namesz].rstrip(b"\0"), kind, body[start : start + descsz]
        at = start + _pad_to_word(descsz)


def pack_note(name: bytes, kind: int, desc: bytes, order: str) -> bytes:
    """Return the bytes of one note: the inverse of `split_notes`."""
    label = name + b"\0"
    head = struct.pack(order + "III", len(label), len(desc), kind)
    return head + label.ljust(_pad_to_word(len(label)), b"\0") + desc.ljust(_pad_to_word(len(desc)), b"\0")


def _pad_to_word(size: int) -> int:
    """Round up to 4 bytes, in 64-bit files too: Linux and GNU deviate from the ELF specification."""
    return (size + 3) & -4


def _take_note(notes: CoreNotes, header: ElfHeader, kind: int, desc: bytes) -> None:
    if kind == NT_PRSTATUS and len(notes.threads) < MAX_THREADS:
        if thread := read_thread(desc, header):
            notes.threads.append(thread)
    elif kind == NT_PRPSINFO:
        notes.process = notes.process or read_process(desc, header)
    elif kind == NT_SIGINFO:
        # The first is the crashing thread's; gcore writes one for each thread.
        notes.signal = notes.signal or read_signal(desc, header)
    elif kind == NT_AUXV:
        notes.auxv = notes.auxv or read_auxv(desc, header)
    elif kind == NT_FILE and not notes.files:
        notes.files, problem = read_mapped_files(desc, header)
        notes.problems.extend([problem] if problem else [])
    elif kind in (NT_ARM_PAC_MASK, NT_ARM_TLS) and notes.threads:
        notes.threads[-1] = _with_arm_note(notes.threads[-1], header, kind, desc)


def _with_arm_note(thread: ThreadNote, header: ElfHeader, kind: int, desc: bytes) -> ThreadNote:
    words = [word for (word,) in struct.iter_unpack(header.order + "Q", desc[: len(desc) // 8 * 8])]
    mask, tls = thread.pac_mask, thread.tls
    if kind == NT_ARM_PAC_MASK and len(words) >= 2:
        mask = (words[0], words[1])
    elif kind == NT_ARM_TLS and words:
        tls = words[0]
    return ThreadNote(
        tid=thread.tid, ppid=thread.ppid, signal=thread.signal, registers=thread.registers, pac_mask=mask, tls=tls
    )


def read_thread(desc: bytes, header: ElfHeader) -> ThreadNote | None:
    """Return the thread in a struct elf_prstatus. Registers of an unknown machine are named `word0`, `word1` …."""
    wide = header.bits == 64
    pids, start = (32, 112) if wide else (24, 72)
    if len(desc) < start + header.word_size:
        return None
    (signal,) = struct.unpack_from(header.order + "h", desc, 12)
    tid, ppid = struct.unpack_from(header.order + "ii", desc, pids)
    register_bytes = 8 if header.machine == EM_X86_64 else header.word_size  # those of x32 are 64 bits wide too
    words = (len(desc) - start) // register_bytes
    values = struct.unpack_from(f"{header.order}{words}{'Q' if register_bytes == 8 else 'I'}", desc, start)
    names = REGISTERS.get(header.machine)
    if names is None:
        return ThreadNote(tid, ppid, signal, {f"word{n}": value for n, value in enumerate(values)})
    return ThreadNote(tid, ppid, signal, dict(zip(names, values, strict=False)))


def read_process(desc: bytes, header: ElfHeader) -> ProcessNote | None:
    """Read struct elf_prpsinfo; 32-bit x86 and ARM have 16-bit ids and thus 124 bytes, other 32-bit machines 128."""
    if header.bits == 64:
        at, ids = 16, "IIii"
    elif len(desc) < 128:
        at, ids = 8, "HHii"
    else:
        at, ids = 8, "IIii"
    strings = at + struct.calcsize("=" + ids) + 8
    if len(desc) < strings + 16:
        return None
    uid, gid, pid, ppid = struct.unpack_from(header.order + ids, desc, at)
    comm, args = desc[strings : strings + 16], desc[strings + 16 : strings + 96]
    return ProcessNote(
        pid=pid,
        ppid=ppid,
        uid=uid,
        gid=gid,
        comm=_text(comm.split(b"\0")[0]),
        args=_text(args.replace(b"\0", b" ")).rstrip(),
    )


def read_signal(desc: bytes, header: ElfHeader) -> SignalNote | None:
    """Return the signal in a siginfo_t. MIPS swaps si_errno and si_code (asm/siginfo.h)."""
    at = 16 if header.bits == 64 else 12
    if len(desc) < at + 8:
        return None
    signo, second, third = struct.unpack_from(header.order + "iii", desc)
    code = second if header.machine == 8 else third
    (address,) = struct.unpack_from(header.order + ("Q" if header.bits == 64 else "I"), desc, at)
    sender, uid = struct.unpack_from(header.order + "iI", desc, at)
    return (
        SignalNote(number=signo, code=code, address=address, sender_pid=sender, sender_uid=uid)
        if 0 < signo <= 128
        else None
    )


def read_auxv(desc: bytes, header: ElfHeader) -> dict[int, int]:
    pair = struct.Struct(header.order + ("QQ" if header.bits == 64 else "II"))
    vector: dict[int, int] = {}
    for key, value in pair.iter_unpack(desc[: len(desc) // pair.size * pair.size]):
        if key == 0:
            break
        vector[key] = value
    return vector


def read_mapped_files(desc: bytes, header: ElfHeader) -> tuple[list[MappedFile], str | None]:
    """Read NT_FILE: count, page size, (start, end, page offset) each, then the names."""
    word = header.word_size
    if len(desc) < 2 * word:
        return [], "NT_FILE is too short"
    letter = "Q" if header.bits == 64 else "I"
    count, page = struct.unpack_from(f"{header.order}2{letter}", desc)
    max_count = (len(desc) - 2 * word) // (3 * word + 1)
    problem = f"NT_FILE claims {count} mappings, {max_count} at most fit" if count > max_count else None
    if problem or count > MAX_MAPPED_FILES:
        return [], problem or f"NT_FILE claims {count} mappings"
    triples = struct.iter_unpack(f"{header.order}3{letter}", desc[2 * word : 2 * word + count * 3 * word])
    names = desc[2 * word + count * 3 * word :].split(b"\0")
    files = [
        MappedFile(start, end, pages * page, _text(name))
        for (start, end, pages), name in zip(triples, names, strict=False)
        if start < end
    ]
    return files, problem


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "backslashreplace")
