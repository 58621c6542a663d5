"""Unwind a thread's stack from its registers: by call frame information, or else by validated frame pointers.

Each frame has the method that found it: `context` (the registers), `cfi`, `frame-pointer`, or `scan` (the program
counter is not in code, so the return address was read from the place where a call puts it). A stack has the reason why
it ends.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from analyzer.core_dump import END_OF_STACK, UnwindMethod
from analyzer.cores.dwarf.cfa_program import (
    RULE_EXPRESSION,
    RULE_OFFSET,
    RULE_REGISTER,
    RULE_SAME,
    RULE_UNDEFINED,
    RULE_VAL_EXPRESSION,
    RULE_VAL_OFFSET,
    UnwindRow,
)
from analyzer.cores.dwarf.expressions import WORD_MASK, evaluate
from analyzer.cores.dwarf.frame_info import FrameTable
from analyzer.cores.dwarf.machine import Machine, Registers
from analyzer.cores.elf.memory import MemoryOrigin, ProcessMemory
from analyzer.cores.elf.modules import LoadedModule, ModuleMap
from analyzer.cores.elf.notes import ThreadNote

HEAD_FRAMES, TAIL_FRAMES = 200, 50  # frames that are kept of a deeper stack
MAX_FRAMES = 4_000_000
MAX_PERIOD = 64


class NativeFrame(NamedTuple):
    """`is_exact`: `pc` is the instruction itself; otherwise it is a return address, and the call is before it.

    `sp` is the stack pointer inside this frame. `is_trampoline`: a signal handler returns here. `registers` are those
    of the frame, by DWARF number, for the innermost HEAD_FRAMES. Registers that a call does not preserve may be
    outdated.
    """

    pc: int
    sp: int | None
    method: UnwindMethod
    is_exact: bool
    module: LoadedModule | None
    is_trampoline: bool = False
    registers: Registers | None = None

    @property
    def lookup_address(self) -> int:
        """An address inside the executing instruction, by which symbols and lines are looked up."""
        return self.pc if self.is_exact else self.pc - 1


class _Caller(NamedTuple):
    """The frame that a step found. `exact`: a signal interrupted it exactly at `pc`, perhaps on another stack."""

    registers: Registers
    method: UnwindMethod
    is_exact: bool


class NativeStack(NamedTuple):
    """The frames of a thread, innermost first.

    After the first HEAD_FRAMES, `omitted` frames are left out. They repeat every `period` frames (0: no period).
    """

    frames: tuple[NativeFrame, ...]
    stop_reason: str
    omitted: int = 0
    period: int = 0


@dataclass(slots=True)
class Unwinder:
    """Unwinds the stacks of one core. They share memory, modules, and the cached rules."""

    memory: ProcessMemory
    modules: ModuleMap
    machine: Machine
    deadline: float  # of time.thread_time(), so that a busy machine does not change the result
    _frame_tables: dict[int, FrameTable] = field(default_factory=dict)
    _is_code: dict[int, bool] = field(default_factory=dict)
    _rows: dict[int, tuple[LoadedModule | None, UnwindRow | None]] = field(default_factory=dict)

    def unwind(self, thread: ThreadNote) -> NativeStack:
        """Return the thread's frames, innermost first, each with the method that found it."""
        machine = self.machine
        if thread.pac_mask is not None:
            machine = machine.with_code_mask(thread.pac_mask[1])
        registers = machine.registers_from_note(thread.registers)
        collector = _FrameCollector()
        method: UnwindMethod = "context"
        is_exact, stop_reason = True, ""
        while not stop_reason:
            pc = registers[machine.pc]
            if pc is None:
                stop_reason = "the program counter is unknown"
                break
            module, row = self.find_rules(pc if is_exact else pc - 1)
            # A signal trampoline is not called: its address is its first instruction.
            trampoline = row.is_signal_frame if row else machine.is_trampoline(self.memory, pc)
            collector.add(pc, registers, machine.sp, method, is_exact or trampoline, module, trampoline)
            if collector.count >= MAX_FRAMES or (collector.count % 1024 == 0 and time.thread_time() > self.deadline):
                stop_reason = f"stopped after {collector.count} frames: out of time"
                break
            caller = self._find_caller(machine, registers, row, module, collector.count == 1)
            if isinstance(caller, str):
                stop_reason = caller
                break
            stop_reason = self._reject_reason(machine, registers, caller.registers, caller.is_exact)
            registers, method, is_exact = caller
        return collector.make_stack(stop_reason)

    @property
    def rows_by_address(self) -> dict[int, LoadedModule | None]:
        """Every address for which a stack needed rules → its module."""
        return {address: module for address, (module, _) in self._rows.items()}

    def find_rules(self, address: int) -> tuple[LoadedModule | None, UnwindRow | None]:
        rules = self._rows.get(address)
        if rules is None:
            rules = self._rows[address] = self._read_rules(address)
        return rules

    def _read_rules(self, address: int) -> tuple[LoadedModule | None, UnwindRow | None]:
        module = self.modules.find_module(address)
        if module is None or module.image is None or module.bias is None:
            return module, None
        table = self._frame_tables.get(id(module))
        if table is None:
            table = self._frame_tables[id(module)] = FrameTable(module.image)
        return module, table.find_row(address - module.bias)

    def _find_caller(
        self,
        machine: Machine,
        registers: Registers,
        row: UnwindRow | None,
        module: LoadedModule | None,
        is_innermost: bool,
    ) -> _Caller | str:
        """Return the caller, or a sentence that says why there is none."""
        if row is None or (row.is_signal_frame and machine.name == "aarch64"):
            # The rules of the arm64 vDSO restore only frame pointer and link register.
            restored = machine.restore_interrupted_registers(self.memory, registers)
            if restored is not None:
                return _Caller(restored, "cfi", True)
        reason = ""
        if row is not None:
            caller, reason = apply_row(row, registers, machine, self.memory)
            if not reason:
                return _Caller(caller, "cfi", row.is_signal_frame)
            if reason == END_OF_STACK:
                return END_OF_STACK
        pc = registers[machine.pc] or 0
        if is_innermost and not self.memory.is_executable(pc):
            caller_or_none = machine.undo_call(self.memory, registers)
            if caller_or_none and self.memory.is_executable(caller_or_none[machine.pc] or 0):
                return _Caller(caller_or_none, "scan", False)
            return f"the program counter {pc:#x} is no code"
        followed = self._follow_frame_pointer(machine, registers) if row is None else None
        if followed:
            return _Caller(followed, "frame-pointer", False)
        return reason or _explain_missing_rules(pc, module)

    def _follow_frame_pointer(self, machine: Machine, registers: Registers) -> Registers | None:
        """Return the caller by the chain of frame pointers; None if any check fails."""
        pointer, sp = registers[machine.fp], registers[machine.sp]
        if not pointer or sp is None or pointer % 8 or pointer < sp or pointer - sp > 1 << 24:
            return None
        saved, target = self.memory.read_word(pointer), self.memory.read_word(pointer + 8)
        if saved is None or not target:  # the saved value is checked when it is used
            return None
        target = machine.strip_pointer_code(target)
        if not self.memory.is_executable(target) or not machine.is_return_address(self.memory, target):
            return None
        caller: Registers = [None] * len(registers)
        caller[machine.pc], caller[machine.sp], caller[machine.fp] = target, pointer + 16, saved
        return caller

    def _reject_reason(self, machine: Machine, callee: Registers, caller: Registers, interrupted: bool) -> str:
        """Return why the caller is impossible; empty if it is possible."""
        pc, sp, below = caller[machine.pc], caller[machine.sp], callee[machine.sp]
        if not pc:
            return END_OF_STACK if pc == 0 else "the return address is not known"
        if sp is None or below is None:
            return "the stack pointer is not known"
        if sp < below and not interrupted and self.memory.find_segment(sp) is self.memory.find_segment(below):
            return "the stack pointer goes back"
        if sp == below and pc == callee[machine.pc]:
            return "the frame is its own caller"
        if pc not in self._is_code:
            self._is_code[pc] = self.memory.is_executable(pc)
        if not self._is_code[pc]:
            return f"the return address {pc:#x} is no code"
        return ""


