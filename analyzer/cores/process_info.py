"""The process of a core: its program, command line, environment, and the mapping at an address."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping, Sequence

from analyzer.core_dump import CoreMapping
from analyzer.cores.elf.headers import PF_R, PF_W, PF_X, ElfSegment
from analyzer.cores.elf.memory import ProcessMemory
from analyzer.cores.elf.modules import ModuleMap
from analyzer.cores.elf.notes import AUXV_NAMES, CoreNotes, MappedFile

AT_EXECFN = 31
MAX_STRINGS = 1 << 14  # arguments or variables
MAX_STACK_TOP_BYTES = 16 << 20  # ARG_MAX is a quarter of the stack limit, at most 6 MB since Linux 4.13
MAX_MAPPINGS = 20_000

SECRET_NAME = re.compile(
    r"(?i)(secret|token|passw|passphrase|credential|api[_-]?key|access[_-]?key|private[_-]?key|"
    r"[_-]key$|_pat$|auth|cookie|session|_pw$|_pwd$|dsn$|connection[_-]?string|signature)"
)
URL_PASSWORD = re.compile(r"(://[^/\s:@]*:)[^/\s@]+@")
MASK = "<masked>"


def read_command(memory: ProcessMemory, notes: CoreNotes) -> tuple[list[str], dict[str, str], list[str]]:
    """Return arguments, environment and problems, with secrets masked."""
    arguments, variables, problems = read_strings(memory, notes)
    return mask_arguments(arguments), dict(_split_variables(variables)), problems


def read_strings(memory: ProcessMemory, notes: CoreNotes) -> tuple[list[str], list[str], list[str]]:
    """Return arguments, environment (`NAME=value`) and problems, with nothing masked.

    The kernel puts both at the top of the main stack, which a truncated core loses first.
    """
    if any(notes.strings):
        return *notes.strings, []
    auxv_at = _find_auxv(memory, notes)
    if auxv_at is None:
        args = notes.process.args.split(" ") if notes.process and notes.process.args else []
        cut = len(" ".join(args)) >= 79
        return args, [], ["the command line is cut after 79 bytes"] if cut else []
    word = memory.word_size
    environment_end = auxv_at - word
    environment_start = _find_array_start(memory, environment_end - word)
    arguments_start = _find_argv_start(memory, environment_start - 2 * word)
    variables = list(_read_string_array(memory, environment_start, environment_end))
    return list(_read_string_array(memory, arguments_start, environment_start - word)), variables, []


def find_secrets(arguments: Sequence[str], variables: Sequence[str]) -> list[tuple[str, str]]:
    """Return (text in memory, masked text) of every argument and variable with a secret."""
    pairs = [(raw, shown) for raw, shown in zip(arguments, mask_arguments(arguments), strict=True) if raw != shown]
    for raw, (name, value) in zip(variables, _split_variables(variables), strict=True):
        if raw != (shown := f"{name}={value}"):
            pairs.append((raw, shown))
    return pairs


def _find_auxv(memory: ProcessMemory, notes: CoreNotes) -> int | None:
    """Return the address of the auxiliary vector on the stack, which follows the pointers of the environment."""
    segment = memory.find_segment(notes.auxv.get(AT_EXECFN, 0))
    if segment is None or not notes.auxv:
        return None
    pairs = list(notes.auxv.items())[:4]
    letter = "Q" if memory.word_size == 8 else "I"
    needle = b"".join(struct.pack(f"{memory.order}2{letter}", *pair) for pair in pairs)
    hits = ((start, memory.peek(start, size).find(needle)) for start, size in _stack_parts_below(memory, segment.end))
    address = next((start + at for start, at in hits if at >= 0), None)
    if address is not None:
        memory.read_some(address, len(needle))  # again with `read_some`, so that RecordingMemory records it
    return address


def _stack_parts_below(memory: ProcessMemory, end: int) -> Iterator[tuple[int, int]]:
    """Yield (start, size) of the parts of the stack's top.

    A slim core lacks the random gap between strings and vector.
    """
    left = MAX_STACK_TOP_BYTES
    while left > 0 and (segment := memory.find_segment(end - 1)):
        size = min(end - segment.vaddr, left)
        yield end - size, size
        end, left = end - size, left - size


def _find_array_start(memory: ProcessMemory, at: int) -> int:
    """Return the start of the pointer array that ends at `at`: it follows the NULL of the array before it."""
    for _ in range(MAX_STRINGS):
        if not memory.read_word(at):
            return at + memory.word_size
        at -= memory.word_size
    return at


def _find_argv_start(memory: ProcessMemory, at: int) -> int:
    """Return the start of argv, which follows argc: the first word that equals the number of pointers after it."""
    word = memory.word_size
    for count in range(MAX_STRINGS):
        if memory.read_word(at - count * word) == count:
            return at - (count - 1) * word
    return at + word


def _read_string_array(memory: ProcessMemory, start: int, end: int) -> Iterator[str]:
    for at in range(start, end, memory.word_size):
        pointer = memory.read_word(at)
        if not pointer:
            return
        yield memory.read_string(pointer, 1 << 17).decode("utf-8", "backslashreplace")


def _split_variables(variables: Sequence[str]) -> Iterator[tuple[str, str]]:
    for variable in variables:
        name, _, value = variable.partition("=")
        yield name, MASK if SECRET_NAME.search(name) else URL_PASSWORD.sub(rf"\1{MASK}@", value)


def mask_arguments(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with masked values of options whose names suggest a secret: `--token=x` and `--token x`."""
    masked, hide = [], False
    for argument in arguments:
        name, equals, _ = argument.partition("=")
        secret = name.startswith("-") and bool(SECRET_NAME.search(name))
        if hide and not argument.startswith("-"):
            masked.append(MASK)
        else:
            masked.append(f"{name}={MASK}" if secret and equals else URL_PASSWORD.sub(rf"\1{MASK}@", argument))
        hide = secret and not equals
    return masked


