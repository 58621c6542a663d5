"""The message with which a program aborted, found in its memory.

Only the crashing thread's message counts. The search begins with glibc's variable for this purpose, then covers the
memory to which the thread's stack points, and at last the other writable memory, within bounds.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from itertools import dropwhile
from pathlib import Path

from analyzer.cores.demangle import demangle_type
from analyzer.cores.elf.memory import MemoryOrigin, ProcessMemory
from analyzer.cores.elf.modules import ModuleMap
from analyzer.cores.elf.symbols import find_symbol_address

MAX_MESSAGE_BYTES = 2000
STACK_WORDS = 8192  # of the crashing thread's stack, from its innermost frame on
POINTED_BYTES = 1 << 14  # absl's LogMessage keeps 15,000 bytes of text in one object (log/internal/log_message.cc)
MAX_SCANNED_BYTES = 256 << 20
SCAN_BUDGET_S = 1.0
CHUNK_BYTES = 1 << 20
ABORT_SIGNALS = ("SIGABRT", "SIGTRAP", "SIGILL")

MESSAGE_STARTS = (
    b"Check failed: ",
    b"panicked at ",
    b"*** CHECK FAILED",
    b"Fatal Python error: ",
    b"terminate called ",
)
# A fatal line of absl or glog (`F0000 00:00:1795245851.599217     450 tensor_shape.cc:416] text`) or of TensorFlow's
# own logger up to 2.x (`2021-09-04 14:12:08.686281: F tensorflow/core/x.cc:318] text`). Time and thread are left out.
FATAL_LINE = re.compile(rb"(?:F\d{4} [\d:.]+ +\d+ |: F )([\w./+-]{1,200}:\d{1,7}\] [^\0\n]{1,2000})")

LOGGING_FUNCTION = re.compile(r"(?i)LogMessage|LogFatal|CheckFail|Check_?Op|panic|Fatal|assert|__libc_message")

FATAL_PYTHON_FUNCTION = re.compile(r"fatal_error(?:_exit)?(?:\.[\w.]+)?|_?Py_FatalError\w*")
FATAL_PYTHON_STACK_BYTES = 0x400  # the frames of raise, abort and fatal_error, and up to 3.9 those of its caller

# The callers of std::terminate, and what libstdc++ prints then. Any other caller means that nothing was thrown.
TERMINATE_FUNCTIONS = ("std::terminate()", "std::__terminate()")
MESSAGE_OF_CALLER = {
    "__cxa_pure_virtual": "pure virtual method called",
    "__cxa_deleted_virtual": "deleted virtual method called",
}
RUNTIME_PREFIXES = ("__cxa_", "__gxx_", "__clang_", "_Unwind_", "std::rethrow_", "std::unexpected", "std::__")
NOTHING_THROWN = "terminate called without an active exception"
THROWN = "terminate called after throwing an instance of"
# For a terminate() without a name: the runtime calls it while it looks for a handler.
THROWING_FUNCTIONS = ("__cxa_throw", "__cxa_rethrow", "_Unwind_RaiseException", "_Unwind_Resume_or_Rethrow")
HANDLING_FUNCTION = re.compile(
    r"__cxa_(?:re)?throw|_Unwind_|__gxx_personality|translate_(?:local_)?exception|rethrow_exception"
)
EXCEPTION_CLASS = b"\0++CCUNG"  # "GNUCC++\0" as a little-endian number (Itanium C++ ABI, GCC's unwind-cxx.h)
# __cxa_exception in front of the thrown object, 64-bit: the unwinder's header is 32 bytes, the type is 80 before it.
UNWIND_HEADER_BYTES, TYPE_INFO_BEFORE = 32, 112


def find_abort_message(
    memory: ProcessMemory,
    modules: ModuleMap,
    stack_pointer: int | None,
    signal: str | None,
    functions: Sequence[str],
    sysroots: Sequence[Path] = (),
) -> str | None:
    """Return the abort message; None if none is found.

    Args:
        memory, modules: those of the core.
        stack_pointer: that of the crashing thread.
        signal: the name of the signal; only aborting signals have a message.
        functions: the demangled functions of the crashing thread, innermost first.
        sysroots: folders with debug files.
    """
    if signal not in ABORT_SIGNALS:
        is_handling = stack_pointer is not None and any(HANDLING_FUNCTION.search(name) for name in functions)
        addresses = list(_pointed_addresses(memory, stack_pointer)) if is_handling and stack_pointer else []
        exception = _read_cpp_exception(memory, addresses)
        return exception.replace(THROWN, "while handling an exception of the type", 1) if exception else None
    if message := read_glibc_message(memory, modules, sysroots):
        return message
    pointed_addresses = list(_pointed_addresses(memory, stack_pointer)) if stack_pointer is not None else []
    if any("terminate" in name or name in THROWING_FUNCTIONS for name in functions):
        return _read_cpp_exception(memory, pointed_addresses) or _message_of_caller(functions)
    if any(FATAL_PYTHON_FUNCTION.fullmatch(name) for name in functions[:8]) and (
        text := _read_fatal_python(memory, stack_pointer)
    ):
        return f"Fatal Python error: {text}"
    message_found = _search_pointed_memory(memory, pointed_addresses)
    # All memory is searched only if the functions on the stack print a message, or have no names.
    return message_found or (
        _search_writable_memory(memory) if not functions or any(LOGGING_FUNCTION.search(f) for f in functions) else None
    )


def read_glibc_message(memory: ProcessMemory, modules: ModuleMap, sysroots: Sequence[Path] = ()) -> str | None:
    """Return glibc's __abort_msg (assert/assert.c).

    assert(), malloc's checks, stack smashing protection and fortified functions set it.
    """
    libraries = [m for m in modules.modules if m.name.startswith(("libc.so", "libc-2.")) or m.is_main]
    for module in sorted(libraries, key=lambda m: m.is_main):
        if module.image is None or module.bias is None:
            continue
        at = find_symbol_address(module.image, "__abort_msg", sysroots)
        text = memory.read_word(at + module.bias) if at is not None else None
        if text:
            return _decode_message(
                memory.read_string(text + 4, MAX_MESSAGE_BYTES)
            )  # struct abort_msg_s: unsigned int size, char msg[]
    return None


def _pointed_addresses(memory: ProcessMemory, stack_pointer: int) -> Iterator[int]:
    """Yield the distinct addresses in the core's own memory to which words of the stack point, innermost first."""
    size = memory.word_size
    raw = memory.read_some(stack_pointer, STACK_WORDS * size)
    seen: set[int] = set()
    order = "little" if memory.order == "<" else "big"
    for at in range(0, len(raw) - size + 1, size):
        value = int.from_bytes(raw[at : at + size], order)  # type: ignore[arg-type]
        if value > 0x10000 and value not in seen and memory.origin(value) is MemoryOrigin.CORE:
            seen.add(value)
            yield value