def _explain_missing_rules(pc: int, module: LoadedModule | None) -> str:
    """Return why there are no rules for a program counter, and which file would have them."""
    if module is None:
        return f"no unwind information for {pc:#x} in unmapped or anonymous memory"
    if module.image is not None:
        return f"no unwind information for {pc:#x} in {module.name} ({module.status})"
    reasons = {
        "missing": "its file was not found; give it with --sysroot or --executable",
        "mismatch": "the files of this path are of another build; give the one that ran with --sysroot",
        "path-only": "nothing in the core proves that the file here is the one that ran; --sysroot / uses it anyway",
    }
    return f"no unwind information for {pc:#x} in {module.name} ({module.status}): {reasons.get(module.status, '')}"


def apply_row(row: UnwindRow, registers: Registers, machine: Machine, memory: ProcessMemory) -> tuple[Registers, str]:
    """Return the caller's registers by the rules of a row, and the reason if they are unknown (else empty)."""
    if row.cfa_expression is not None:
        cfa = evaluate(row.cfa_expression, registers, memory)
    else:
        base = registers[row.cfa_register] if row.cfa_register < len(registers) else None
        cfa = None if base is None else base + row.cfa_offset & WORD_MASK
    if cfa is None:
        return registers, "the frame's address is not known"
    caller = list(registers)
    caller[machine.sp] = cfa
    for number, kind, argument in row.rules:
        if number >= len(caller):
            continue
        if kind == RULE_OFFSET:
            caller[number] = memory.read_word(cfa + argument & WORD_MASK)  # type: ignore[operator]
        else:
            caller[number] = _find_register(kind, argument, number, registers, cfa, memory)
        if number == row.return_register and caller[number] is None:
            if kind == RULE_UNDEFINED:
                return caller, END_OF_STACK
            gone = memory.origin(cfa) is not MemoryOrigin.CORE
            return caller, f"the stack at {cfa:#x} is not in the core" if gone else "the return address is not known"
    target = caller[row.return_register] if row.return_register < len(caller) else None
    caller[machine.pc] = None if target is None else machine.strip_pointer_code(target)
    return caller, ""


