"""Run the instructions of call frame information up to an address, to get the rules there (DWARF 5, 6.4.2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from analyzer.cores.dwarf.expressions import read_sleb, read_uleb

# How a register of the caller is found.
RULE_SAME, RULE_UNDEFINED, RULE_OFFSET, RULE_VAL_OFFSET, RULE_REGISTER, RULE_EXPRESSION, RULE_VAL_EXPRESSION = range(7)

MAX_SAVED_STATES = 256

RegisterRule = tuple[int, int | bytes]


class BadFrameInfoError(Exception):
    """The entry is damaged or uses an unknown instruction; frame_info catches this."""


class Cie(NamedTuple):
    code_align: int
    data_align: int
    return_register: int
    encoding: int
    has_augmentation: bool
    is_signal_frame: bool
    program: bytes


class UnwindRow(NamedTuple):
    """Rules at one address. The CFA is register + offset, or an expression."""

    cfa_register: int
    cfa_offset: int
    cfa_expression: bytes | None
    rules: tuple[tuple[int, int, int | bytes], ...]  # (register, kind, argument)
    return_register: int
    is_signal_frame: bool
    is_signed: bool  # aarch64: the return address carries an authentication code


@dataclass(slots=True)
class _UnwindState:
    cfa: tuple[int, int] = (0, 0)
    cfa_expression: bytes | None = None
    rules: dict[int, RegisterRule] = field(default_factory=dict)
    is_signed: bool = False

    def copy(self) -> _UnwindState:
        return _UnwindState(self.cfa, self.cfa_expression, dict(self.rules), self.is_signed)


def run_cfa_program(cie: Cie, program: bytes, start: int, target: int, order: str) -> UnwindRow:
    """Run the CIE's and the FDE's instructions up to the target address and return the rules there.

    `program` is that of the FDE; its code begins at `start`. `order` is struct's `<` or `>`.
    """
    state = _UnwindState()
    _run_instructions(cie, cie.program, state, _UnwindState(), start, 1 << 64, order)
    initial = state.copy()
    state = _run_instructions(cie, program, state, initial, start, target, order)
    rules = tuple((register, kind, argument) for register, (kind, argument) in sorted(state.rules.items()))
    return UnwindRow(*state.cfa, state.cfa_expression, rules, cie.return_register, cie.is_signal_frame, state.is_signed)


def _run_instructions(
    cie: Cie, code: bytes, state: _UnwindState, initial: _UnwindState, location: int, target: int, order: str
) -> _UnwindState:
    at, saved = 0, list[_UnwindState]()
    while at < len(code):
        op, at = code[at], at + 1
        high, low = op & 0xC0, op & 0x3F
        if high == 0x40:
            location += low * cie.code_align
        elif high == 0x80:
            value, at = read_uleb(code, at)
            state.rules[low] = (RULE_OFFSET, value * cie.data_align)
        elif high == 0xC0:
            _restore_rule(state, initial, low)
        elif op in (0x02, 0x03, 0x04):
            size = 1 << (op - 2)
            location += int.from_bytes(code[at : at + size], "little" if order == "<" else "big") * cie.code_align
            at += size
        elif op == 0x0A:
            saved.append(state.copy())
            if len(saved) > MAX_SAVED_STATES:
                raise BadFrameInfoError("too many remembered states")
        elif op == 0x0B:
            if not saved:
                raise BadFrameInfoError("restore without remember")
            state = saved.pop()
        elif op != 0:
            at = _run_definition(cie, code, at, op, state, initial)
        if location > target:
            break
    return state


def _restore_rule(state: _UnwindState, initial: _UnwindState, register: int) -> None:
    if register in initial.rules:
        state.rules[register] = initial.rules[register]
    else:
        state.rules.pop(register, None)


def _run_definition(cie: Cie, code: bytes, at: int, op: int, state: _UnwindState, initial: _UnwindState) -> int:
    """Run an instruction that defines the CFA or a register's rule. Return the offset after it."""
    if op == 0x2D:  # DW_CFA_AARCH64_negate_ra_state (on SPARC: window save)
        state.is_signed = not state.is_signed
        return at
    first, at = (0, at) if op == 0x0F else (read_sleb if op == 0x13 else read_uleb)(code, at)
    if op == 0x0F:
        size, at = read_uleb(code, at)
        state.cfa_expression = code[at : at + size]
        return at + size
    if op in (0x10, 0x16):
        size, at = read_uleb(code, at)
        state.rules[first] = (RULE_EXPRESSION if op == 0x10 else RULE_VAL_EXPRESSION, code[at : at + size])
        return at + size
    if op == 0x0E:
        state.cfa, state.cfa_expression = (state.cfa[0], first), None
    elif op == 0x0D:
        state.cfa, state.cfa_expression = (first, state.cfa[1]), None
    elif op == 0x13:
        state.cfa, state.cfa_expression = (state.cfa[0], first * cie.data_align), None
    elif op == 0x06:
        _restore_rule(state, initial, first)
    elif op == 0x07:
        state.rules[first] = (RULE_UNDEFINED, 0)
    elif op == 0x08:
        state.rules[first] = (RULE_SAME, 0)
    elif op != 0x2E:  # DW_CFA_GNU_args_size is not about registers
        at = _run_pair_definition(cie, code, at, op, first, state)
    return at


def _run_pair_definition(cie: Cie, code: bytes, at: int, op: int, first: int, state: _UnwindState) -> int:
    signed = op in (0x11, 0x12, 0x15)
    second, at = read_sleb(code, at) if signed else read_uleb(code, at)
    if op in (0x05, 0x11):
        state.rules[first] = (RULE_OFFSET, second * cie.data_align)
    elif op in (0x14, 0x15):
        state.rules[first] = (RULE_VAL_OFFSET, second * cie.data_align)
    elif op == 0x09:
        state.rules[first] = (RULE_REGISTER, second)
    elif op == 0x0C:
        state.cfa, state.cfa_expression = (first, second), None
    elif op == 0x12:
        state.cfa, state.cfa_expression = (first, second * cie.data_align), None
    else:
        raise BadFrameInfoError(f"instruction {op:#x}")
    return at