def _read_cpp_exception(memory: ProcessMemory, pointed_addresses: Sequence[int]) -> str | None:
    """Return libstdc++'s message of the thrown C++ exception, with what() if its class is known to hold a string."""
    for thrown in _thrown_objects(memory, pointed_addresses):
        info = memory.read_word(thrown - TYPE_INFO_BEFORE)
        name = (
            memory.read_string(memory.read_word(info + 8) or 0, 1024).decode("ascii", "replace").lstrip("*")
            if info
            else ""
        )
        if not name:
            continue
        message = f"{THROWN} '{demangle_type(name)}'"
        what = _read_what(memory, thrown)
        return f"{message}\n  what():  {what}" if what else message
    return None


def _message_of_caller(functions: Sequence[str]) -> str | None:
    """Return why std::terminate was called if no exception is found: most often a thread object that was not joined."""
    behind = dropwhile(lambda name: name not in TERMINATE_FUNCTIONS, functions)
    caller = next((name for name in behind if name not in TERMINATE_FUNCTIONS), "")
    return MESSAGE_OF_CALLER.get(caller) or (
        NOTHING_THROWN if caller and not caller.startswith(RUNTIME_PREFIXES) else None
    )


def _thrown_objects(memory: ProcessMemory, pointed_addresses: Sequence[int]) -> Iterator[int]:
    """Yield thrown objects: the stack points to them, to the unwinder's header before them, or to the runtime's."""
    for address in pointed_addresses:
        for offset in (0, UNWIND_HEADER_BYTES, 128):
            if memory.peek(address + offset - UNWIND_HEADER_BYTES, 8) == EXCEPTION_CLASS:
                memory.read_some(address + offset - UNWIND_HEADER_BYTES, 8)
                memory.read_some(address, 1)
                yield address + offset


