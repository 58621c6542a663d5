"""The message of a Rust or Go panic, which the runtime keeps on the stack until the process ends.

Rust: the payload is a `String` (capacity, pointer and length in any order) or a `&str` (pointer, length) in the frames
of std::panicking. Go: gopanic has the value as an interface: a pointer to its type and a pointer to the value. Strings
and runtime errors are a pointer and a length there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from analyzer.cores.elf.memory import MemoryOrigin, ProcessMemory

RUST_PANIC = re.compile(
    r"(?:std|core)::panicking::|__rustc::rust_panic|rust_panic\b|rust_begin_unwind|core::\w+::unwrap_failed"
)
GO_PANIC = re.compile(r"runtime\.(?:gopanic|fatalpanic|dopanic)")
STACK_BYTES = 0x1000  # searched upwards from the innermost frame of the panic
MIN_TEXT_BYTES, MAX_TEXT_BYTES = 3, 2000
MAX_CAPACITY = 1 << 20
GO_RUNTIME_ERRORS = (
    "invalid memory address",
    "integer divide",
    "integer overflow",
    "index out",
    "slice bounds",
    "hash of",
)


def find_panic_message(memory: ProcessMemory, functions: Sequence[tuple[str, int | None]]) -> str | None:
    """Return the text of the panic that ended a thread; None if none did, or if the text is not on the stack.

    `functions` are the native frames, innermost first: demangled name and stack pointer.
    """
    for kind, read in ((RUST_PANIC, _read_rust), (GO_PANIC, _read_go)):
        pointers = [sp for name, sp in functions if sp is not None and kind.match(name)]
        if pointers and (text := read(memory, _stack_words(memory, min(pointers), max(pointers)))):
            return text
    return None


def _stack_words(memory: ProcessMemory, start: int, last: int) -> list[int]:
    raw = memory.read_some(start, max(STACK_BYTES, min(last - start + 256, 2 * STACK_BYTES)))
    return list(memoryview(raw[: len(raw) // 8 * 8]).cast("Q")) if memory.order == "<" else []


def _read_rust(memory: ProcessMemory, words: Sequence[int]) -> str | None:
    owned = (_text_of_string(memory, words[at : at + 3]) for at in range(len(words) - 2))
    borrowed = (_text_at(memory, pointer, size) for pointer, size in pairwise(words))
    text = next((text for text in owned if text), None) or next(
        (text for text in borrowed if text and " " in text), None
    )
    return f"panicked: {text}" if text else None


def _text_of_string(memory: ProcessMemory, words: Sequence[int]) -> str | None:
    """Return the text of three words if they can be a String on the heap with a sentence."""
    for pointer in words:
        numbers = sorted(set(words) - {pointer}) or [0]
        size, capacity = numbers[0], numbers[-1]
        if size <= capacity <= MAX_CAPACITY and memory.origin(pointer) is MemoryOrigin.CORE:
            text = _text_at(memory, pointer, size)
            if text and " " in text:
                return text
    return None


def _read_go(memory: ProcessMemory, words: Sequence[int]) -> str | None:
    for kind, value in pairwise(words):
        if kind % 8 or value % 8 or memory.find_segment(kind) is None or memory.find_segment(value) is None:
            continue
        pointer, size = memory.read_word(value), memory.read_word(value + 8)
        text = _text_at(memory, pointer, size) if pointer and size else None
        if text and " " in text:
            return f"panic: runtime error: {text}" if text.startswith(GO_RUNTIME_ERRORS) else f"panic: {text}"
    return None


def _text_at(memory: ProcessMemory, pointer: int, size: int) -> str | None:
    if not MIN_TEXT_BYTES <= size <= MAX_TEXT_BYTES or pointer < 1 << 16 or memory.find_segment(pointer) is None:
        return None
    raw = memory.peek(pointer, size)
    if len(raw) < size or any(byte < 32 and byte not in b"\t\n" for byte in raw):
        return None
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    memory.read_some(pointer, size)  # again with `read_some`, so that RecordingMemory records it
    return text.strip() or None
