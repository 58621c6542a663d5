"""Find the dtypes and shapes of the inputs of the TensorFlow operation that ran.

The executor keeps `OpKernelContext::Params` on its stack, or on the heap with a pointer to it on the stack. In it is a
pointer to the kernel, and after that, at an offset that differs between versions, the inputs: a span of values, each a
lock or null and a pointer to a tensor. A tensor's shape has had one form since TensorFlow 1: 16 bytes, of which the
last three are the dtype, the number of dimensions and their width, then the number of elements. Data that fits all of
this is no coincidence.
"""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Iterator

from analyzer.cores.elf.memory import ProcessMemory

SEARCHED_STACK_BYTES = 1 << 16  # from the kernel's method on: the executor's frames are large
POINTERS_BYTES = 1 << 11  # the part of that stack in which pointers to Params are searched
PARAMS_BYTES = 1 << 10
WORDS_TO_INPUTS = 64  # of Params, after the pointer to the kernel
MAX_INPUTS = 256
MAX_SPANS = 512  # spans that are tried
MAX_SHOWN_INPUTS = 16
VALUE_BYTES, TENSOR_BYTES = 16, 32
OUT_OF_LINE = 2  # the dimensions are on the heap

# tensorflow/core/framework/types.proto; 100 more is a reference.
DTYPES = {
    1: "float32",
    2: "float64",
    3: "int32",
    4: "uint8",
    5: "int16",
    6: "int8",
    7: "string",
    8: "complex64",
    9: "int64",
    10: "bool",
    11: "qint8",
    12: "quint8",
    13: "qint32",
    14: "bfloat16",
    15: "qint16",
    16: "quint16",
    17: "uint16",
    18: "complex128",
    19: "float16",
    20: "resource",
    21: "variant",
    22: "uint32",
    23: "uint64",
    24: "float8_e5m2",
    25: "float8_e4m3fn",
    29: "int4",
    30: "uint4",
}


def find_kernel_inputs(memory: ProcessMemory, kernel: int, stack_pointer: int) -> str | None:
    """Return the inputs of a kernel: `float32[4,3], int32[]`; None if they are not found.

    `kernel` is its address, and `stack_pointer` that of the frame of its method.
    """
    if memory.word_size != 8 or memory.order != "<":
        return None
    for start, count in itertools.islice(_list_spans(memory, kernel, stack_pointer & ~7), MAX_SPANS):
        if tensors := _read_tensors(memory, start, count):
            return ", ".join(tensors) + (f", {count - MAX_SHOWN_INPUTS} more" if count > MAX_SHOWN_INPUTS else "")
    return None


def _list_spans(memory: ProcessMemory, kernel: int, stack_start: int) -> Iterator[tuple[int, int]]:
    """Yield (address, count) of possible spans after a pointer to the kernel, those on the stack first."""
    stack = _read_words(memory, stack_start, SEARCHED_STACK_BYTES)
    pointers = dict.fromkeys(word for word in stack[: POINTERS_BYTES // 8] if word > 0xFFFF and not word & 7)
    for words in itertools.chain([stack], (_read_words(memory, pointer, PARAMS_BYTES) for pointer in pointers)):
        for index in (index for index, word in enumerate(words) if word == kernel):
            for at in range(index + 1, min(index + WORDS_TO_INPUTS, len(words) - 1)):
                pointer, count = words[at], words[at + 1]
                if 0 < count <= MAX_INPUTS and pointer > 0xFFFF and not pointer & 7:
                    yield pointer, count


def _read_words(memory: ProcessMemory, start: int, size: int) -> memoryview[int]:
    raw = memory.read_some(start, size)
    return memoryview(raw[: len(raw) // 8 * 8]).cast("Q")


def _read_tensors(memory: ProcessMemory, start: int, count: int) -> list[str]:
    """Return the first tensors of a span as text; [] unless all of its values are tensors."""
    values = memory.read(start, VALUE_BYTES * count)
    shown = []
    for _, pointer in struct.iter_unpack("<2Q", values) if values else ():
        tensor = _read_tensor(memory, pointer)
        if tensor is None:
            return []
        shown.append(tensor)
    return shown[:MAX_SHOWN_INPUTS]


def _read_tensor(memory: ProcessMemory, at: int) -> str | None:
    raw = memory.read(at, TENSOR_BYTES) if at > 0xFFFF and not at & 7 else None
    if not raw:
        return None
    dtype, rank, form = raw[13], raw[14], raw[15]
    name = DTYPES.get(dtype % 100)
    (elements,) = struct.unpack_from("<q", raw, 16)
    if name is None or form > OUT_OF_LINE or elements < 0:
        return None
    if form == OUT_OF_LINE:
        return f"{name}[{rank} dimensions]"
    width, limit = (("<H", 6), ("<I", 3))[form]
    if rank > limit:
        return None
    sizes = [struct.unpack_from(width, raw, index * struct.calcsize(width))[0] for index in range(rank)]
    return f"{name}[{','.join(map(str, sizes))}]" if math.prod(sizes) == elements else None
