"""Find the graph node whose kernel crashed, in TensorFlow's object of this kernel.

A kernel (`tensorflow::OpKernel`) has views of its node's name and of its operation's type next to each other. Their
place in the object differs between versions, so they are recognized by their form: two consecutive views of
identifiers. The object is recognized by its class in the C++ type information, which must be the class of the method on
the stack or derived from it. A pointer to the object is in a register or on the stack near that method.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from analyzer.cores.elf.memory import ProcessMemory
from analyzer.cores.elf.modules import ModuleMap
from analyzer.cores.function_names import normalize_function
from analyzer.cores.kernel_inputs import find_kernel_inputs
from analyzer.cores.lead_frames import KERNEL_CALLERS, KERNEL_METHOD

STACK_BYTES = 1 << 15  # of the stack that are searched
CALLERS = 3  # callers of the kernel's method whose frames are searched too: they keep its pointer longest
OBJECT_BYTES = 512  # of a kernel in which the views are searched
MAX_BASE_CLASSES = 6
MAX_CLASS_NAME_BYTES = 2048
NODE_NAME = re.compile(rb"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]{0,511}")
OPERATION_TYPE = re.compile(rb"[A-Z][A-Za-z0-9_>]{0,127}")


class KernelNode(NamedTuple):
    """`name` is that of the node in the graph, `operation` its type (`MatMul`), `inputs` as `float32[4,3]`."""

    name: str
    operation: str
    inputs: str | None = None


def find_kernel_node(
    memory: ProcessMemory,
    modules: ModuleMap,
    functions: Sequence[tuple[str, int | None]],
    registers: Mapping[str, int],
) -> KernelNode | None:
    """Return the node of the innermost kernel on the stack; None if no object or several different ones are found.

    `functions` are the native frames of the crashing thread, innermost first: demangled name and stack pointer.
    """
    for index, (function, pointer) in enumerate(functions):
        match = KERNEL_METHOD.search(normalize_function(function))
        if match and match["name"] not in KERNEL_CALLERS and pointer is not None and memory.word_size == 8:
            class_name = f"{len(match['name'])}{match['name']}".encode()
            places = _list_stack_places(functions, index, pointer)
            candidates = {*registers.values(), *_read_words(memory, places)}
            kernels = {at: node for at in candidates if (node := _read_node(memory, modules, at, class_name))}
            if len(set(kernels.values())) != 1:
                return None
            inputs = (find_kernel_inputs(memory, at, pointer) for at in kernels)
            return next(iter(kernels.values()))._replace(inputs=next(filter(None, inputs), None))
    return None


def _list_stack_places(functions: Sequence[tuple[str, int | None]], index: int, pointer: int) -> range:
    """Return the addresses of the words between the innermost frame and the callers of the kernel's method."""
    callers = [sp for _, sp in functions[index + 1 : index + 1 + CALLERS] if sp is not None]
    end = min(max([pointer, *callers]), pointer + STACK_BYTES // 2)
    inner = [sp for _, sp in functions[:index] if sp is not None and pointer - STACK_BYTES // 2 <= sp <= pointer]
    return range(min([pointer, *inner]) & ~7, end, 8)


def _read_words(memory: ProcessMemory, places: range) -> Iterable[int]:
    raw = memory.read_some(places.start, 8 * len(places))
    return memoryview(raw[: len(raw) // 8 * 8]).cast("Q") if memory.order == "<" else ()


def _read_node(memory: ProcessMemory, modules: ModuleMap, at: int, class_name: bytes) -> KernelNode | None:
    table = memory.read_word(at) if at and not at & 7 else None
    if not table or table & 7 or modules.find_module(table) is None:
        return None
    if not any(class_name in name for name in _list_class_names(memory, memory.read_word(table - 8))):
        return None
    raw = memory.read_some(at, OBJECT_BYTES)
    words = memoryview(raw[: len(raw) // 8 * 8]).cast("Q")
    for index in range(1, len(words) - 3):
        name = _read_view(memory, words[index], words[index + 1], NODE_NAME)
        operation = name and _read_view(memory, words[index + 2], words[index + 3], OPERATION_TYPE)
        if name and operation:
            return KernelNode(name.decode("ascii"), operation.decode("ascii"))
    return None


def _list_class_names(memory: ProcessMemory, info: int | None) -> Iterator[bytes]:
    """Yield the mangled names of a class and of its base classes, as far as each has one base (Itanium C++ ABI)."""
    for _ in range(MAX_BASE_CLASSES):
        name_at = memory.read_word(info + 8) if info else None
        if not info or not name_at:
            return
        yield memory.read_string(name_at, MAX_CLASS_NAME_BYTES)
        info = memory.read_word(info + 16)


def _read_view(memory: ProcessMemory, first: int, second: int, pattern: re.Pattern[bytes]) -> bytes | None:
    """Return the text of a view: its length is before its pointer in libstdc++, after it in libc++ and absl."""
    for size, pointer in ((first, second), (second, first)):
        if 0 < size <= 512:
            text = memory.read(pointer, size)
            return text if text and pattern.fullmatch(text) else None
    return None
