"""The program's last words, found in its memory: why it aborted, in its own wording.

Only the crashing thread's words count: first what glibc keeps for this purpose, then what the thread's stack points to,
then, bounded, the rest of the writable memory.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from itertools import dropwhile
from pathlib import Path

from analyzer.cores.demangle import demangle_type
from analyzer.cores.loaded import Modules
from analyzer.cores.memory import Memory, State
from analyzer.cores.symbols import find_symbol

MAX_MESSAGE = 2000
STACK_WORDS = 8192  # of the crashing thread's stack, from its innermost frame on
REACH = 1 << 14  # absl's LogMessage keeps 15,000 bytes of text in one object (log/internal/log_message.cc)
SCAN_BYTES = 256 << 20
SCAN_SECONDS = 1.0
CHUNK = 1 << 20
ABORTING = ("SIGABRT", "SIGTRAP", "SIGILL")

NEEDLES = (b"Check failed: ", b"panicked at ", b"*** CHECK FAILED", b"Fatal Python error: ", b"terminate called ")
# A fatal line of absl or glog (`F0000 00:00:1795245851.599217     450 tensor_shape.cc:416] text`) or of TensorFlow's
# own logger up to 2.x (`2021-09-04 14:12:08.686281: F tensorflow/core/x.cc:318] text`). Time and thread are left out.
FATAL_LINE = re.compile(rb"(?:F\d{4} [\d:.]+ +\d+ |: F )([\w./+-]{1,200}:\d{1,7}\] [^\0\n]{1,2000})")

SPEAKING = re.compile(r"(?i)LogMessage|LogFatal|CheckFail|Check_?Op|panic|Fatal|assert|__libc_message")

FATAL_PYTHON = re.compile(r"fatal_error(?:_exit)?(?:\.[\w.]+)?|_?Py_FatalError\w*")
FATAL_BYTES = 0x200  # the frames of raise, abort and fatal_error

# Who calls std::terminate, and what libstdc++ says then. Where it is none of the runtime's own, nothing was thrown.
TERMINATE = ("std::terminate()", "std::__terminate()")
CALLERS = {"__cxa_pure_virtual": "pure virtual method called", "__cxa_deleted_virtual": "deleted virtual method called"}
RUNTIME = ("__cxa_", "__gxx_", "__clang_", "_Unwind_", "std::rethrow_", "std::unexpected", "std::__")
NOTHING_THROWN = "terminate called without an active exception"
EXCEPTION_CLASS = b"\0++CCUNG"  # "GNUCC++\0" as a little-endian number (Itanium C++ ABI, GCC's unwind-cxx.h)
# __cxa_exception in front of the thrown object, 64-bit: the unwinder's header is 32 bytes, the type is 80 before it.
HEADER, TYPE = 32, 112


def find_message(
    memory: Memory,
    modules: Modules,
    pointer: int | None,
    signal: str | None,
    functions: Sequence[str],
    sysroots: Sequence[Path] = (),
) -> str | None:
    """The abort message; None when there is none to be found. `functions`: the crashing thread's, demangled."""
    if signal not in ABORTING:
        return None
    if message := read_glibc_message(memory, modules, sysroots):
        return message
    pointed = list(_pointed(memory, pointer)) if pointer is not None else []
    if any("terminate" in name for name in functions):
        return _read_exception(memory, pointed) or _name_caller(functions)
    if any(FATAL_PYTHON.fullmatch(name) for name in functions[:8]) and (text := _read_fatal_python(memory, pointer)):
        return f"Fatal Python error: {text}"
    found = _search_pointed(memory, pointed)
    # All of memory is searched only when the stack says that something was said, or does not say anything.
    return found or (_search_all(memory) if not functions or any(SPEAKING.search(f) for f in functions) else None)


def read_glibc_message(memory: Memory, modules: Modules, sysroots: Sequence[Path] = ()) -> str | None:
    """__abort_msg: assert(), malloc's checks, stack smashing, fortified functions (glibc, assert/assert.c)."""
    libraries = [m for m in modules.items if m.name.startswith(("libc.so", "libc-2.")) or m.main]
    for module in sorted(libraries, key=lambda m: m.main):
        if module.image is None or module.bias is None:
            continue
        at = find_symbol(module.image, "__abort_msg", sysroots)
        text = memory.word(at + module.bias) if at is not None else None
        if text:
            return _show(memory.text(text + 4, MAX_MESSAGE))  # struct abort_msg_s: unsigned int size, char msg[]
    return None


def _pointed(memory: Memory, pointer: int) -> Iterator[int]:
    """Addresses in the core's own memory that words of the stack point to, innermost first, each once."""
    size = memory.word_size
    raw = memory.read_some(pointer, STACK_WORDS * size)
    seen: set[int] = set()
    order = "little" if memory.order == "<" else "big"
    for at in range(0, len(raw) - size + 1, size):
        value = int.from_bytes(raw[at : at + size], order)  # type: ignore[arg-type]
        if value > 0x10000 and value not in seen and memory.state(value) is State.CORE:
            seen.add(value)
            yield value


