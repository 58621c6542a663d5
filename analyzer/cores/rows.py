"""The instructions of call frame information, run up to an address: the rules that hold there (DWARF 5, 6.4.2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from analyzer.cores.expressions import read_sleb, read_uleb

# How a register of the caller is found.
SAME, UNDEFINED, OFFSET, VAL_OFFSET, REGISTER, EXPRESSION, VAL_EXPRESSION = range(7)

MAX_SAVED = 256

Rule = tuple[int, int | bytes]


class BadFrameInfoError(Exception):
    """The entry is damaged or uses what we do not know; caught in cfi."""


class Cie(NamedTuple):
    code_align: int
    data_align: int
    return_register: int
    encoding: int
    augmented: bool
    signal: bool
    program: bytes


class Row(NamedTuple):
    """Rules at one address. The CFA is register + offset, or an expression."""

    cfa_register: int
    cfa_offset: int
    cfa_expression: bytes | None
    rules: tuple[tuple[int, int, int | bytes], ...]  # (register, kind, argument)
    return_register: int
    signal: bool
    signed: bool  # aarch64: the return address carries an authentication code


@dataclass(slots=True)
class _State:
    cfa: tuple[int, int] = (0, 0)
    cfa_expression: bytes | None = None
    rules: dict[int, Rule] = field(default_factory=dict)
    signed: bool = False

    def copy(self) -> _State:
        return _State(self.cfa, self.cfa_expression, dict(self.rules), self.signed)


def run(cie: Cie, program: bytes, start: int, target: int, order: str) -> Row:
    """Execute the CIE's and the FDE's instructions up to the target address."""
    state = _State()
    _execute(cie, cie.program, state, _State(), start, 1 << 64, order)
    initial = state.copy()
    state = _execute(cie, program, state, initial, start, target, order)
    rules = tuple((register, kind, argument) for register, (kind, argument) in sorted(state.rules.items()))
    return Row(*state.cfa, state.cfa_expression, rules, cie.return_register, cie.signal, state.signed)


def _execute(cie: Cie, code: bytes, state: _State, initial: _State, location: int, target: int, order: str) -> _State:
    at, saved = 0, list[_State]()
    while at < len(code):
        op, at = code[at], at + 1
        high, low = op & 0xC0, op & 0x3F
        if high == 0x40:
            location += low * cie.code_align
        elif high == 0x80:
            value, at = read_uleb(code, at)
            state.rules[low] = (OFFSET, value * cie.data_align)
        elif high == 0xC0:
            _restore(state, initial, low)
        elif op in (0x02, 0x03, 0x04):
            size = 1 << (op - 2)
            location += int.from_bytes(code[at : at + size], "little" if order == "<" else "big") * cie.code_align
            at += size
        elif op == 0x0A:
            saved.append(state.copy())
            if len(saved) > MAX_SAVED:
                raise BadFrameInfoError("too many remembered states")
        elif op == 0x0B:
            if not saved:
                raise BadFrameInfoError("restore without remember")
            state = saved.pop()
        elif op != 0:
            at = _define(cie, code, at, op, state, initial)
        if location > target:
            break
    return state


def _restore(state: _State, initial: _State, register: int) -> None:
    if register in initial.rules:
        state.rules[register] = initial.rules[register]
    else:
        state.rules.pop(register, None)


def _define(cie: Cie, code: bytes, at: int, op: int, state: _State, initial: _State) -> int:
    """The instructions that define the CFA or a register's rule; the offset behind."""
    if op == 0x2D:  # DW_CFA_AARCH64_negate_ra_state (on SPARC: window save)
        state.signed = not state.signed
        return at
    first, at = (0, at) if op == 0x0F else (read_sleb if op == 0x13 else read_uleb)(code, at)
    if op == 0x0F:
        size, at = read_uleb(code, at)
        state.cfa_expression = code[at : at + size]
        return at + size
    if op in (0x10, 0x16):
        size, at = read_uleb(code, at)
        state.rules[first] = (EXPRESSION if op == 0x10 else VAL_EXPRESSION, code[at : at + size])
        return at + size
    if op == 0x0E:
        state.cfa, state.cfa_expression = (state.cfa[0], first), None
    elif op == 0x0D:
        state.cfa, state.cfa_expression = (first, state.cfa[1]), None
    elif op == 0x13:
        state.cfa, state.cfa_expression = (state.cfa[0], first * cie.data_align), None
    elif op == 0x06:
        _restore(state, initial, first)
    elif op == 0x07:
        state.rules[first] = (UNDEFINED, 0)
    elif op == 0x08:
        state.rules[first] = (SAME, 0)
    elif op != 0x2E:  # DW_CFA_GNU_args_size says nothing of registers
        at = _define_pair(cie, code, at, op, first, state)
    return at


def _define_pair(cie: Cie, code: bytes, at: int, op: int, first: int, state: _State) -> int:
    signed = op in (0x11, 0x12, 0x15)
    second, at = read_sleb(code, at) if signed else read_uleb(code, at)
    if op in (0x05, 0x11):
        state.rules[first] = (OFFSET, second * cie.data_align)
    elif op in (0x14, 0x15):
        state.rules[first] = (VAL_OFFSET, second * cie.data_align)
    elif op == 0x09:
        state.rules[first] = (REGISTER, second)
    elif op == 0x0C:
        state.cfa, state.cfa_expression = (first, second), None
    elif op == 0x12:
        state.cfa, state.cfa_expression = (first, second * cie.data_align), None
    else:
        raise BadFrameInfoError(f"instruction {op:#x}")
    return at