def _find_register(
    kind: int, argument: int | bytes, number: int, registers: Sequence[int | None], cfa: int, memory: ProcessMemory
) -> int | None:
    if isinstance(argument, bytes):
        value = evaluate(argument, registers, memory, cfa)
        return value if kind == RULE_VAL_EXPRESSION or value is None else memory.read_word(value)
    rules: dict[int, Callable[[], int | None]] = {
        RULE_SAME: lambda: registers[number],
        RULE_UNDEFINED: lambda: None,
        RULE_VAL_OFFSET: lambda: cfa + argument & WORD_MASK,
        RULE_REGISTER: lambda: registers[argument] if argument < len(registers) else None,
        RULE_EXPRESSION: lambda: None,
    }
    return rules[kind]()


@dataclass(slots=True)
class _FrameCollector:
    """Collects the head and the tail of a stack, and program counters for its period."""

    head: list[NativeFrame] = field(default_factory=list)
    tail: deque[tuple[int, int | None, UnwindMethod, bool, LoadedModule | None, bool]] = field(
        default_factory=lambda: deque(maxlen=TAIL_FRAMES)
    )
    period_window: list[int] = field(default_factory=list)
    count: int = 0

    def add(
        self,
        pc: int,
        registers: Registers,
        sp_number: int,
        method: UnwindMethod,
        is_exact: bool,
        module: LoadedModule | None,
        trampoline: bool,
    ) -> None:
        self.count += 1
        sp = registers[sp_number]
        if self.count <= HEAD_FRAMES:
            self.head.append(
                NativeFrame(
                    pc=pc,
                    sp=sp,
                    method=method,
                    is_exact=is_exact,
                    module=module,
                    is_trampoline=trampoline,
                    registers=registers,
                )
            )
        else:
            self.tail.append((pc, sp, method, is_exact, module, trampoline))
            if self.count < HEAD_FRAMES + 16 * MAX_PERIOD:
                self.period_window.append(pc)

    def make_stack(self, stop: str) -> NativeStack:
        omitted = self.count - len(self.head) - len(self.tail)
        frames = (*self.head, *(NativeFrame(*part) for part in self.tail))
        return NativeStack(frames, stop, omitted, find_period(self.period_window) if omitted else 0)


def find_period(values: Sequence[int]) -> int:
    """Return the smallest distance at which a sequence repeats itself; 0 if there is none."""
    for period in range(1, min(MAX_PERIOD, len(values) // 2) + 1):
        if all(a == b for a, b in zip(values, values[period:], strict=False)):
            return period
    return 0
