"""Arguments and variables of a thread's frames of native code, for those who ask for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from analyzer.core_dump import CoreFrame
from analyzer.cores.dwarf.machine import FrameState, Machine
from analyzer.cores.dwarf.source_lines import find_debug_source
from analyzer.cores.dwarf.unwind import NativeFrame, NativeStack
from analyzer.cores.elf.memory import ProcessMemory

MAX_FRAMES_WITH_VARIABLES = 64  # of a thread, the innermost


def fill_native_variables(
    frames: Sequence[CoreFrame], stack: NativeStack, memory: ProcessMemory, machine: Machine, sysroots: Sequence[Path]
) -> None:
    """Set `locals` of the native frames whose module has debug information.

    `frames` are those that `make_threads` made of the stack: before each native frame stand the calls inlined into it.
    """
    by_source: dict[Path, list[tuple[FrameState, list[CoreFrame]]]] = {}
    for (frame, caller), shown in zip(_pair_with_caller(stack), _group_by_native_frame(frames), strict=False):
        module = frame.module
        if module is None or module.image is None or module.bias is None or frame.registers is None:
            continue
        source = find_debug_source(module.image, sysroots, module.path)
        if source is not None and source.path is not None:
            state = _make_state(frame, caller, module.bias, machine)
            by_source.setdefault(source.path, []).append((state, shown))
    for path, rows in by_source.items():
        from analyzer.cores.dwarf.native_variables import read_variables  # with pyelftools

        for (_, shown), scopes in zip(rows, read_variables(path, [state for state, _ in rows], memory), strict=True):
            usable = scopes if len(scopes) == len(shown) else scopes[:1]
            for target, variables in zip(reversed(shown), usable, strict=False):
                target.locals = variables or None


def _make_state(frame: NativeFrame, caller: NativeFrame | None, bias: int, machine: Machine) -> FrameState:
    """Return what variables are looked up with: of a frame that called, only registers that the call preserved."""
    registers = [
        value if frame.is_exact or number in machine.preserved else None
        for number, value in enumerate(frame.registers or ())
    ]
    cfa = caller.sp if caller is not None and caller.method == "cfi" else None
    return FrameState(frame.lookup_address - bias, bias, registers, cfa)


def _pair_with_caller(stack: NativeStack) -> Iterator[tuple[NativeFrame, NativeFrame | None]]:
    """Yield the innermost frames with their callers, whose stack pointer is the frame's canonical address."""
    frames = stack.frames[: MAX_FRAMES_WITH_VARIABLES + 1]
    yield from pairwise(frames)
    if len(frames) <= MAX_FRAMES_WITH_VARIABLES and frames:
        yield frames[-1], None


def _group_by_native_frame(frames: Sequence[CoreFrame]) -> Iterator[list[CoreFrame]]:
    """Yield each native frame behind the calls that are inlined into it, innermost first."""
    group: list[CoreFrame] = []
    for frame in frames:
        if frame.kind == "native":
            group.append(frame)
            if not frame.inlined:
                yield group
                group = []
