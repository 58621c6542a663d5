"""From the registers of a thread to its frames: call frame information, then validated frame pointers.

Each frame says how it was found: `context` (the registers), `cfi`, `frame-pointer`, `scan` (the return address was
taken from where a call leaves it, because the thread stands at an address that is no code). A stack says why it ends.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from analyzer.cores.cfi import FrameTable
from analyzer.cores.expressions import WORD, evaluate
from analyzer.cores.loaded import Module, Modules
from analyzer.cores.machine import Machine, Registers
from analyzer.cores.memory import Memory, State
from analyzer.cores.notes import ThreadNote
from analyzer.cores.rows import EXPRESSION, OFFSET, REGISTER, SAME, UNDEFINED, VAL_EXPRESSION, VAL_OFFSET, Row
from analyzer.cores.words import END, How

HEAD, TAIL = 200, 50  # frames that are kept of a stack that is deeper
MAX_FRAMES = 4_000_000
MAX_PERIOD = 64


class Frame(NamedTuple):
    """`exact`: `pc` is the instruction itself; otherwise it is a return address, and the call stands before it.

    `sp` is the stack pointer inside this frame. `trampoline`: a signal handler returns here.
    """

    pc: int
    sp: int | None
    how: How
    exact: bool
    module: Module | None
    trampoline: bool = False

    @property
    def lookup(self) -> int:
        """An address inside the instruction that is executing: what symbols and lines are looked up by."""
        return self.pc if self.exact else self.pc - 1


class _Caller(NamedTuple):
    """The frame that a step led to. `exact`: a signal interrupted it right at `pc`, perhaps on a stack of its own."""

    registers: Registers
    how: How
    exact: bool


class Stack(NamedTuple):
    """The frames of a thread, innermost first. Behind the first HEAD, `omitted` more are left out; they repeat every
    `period` frames (0: no period)."""

    frames: tuple[Frame, ...]
    stop: str
    omitted: int = 0
    period: int = 0


@dataclass(slots=True)
class Unwinder:
    """What all stacks of a core share: memory, modules, and the rules that were looked up already."""

    memory: Memory
    modules: Modules
    machine: Machine
    deadline: float  # of time.thread_time(): a busy machine must not change what is found
    _tables: dict[int, FrameTable] = field(default_factory=dict)
    _code: dict[int, bool] = field(default_factory=dict)
    _plans: dict[int, tuple[Module | None, Row | None]] = field(default_factory=dict)

    def unwind(self, thread: ThreadNote) -> Stack:
        machine = self.machine
        if thread.pac_mask is not None:
            machine = machine.with_mask(thread.pac_mask[1])
        registers = machine.from_note(thread.registers)
        kept = _Keep()
        how: How = "context"
        exact, stop = True, ""
        while not stop:
            pc = registers[machine.pc]
            if pc is None:
                stop = "the program counter is unknown"
                break
            module, row = self.plan(pc if exact else pc - 1)
            # A signal trampoline is not called: its address is its first instruction.
            trampoline = row is not None and row.signal
            kept.add(pc, registers[machine.sp], how, exact or trampoline, module, trampoline)
            if kept.count >= MAX_FRAMES or (kept.count % 1024 == 0 and time.thread_time() > self.deadline):
                stop = f"stopped after {kept.count} frames: out of time"
                break
            caller = self._step(machine, registers, row, module, kept.count == 1)
            if isinstance(caller, str):
                stop = caller
                break
            stop = self._check(machine, registers, caller.registers, caller.exact)
            registers, how, exact = caller
        return kept.stack(stop)

    @property
    def looked_up(self) -> dict[int, Module | None]:
        """Every address whose rules some stack asked for, with its module."""
        return {address: module for address, (module, _) in self._plans.items()}

    def plan(self, address: int) -> tuple[Module | None, Row | None]:
        found = self._plans.get(address)
        if found is None:
            found = self._plans[address] = self._make_plan(address)
        return found

    def _make_plan(self, address: int) -> tuple[Module | None, Row | None]:
        module = self.modules.at(address)
        if module is None or module.image is None or module.bias is None:
            return module, None
        table = self._tables.get(id(module))
        if table is None:
            table = self._tables[id(module)] = FrameTable(module.image)
        return module, table.row(address - module.bias)

    def _step(
        self, machine: Machine, registers: Registers, row: Row | None, module: Module | None, first: bool
    ) -> _Caller | str:
        """Why there is none, in words."""
        if row is None or (row.signal and machine.name == "aarch64"):
            # The arm64 vDSO's own rules give back frame pointer and link register alone.
            restored = machine.restore_signal(self.memory, registers)
            if restored is not None:
                return _Caller(restored, "cfi", True)
        reason = ""
        if row is not None:
            caller, reason = apply_row(row, registers, machine, self.memory)
            if not reason:
                return _Caller(caller, "cfi", row.signal)
            if reason == END:
                return END
        pc = registers[machine.pc] or 0
        if first and not self.memory.is_executable(pc):
            caller_or_none = machine.undo_call(self.memory, registers)
            if caller_or_none and self.memory.is_executable(caller_or_none[machine.pc] or 0):
                return _Caller(caller_or_none, "scan", False)
            return f"the program counter {pc:#x} is no code"
        followed = self._follow_frame_pointer(machine, registers) if row is None else None
        if followed:
            return _Caller(followed, "frame-pointer", False)
        return reason or f"no unwind information for {pc:#x} in {_describe(module)}"

    def _follow_frame_pointer(self, machine: Machine, registers: Registers) -> Registers | None:
        """The caller by the chain of frame pointers, if all that can be checked is right."""
        pointer, sp = registers[machine.fp], registers[machine.sp]
        if not pointer or sp is None or pointer % 8 or pointer < sp or pointer - sp > 1 << 24:
            return None
        saved, target = self.memory.word(pointer), self.memory.word(pointer + 8)
        if saved is None or not target:  # what was saved is checked when it is used
            return None
        target = machine.strip(target)
        if not self.memory.is_executable(target) or not machine.follows_call(self.memory, target):
            return None
        caller: Registers = [None] * len(registers)
        caller[machine.pc], caller[machine.sp], caller[machine.fp] = target, pointer + 16, saved
        return caller

    def _check(self, machine: Machine, callee: Registers, caller: Registers, interrupted: bool) -> str:
        """Why the caller cannot be one; empty when it can."""
        pc, sp, below = caller[machine.pc], caller[machine.sp], callee[machine.sp]
        if not pc:
            return END if pc == 0 else "the return address is not known"
        if sp is None or below is None:
            return "the stack pointer is not known"
        if sp < below and not interrupted and self.memory.segment(sp) is self.memory.segment(below):
            return "the stack pointer goes back"
        if sp == below and pc == callee[machine.pc]:
            return "the frame is its own caller"
        if pc not in self._code:
            self._code[pc] = self.memory.is_executable(pc)
        if not self._code[pc]:
            return f"the return address {pc:#x} is no code"
        return ""


def _describe(module: Module | None) -> str:
    return f"{module.name} ({module.status})" if module else "unmapped or anonymous memory"


def apply_row(row: Row, registers: Registers, machine: Machine, memory: Memory) -> tuple[Registers, str]:
    """The caller's registers by the rules of a row, and why they cannot be had."""
    if row.cfa_expression is not None:
        cfa = evaluate(row.cfa_expression, registers, memory)
    else:
        base = registers[row.cfa_register] if row.cfa_register < len(registers) else None
        cfa = None if base is None else base + row.cfa_offset & WORD
    if cfa is None:
        return registers, "the frame's address is not known"
    caller = list(registers)
    caller[machine.sp] = cfa
    for number, kind, argument in row.rules:
        if number >= len(caller):
            continue
        if kind == OFFSET:
            caller[number] = memory.word(cfa + argument & WORD)  # type: ignore[operator]
        else:
            caller[number] = _find_register(kind, argument, number, registers, cfa, memory)
        if number == row.return_register and caller[number] is None:
            if kind == UNDEFINED:
                return caller, END
            gone = memory.state(cfa) is not State.CORE
            return caller, f"the stack at {cfa:#x} is not in the core" if gone else "the return address is not known"
    target = caller[row.return_register] if row.return_register < len(caller) else None
    caller[machine.pc] = None if target is None else machine.strip(target)
    return caller, ""