def _read_what(memory: ProcessMemory, thrown: int) -> str | None:
    """Return what() of std::runtime_error, std::logic_error and the like: a pointer to it follows the vtable's."""
    text = memory.read_word(thrown + 8)
    raw = memory.read_string(text, MAX_MESSAGE_BYTES) if text and memory.origin(text) is MemoryOrigin.CORE else b""
    return _decode_message(raw) if raw and all(byte >= 32 or byte in b"\t\n" for byte in raw) else None


def _read_fatal_python(memory: ProcessMemory, stack_pointer: int | None) -> str | None:
    """Return the argument of Py_FatalError. It writes the text in pieces and aborts, so it is near the top of the
    stack.

    Only text with a space counts, because the name of a C function may be there too.
    """
    for at in range(stack_pointer or 0, (stack_pointer or 0) + FATAL_PYTHON_STACK_BYTES, memory.word_size):
        raw = memory.read_string(memory.read_word(at) or 0, MAX_MESSAGE_BYTES)
        if len(raw) >= 8 and b" " in raw.strip() and all(32 <= byte < 127 for byte in raw):
            return _decode_message(raw)
    return None


def _search_pointed_memory(memory: ProcessMemory, pointed_addresses: Sequence[int]) -> str | None:
    """Search the memory that the stack points to: for a fatal log line, then for other starts of messages."""
    fallback: str | None = None
    covered = 0
    for address in sorted(pointed_addresses):
        start = max(address, covered)
        if start >= address + POINTED_BYTES:
            continue
        raw = memory.peek(start, address + POINTED_BYTES - start)
        covered = address + POINTED_BYTES
        if b"] " in raw and (match := FATAL_LINE.search(raw)):
            return _read_match(memory, start + match.start(), match)
        fallback = fallback or _find_message_start(memory, start, raw)
    return fallback


def _read_match(memory: ProcessMemory, at: int, match: re.Match[bytes]) -> str | None:
    """Return the text of a fatal line. Reads it again, so that RecordingMemory records it."""
    memory.read_some(at, match.end() - match.start())
    return _decode_message(match[1])


def _search_writable_memory(memory: ProcessMemory) -> str | None:
    """Search all writable memory, small segments first, until the budget of bytes or of CPU time is spent."""
    budget, deadline = MAX_SCANNED_BYTES, time.thread_time() + SCAN_BUDGET_S
    fallback: str | None = None
    for segment, stored_bytes in sorted(memory.writable_segments(), key=lambda pair: pair[1]):
        for at in range(segment.vaddr, segment.vaddr + stored_bytes, CHUNK_BYTES):
            if budget <= 0 or time.thread_time() > deadline:
                return fallback
            raw = memory.peek(at, min(CHUNK_BYTES + MAX_MESSAGE_BYTES, segment.vaddr + stored_bytes - at))
            budget -= len(raw)
            if any(needle in raw for needle in MESSAGE_STARTS):
                if match := FATAL_LINE.search(raw):
                    return _read_match(memory, at + match.start(), match)
                fallback = fallback or _find_message_start(memory, at, raw)
    return fallback


def _find_message_start(memory: ProcessMemory, start: int, raw: bytes) -> str | None:
    for needle in MESSAGE_STARTS:
        at = raw.find(needle)
        if at >= 0:
            memory.read_some(start + at, min(MAX_MESSAGE_BYTES, len(raw) - at))
            text = re.split(rb"[\0\n]", raw[at : at + MAX_MESSAGE_BYTES], maxsplit=1)[0]
            if len(text) > len(needle) + 2 and b"%" not in text[: len(needle) + 2]:
                return _decode_message(text)
    return None


def _decode_message(raw: bytes) -> str | None:
    text = raw.decode("utf-8", "backslashreplace").strip()
    return text or None
