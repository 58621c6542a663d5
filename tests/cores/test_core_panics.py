"""Panics of Rust and Go: the text is on the dying thread's stack, or one pointer away."""

from __future__ import annotations

import struct

import pytest
from made_cores import make_core

from analyzer.cores.elf.headers import read_header, read_segments
from analyzer.cores.elf.memory import ProcessMemory
from analyzer.cores.panic_messages import find_panic_message

STACK, HEAP, CODE = 0x7000_0000, 0x5000_0000, 0x40_0000
TEXT = b"index out of bounds: the len is 3 but the index is 7"
RUST = [("abort", STACK), ("std::panicking::panic_with_hook", STACK), ("train::main", STACK + 0x200)]
GO = [("runtime.raise", STACK), ("runtime.gopanic", STACK), ("main.pick", STACK + 0x200)]


def make_memory(words: list[int], heap: bytes) -> ProcessMemory:
    stack = struct.pack(f"<{len(words)}Q", *words).ljust(4096, b"\0")
    loads = [(STACK, 6, stack, 4096), (HEAP, 6, heap.ljust(4096, b"\0"), 4096), (CODE, 4, bytes(4096), 4096)]
    data = make_core("x86_64", b"", loads)
    header = read_header(data)
    assert header is not None
    return ProcessMemory(data, len(data), read_segments(data, header), "<", 64)


@pytest.mark.parametrize("order", [(64, HEAP, len(TEXT)), (HEAP, 64, len(TEXT)), (HEAP, len(TEXT), len(TEXT))])
def test_rust_keeps_the_formatted_text_in_a_string(order: tuple[int, int, int]) -> None:
    memory = make_memory([1, 2, *order, 3], TEXT)
    assert find_panic_message(memory, RUST) == f"panicked: {TEXT.decode()}"


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        (b"invalid memory address or nil pointer dereference", "panic: runtime error: invalid memory address"),
        (b"the queue is lost", "panic: the queue is lost"),
    ],
)
def test_go_keeps_the_value_of_a_panic_behind_an_interface(text: bytes, prefix: str) -> None:
    heap = struct.pack("<QQ", HEAP + 64, len(text)).ljust(64, b"\0") + text
    message = find_panic_message(make_memory([5, CODE + 8, HEAP, 5], heap), GO)
    assert message is not None and message.startswith(prefix)


@pytest.mark.parametrize(
    ("words", "functions"),
    [
        ([64, HEAP, len(TEXT)], [("abort", STACK), ("train::main", STACK)]),  # no panic
        ([64, HEAP, 60], RUST),  # longer than the text: the rest is no text
        ([64, HEAP + (1 << 20), 40], RUST),  # not mapped
        ([], RUST),
        ([64, HEAP, len(TEXT)], [("std::panicking::panic_with_hook", 0x1234)]),  # no stack there
    ],
)
def test_what_is_no_text_of_a_panic_is_not_told(words: list[int], functions: list[tuple[str, int | None]]) -> None:
    assert find_panic_message(make_memory(words, TEXT), functions) is None