def _find_register(
    kind: int, argument: int | bytes, number: int, registers: Sequence[int | None], cfa: int, memory: Memory
) -> int | None:
    if isinstance(argument, bytes):
        value = evaluate(argument, registers, memory, cfa)
        return value if kind == VAL_EXPRESSION or value is None else memory.word(value)
    rules: dict[int, Callable[[], int | None]] = {
        SAME: lambda: registers[number],
        UNDEFINED: lambda: None,
        VAL_OFFSET: lambda: cfa + argument & WORD,
        REGISTER: lambda: registers[argument] if argument < len(registers) else None,
        EXPRESSION: lambda: None,
    }
    return rules[kind]()


@dataclass(slots=True)
class _Keep:
    """Keeps the head and the tail of a stack, and its program counters for the period."""

    head: list[Frame] = field(default_factory=list)
    tail: deque[tuple[int, int | None, How, bool, Module | None, bool]] = field(
        default_factory=lambda: deque(maxlen=TAIL)
    )
    window: list[int] = field(default_factory=list)
    count: int = 0

    def add(self, pc: int, sp: int | None, how: How, exact: bool, module: Module | None, trampoline: bool) -> None:
        self.count += 1
        if self.count <= HEAD:
            self.head.append(Frame(pc, sp, how, exact, module, trampoline))
        else:
            self.tail.append((pc, sp, how, exact, module, trampoline))
            if self.count < HEAD + 16 * MAX_PERIOD:
                self.window.append(pc)

    def stack(self, stop: str) -> Stack:
        omitted = self.count - len(self.head) - len(self.tail)
        frames = (*self.head, *(Frame(*part) for part in self.tail))
        return Stack(frames, stop, omitted, find_period(self.window) if omitted else 0)


def find_period(values: Sequence[int]) -> int:
    """The smallest distance at which a sequence repeats itself; 0 if none."""
    for period in range(1, min(MAX_PERIOD, len(values) // 2) + 1):
        if all(a == b for a, b in zip(values, values[period:], strict=False)):
            return period
    return 0
