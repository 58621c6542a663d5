"""Find what each thread of a process waits for, which thread holds it, and whether threads wait in a circle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from analyzer.core_dump import CoreThread, CoreWait
from analyzer.cores.dwarf.machine import Machine
from analyzer.cores.elf.memory import ProcessMemory
from analyzer.cores.elf.notes import ThreadNote
from analyzer.cores.lead_frames import choose_lead_frames, format_place
from analyzer.cores.wait_kinds import GIL, MUTEX, WaitKind, find_role, find_wait, name_frame

MAX_WAIT_FRAMES = 48  # innermost frames of a thread that are compared
MAX_SENTENCES = 12
MAX_LISTED_TIDS = 4

# Registers of a system call: its number and its first two arguments. Then the number of futex(2).
FUTEX_REGISTERS = {"x86_64": ("orig_rax", "rdi", "rsi", 202), "aarch64": ("x8", "x0", "x1", 98)}
FUTEX_COMMAND_MASK, FUTEX_WAITS = 127, (0, 6, 9, 13)  # WAIT, LOCK_PI, WAIT_BITSET, LOCK_PI2
# struct __pthread_mutex_s of glibc: __lock, __count, __owner, __nusers. __lock is 2 while others wait.
OWNER_AT, USERS_AT, CONTENDED = 8, 12, 2
NO_SYSTEM_CALL = (1 << 64) - 1  # in orig_rax: the thread is not in a system call


def fill_waits(
    threads: Sequence[CoreThread],
    notes: Sequence[ThreadNote],
    memory: ProcessMemory,
    machine: Machine,
    pid: int | None,
    gil_holder: int | None,
) -> None:
    """Set `role` and `wait` of each thread. `threads` and `notes` are in the same order."""
    tids = {note.tid for note in notes}
    for thread, note in zip(threads, notes, strict=False):
        names = [name_frame(frame) for frame in thread.frames]
        thread.role = "main thread" if thread.tid == pid else find_role(names)
        pc = machine.registers_from_note(note.registers)[machine.pc]
        is_running = note.registers.get("orig_rax") == NO_SYSTEM_CALL  # certain, even if the code cannot be read
        if pc is None or is_running or not machine.is_after_system_call(memory, pc):
            continue
        owner = find_mutex_owner(note, memory, machine, tids)
        kind = WaitKind(MUTEX, is_telling=True) if owner else find_wait(names[:MAX_WAIT_FRAMES])
        holder = owner or (gil_holder if kind.what == GIL and gil_holder != thread.tid else None)
        thread.wait = CoreWait(what=kind.what, holder=holder, is_telling=kind.is_telling)


def find_mutex_owner(note: ThreadNote, memory: ProcessMemory, machine: Machine, tids: set[int]) -> int | None:
    """Return the tid that holds the glibc mutex for which a thread waits; None if it waits for none."""
    number, address, operation, futex = FUTEX_REGISTERS[machine.name]
    registers = note.registers
    if registers.get(number) != futex or registers.get(operation, 0) & FUTEX_COMMAND_MASK not in FUTEX_WAITS:
        return None
    at = registers.get(address, 0)
    lock, owner, users = (memory.read_number(at + offset, 4) for offset in (0, OWNER_AT, USERS_AT))
    is_mutex = lock == CONTENDED and owner in tids and users is not None and 0 < users <= len(tids)
    return owner if is_mutex else None


def find_circle(threads: Sequence[CoreThread]) -> list[int]:
    """Return the tids that wait for each other in a circle, each for the next; empty if there is none."""
    held_by = {thread.tid: thread.wait.holder for thread in threads if thread.wait and thread.wait.holder}
    for start in held_by:
        path: list[int] = []
        at: int | None = start
        while at in held_by and at not in path:
            path.append(at)
            at = held_by[at]
        if at in path:
            return path[path.index(at) :]
    return []


def describe_waits(threads: Sequence[CoreThread]) -> list[str]:
    """Return sentences about what threads wait for: a circle first, then the main thread, then the largest groups."""
    by_tid = {thread.tid: thread for thread in threads}
    circle = find_circle(threads)
    sentences = [_describe_circle(circle, by_tid)] if circle else []
    groups: dict[tuple[str, int | None, str], list[CoreThread]] = {}
    for thread in threads:
        if thread.wait and thread.wait.is_telling and thread.tid not in circle:
            groups.setdefault((thread.wait.what, thread.wait.holder, _place(thread)), []).append(thread)
    order = sorted(groups.values(), key=lambda group: (group[0].role != "main thread", -len(group)))
    sentences += [_describe_group(group, by_tid) for group in order]
    running = [thread for thread in threads if thread.wait is None and thread.frames]
    sentences += [f"{_list_threads([thread])} runs{_at(thread)}" for thread in running]
    idle = Counter(thread.wait.what for thread in threads if thread.wait and not thread.wait.is_telling)
    dropped = len(sentences) - MAX_SENTENCES
    more = [f"{dropped} more groups of threads wait or run"] if dropped > 0 else []
    return [
        *sentences[:MAX_SENTENCES],
        *more,
        *(f"{count} {'threads wait' if count > 1 else 'thread waits'} for {what}" for what, count in idle.items()),
    ]


def _describe_circle(circle: Sequence[int], by_tid: Mapping[int, CoreThread]) -> str:
    steps = []
    for index, tid in enumerate(circle):
        thread, holder = by_tid[tid], circle[(index + 1) % len(circle)]
        owner = "it holds itself" if holder == tid else f"thread {holder} holds"
        steps.append(f"thread {tid}{_at(thread)} waits for {_what(thread)} that {owner}")
    return f"deadlock: {', '.join(steps)}"


def _describe_group(group: Sequence[CoreThread], by_tid: Mapping[int, CoreThread]) -> str:
    thread = group[0]
    holder = thread.wait.holder if thread.wait else None
    owner = by_tid.get(holder) if holder is not None else None
    held = f" that thread {holder} holds{_at(owner)}" if owner else ""
    verb = "wait" if len(group) > 1 else "waits"
    return f"{_list_threads(group)}{_at(thread)} {verb} for {_what(thread)}{held}"


def _list_threads(group: Sequence[CoreThread]) -> str:
    thread = group[0]
    if len(group) == 1:
        return "the main thread" if thread.role == "main thread" else f"thread {thread.tid}{_role(thread)}"
    tids = ", ".join(str(member.tid) for member in group[:MAX_LISTED_TIDS])
    return f"{len(group)} threads ({tids}{', …' if len(group) > MAX_LISTED_TIDS else ''}){_role(thread)}"


def _role(thread: CoreThread) -> str:
    return f" ({thread.role})" if thread.role else ""


def _what(thread: CoreThread) -> str:
    return thread.wait.what if thread.wait else "nothing"


def _at(thread: CoreThread) -> str:
    place = _place(thread)
    return f" in {place}" if place else ""


def _place(thread: CoreThread) -> str:
    native, python = choose_lead_frames(thread.frames)
    return ", called from ".join(format_place(frame) for frame in (native, python) if frame is not None)
