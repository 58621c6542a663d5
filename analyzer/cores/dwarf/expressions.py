"""Evaluate DWARF expressions (DWARF 5, 2.5), which call frame information uses for PLT entries and trampolines."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from analyzer.cores.elf.memory import ProcessMemory

MAX_STEPS = 1000
WORD_MASK = (1 << 64) - 1

_BINARY_OPERATIONS: dict[int, Callable[[int, int], int]] = {
    0x1A: lambda a, b: a & b,
    0x1C: lambda a, b: a - b,
    0x1E: lambda a, b: a * b,
    0x21: lambda a, b: a | b,
    0x22: lambda a, b: a + b,
    0x24: lambda a, b: a << b if b < 64 else 0,
    0x25: lambda a, b: a >> b,
    0x26: lambda a, b: _to_signed(a) >> min(b, 63),
    0x27: lambda a, b: a ^ b,
    0x29: lambda a, b: a == b,
    0x2A: lambda a, b: _to_signed(a) >= _to_signed(b),
    0x2B: lambda a, b: _to_signed(a) > _to_signed(b),
    0x2C: lambda a, b: _to_signed(a) <= _to_signed(b),
    0x2D: lambda a, b: _to_signed(a) < _to_signed(b),
    0x2E: lambda a, b: a != b,
}
_CONSTANTS = {
    0x08: (1, False),
    0x09: (1, True),
    0x0A: (2, False),
    0x0B: (2, True),
    0x0C: (4, False),
    0x0D: (4, True),
    0x0E: (8, False),
    0x0F: (8, True),
}


def evaluate(
    code: bytes, registers: Sequence[int | None], memory: ProcessMemory, initial: int | None = None
) -> int | None:
    """Return the value of an expression; None if it is not valid or needs an unknown register or memory."""
    stack = [] if initial is None else [initial]
    at = 0
    try:
        for _ in range(MAX_STEPS):
            if at >= len(code):
                return stack[-1]
            at = _run_operation(code, at, stack, registers, memory)
    except (IndexError, TypeError):  # a short stack or code; an unknown register or memory is None
        return None
    return None


def _run_operation(
    code: bytes, at: int, stack: list[int], registers: Sequence[int | None], memory: ProcessMemory
) -> int:
    """Run one operation. Return the offset of the next."""
    op, at = code[at], at + 1
    if op in _BINARY_OPERATIONS:
        right, left = stack.pop(), stack.pop()
        stack.append(int(_BINARY_OPERATIONS[op](left, right)) & WORD_MASK)
    elif 0x30 <= op <= 0x4F:
        stack.append(op - 0x30)
    elif 0x70 <= op <= 0x8F:
        offset, at = read_sleb(code, at)
        stack.append(_require_known(registers[op - 0x70]) + offset & WORD_MASK)
    elif op == 0x92:
        register, at = read_uleb(code, at)
        offset, at = read_sleb(code, at)
        stack.append(_require_known(registers[register]) + offset & WORD_MASK)
    elif op in _CONSTANTS or op == 0x03:
        size, signed = _CONSTANTS.get(op, (memory.word_size, False))
        stack.append(_read_number(code, at, size, memory, signed) & WORD_MASK)
        at += size
    elif op == 0x10:
        value, at = read_uleb(code, at)
        stack.append(value & WORD_MASK)
    elif op == 0x11:
        value, at = read_sleb(code, at)
        stack.append(value & WORD_MASK)
    elif op == 0x23:
        value, at = read_uleb(code, at)
        stack.append(stack.pop() + value & WORD_MASK)
    elif op == 0x06:
        stack.append(_require_known(memory.read_word(stack.pop())))
    elif op == 0x94:
        stack.append(_require_known(memory.read_number(stack.pop(), min(code[at], 8))))
        at += 1
    elif op in (0x28, 0x2F):
        jump = _read_number(code, at, 2, memory, True)
        at = at + 2 + (jump if op == 0x2F or stack.pop() else 0)
        if at < 0:
            raise IndexError(at)
    else:
        at = _run_stack_operation(op, code, at, stack)
    return at


def _run_stack_operation(op: int, code: bytes, at: int, stack: list[int]) -> int:
    if op == 0x12:
        stack.append(stack[-1])
    elif op == 0x13:
        stack.pop()
    elif op == 0x14:
        stack.append(stack[-2])
    elif op == 0x15:
        stack.append(stack[-1 - code[at]])
        at += 1
    elif op == 0x16:
        stack[-1], stack[-2] = stack[-2], stack[-1]
    elif op == 0x17:
        stack[-1], stack[-2], stack[-3] = stack[-2], stack[-3], stack[-1]
    elif op == 0x19:
        stack[-1] = abs(_to_signed(stack[-1]))
    elif op == 0x1F:
        stack[-1] = -stack[-1] & WORD_MASK
    elif op == 0x20:
        stack[-1] = ~stack[-1] & WORD_MASK
    elif op != 0x96:
        raise IndexError(op)  # division, and operations that call frame information does not use
    return at


def _read_number(code: bytes, at: int, size: int, memory: ProcessMemory, signed: bool) -> int:
    return int.from_bytes(code[at : at + size], "little" if memory.order == "<" else "big", signed=signed)


def _require_known(value: int | None) -> int:
    if value is None:
        raise TypeError
    return value


def _to_signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def read_uleb(data: bytes, at: int) -> tuple[int, int]:
    """Return (unsigned LEB128 value, offset after it) of at most 10 bytes. Raises IndexError at the end of the data."""
    value = shift = 0
    for _ in range(10):
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise IndexError(at)


def read_sleb(data: bytes, at: int) -> tuple[int, int]:
    """Return (signed LEB128 value, offset after it). Raises IndexError at the end of the data."""
    start = at
    value, at = read_uleb(data, at)
    return (value - (1 << 7 * (at - start)) if data[at - 1] & 0x40 else value), at