def _read_exception(memory: Memory, pointed: Sequence[int]) -> str | None:
    """The C++ exception that was thrown, in libstdc++'s words; what() where the class is known to hold a string."""
    for thrown in _thrown(memory, pointed):
        info = memory.word(thrown - TYPE)
        name = memory.text(memory.word(info + 8) or 0, 1024).decode("ascii", "replace").lstrip("*") if info else ""
        if not name:
            continue
        message = f"terminate called after throwing an instance of '{demangle_type(name)}'"
        what = _read_what(memory, thrown)
        return f"{message}\n  what():  {what}" if what else message
    return None


def _name_caller(functions: Sequence[str]) -> str | None:
    """What ended in std::terminate where no exception is found: a thread object that nobody joined, most often."""
    behind = dropwhile(lambda name: name not in TERMINATE, functions)
    caller = next((name for name in behind if name not in TERMINATE), "")
    return CALLERS.get(caller) or (NOTHING_THROWN if caller and not caller.startswith(RUNTIME) else None)


def _thrown(memory: Memory, pointed: Sequence[int]) -> Iterator[int]:
    """Thrown objects: pointed to themselves, or through the unwinder's header before them, or the runtime's."""
    for address in pointed:
        for ahead in (0, HEADER, 128):
            if memory.peek(address + ahead - HEADER, 8) == EXCEPTION_CLASS:
                memory.read_some(address + ahead - HEADER, 8)
                memory.read_some(address, 1)
                yield address + ahead


def _read_what(memory: Memory, thrown: int) -> str | None:
    """std::runtime_error, std::logic_error and their kin keep a pointer to the text behind that to the vtable."""
    text = memory.word(thrown + 8)
    raw = memory.text(text, MAX_MESSAGE) if text and memory.state(text) is State.CORE else b""
    return _show(raw) if raw and all(byte >= 32 or byte in b"\t\n" for byte in raw) else None


def _read_fatal_python(memory: Memory, pointer: int | None) -> str | None:
    """The argument of Py_FatalError, which writes it in pieces and aborts: it is still near the top of the stack.

    Only text with a space counts, for the name of a C function may stand there too.
    """
    for at in range(pointer or 0, (pointer or 0) + FATAL_BYTES, memory.word_size):
        raw = memory.text(memory.word(at) or 0, MAX_MESSAGE)
        if len(raw) >= 8 and b" " in raw.strip() and all(32 <= byte < 127 for byte in raw):
            return _show(raw)
    return None


def _search_pointed(memory: Memory, pointed: Sequence[int]) -> str | None:
    """Around what the stack points to: a fatal log line first, then other words of the kind."""
    weaker: str | None = None
    covered = 0
    for address in sorted(pointed):
        start = max(address, covered)
        if start >= address + REACH:
            continue
        raw = memory.peek(start, address + REACH - start)
        covered = address + REACH
        if b"] " in raw and (match := FATAL_LINE.search(raw)):
            return _quote(memory, start + match.start(), match)
        weaker = weaker or _first_needle(memory, start, raw)
    return weaker


def _quote(memory: Memory, at: int, match: re.Match[bytes]) -> str | None:
    """The text of a fatal line, read for good now that it is known to count."""
    memory.read_some(at, match.end() - match.start())
    return _show(match[1])


def _search_all(memory: Memory) -> str | None:
    """Small segments first; ends when the budget of bytes or time does."""
    budget, deadline = SCAN_BYTES, time.thread_time() + SCAN_SECONDS
    weaker: str | None = None
    for segment, there in sorted(memory.writable(), key=lambda pair: pair[1]):
        for at in range(segment.vaddr, segment.vaddr + there, CHUNK):
            if budget <= 0 or time.thread_time() > deadline:
                return weaker
            raw = memory.peek(at, min(CHUNK + MAX_MESSAGE, segment.vaddr + there - at))
            budget -= len(raw)
            if any(needle in raw for needle in NEEDLES):
                if match := FATAL_LINE.search(raw):
                    return _quote(memory, at + match.start(), match)
                weaker = weaker or _first_needle(memory, at, raw)
    return weaker


def _first_needle(memory: Memory, start: int, raw: bytes) -> str | None:
    for needle in NEEDLES:
        at = raw.find(needle)
        if at >= 0:
            memory.read_some(start + at, min(MAX_MESSAGE, len(raw) - at))
            text = re.split(rb"[\0\n]", raw[at : at + MAX_MESSAGE], maxsplit=1)[0]
            if len(text) > len(needle) + 2 and b"%" not in text[: len(needle) + 2]:
                return _show(text)
    return None


def _show(raw: bytes) -> str | None:
    text = raw.decode("utf-8", "backslashreplace").strip()
    return text or None