def find_executable(memory: ProcessMemory, notes: CoreNotes, modules: ModuleMap) -> str | None:
    """Return the program's path: that of the module with its program headers, or else AT_EXECFN, which
    may be relative.
    """
    if modules.main is not None:
        return modules.main.path
    name = memory.read_string(notes.auxv.get(AT_EXECFN, 0)).decode("utf-8", "backslashreplace")
    return name or (notes.process.comm if notes.process else None) or None


def describe_auxv(auxv: Mapping[int, int]) -> dict[str, str]:
    return {AUXV_NAMES.get(key, f"AT_{key}"): f"{value:#x}" for key, value in auxv.items()}


def list_mappings(memory: ProcessMemory, files: Sequence[MappedFile], stacks: Sequence[int]) -> list[CoreMapping]:
    """Return the first MAX_MAPPINGS mappings by address; `stacks` are the threads' stack pointers."""
    by_start = {file.start: file for file in files}
    mappings: list[CoreMapping] = []
    for segment in memory.mapped_segments[:MAX_MAPPINGS]:
        file = by_start.get(segment.vaddr)
        mappings.append(
            CoreMapping(
                start=f"{segment.vaddr:#x}",
                end=f"{segment.end:#x}",
                flags=format_flags(segment),
                path=file.path if file else ("[stack]" if _holds_pointer(segment, stacks) else None),
                offset=file.offset if file else None,
                in_core=min(segment.filesz, max(0, memory.size - segment.offset)),
            )
        )
    return mappings


def describe_address(memory: ProcessMemory, files: Sequence[MappedFile], stacks: Sequence[int], address: int) -> str:
    """Return what was mapped at an address: `rw- /dev/shm/nccl-x`, `r-x [anonymous]`; empty if nothing was."""
    segment = memory.find_segment(address)
    file = next((f for f in files if f.start <= address < f.end), None)
    if segment is None:
        return f"--- {file.path}" if file else ""
    inner = "[stack]" if _holds_pointer(segment, stacks) else "[anonymous]"
    return f"{format_flags(segment)} {file.path if file else inner}"


def format_flags(segment: ElfSegment) -> str:
    return "".join(letter if segment.flags & bit else "-" for bit, letter in ((PF_R, "r"), (PF_W, "w"), (PF_X, "x")))


def _holds_pointer(segment: ElfSegment, pointers: Sequence[int]) -> bool:
    return any(segment.vaddr <= p < segment.end for p in pointers)
