"""Arguments and variables of a thread's native frames, for `--locals`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from analyzer.core_dump import CoreFrame
from analyzer.cores.dwarf.machine import FrameState, Machine
from analyzer.cores.dwarf.source_lines import find_debug_source
from analyzer.cores.dwarf.unwind import NativeFrame, NativeStack
from analyzer.cores.elf.memory import ProcessMemory

MAX_FRAMES_WITH_VARIABLES = 64  # the innermost frames of a thread


def fill_native_variables(
    frames: Sequence[CoreFrame], stack: NativeStack, memory: ProcessMemory, machine: Machine, sysroots: Sequence[Path]
) -> None:
    """Set `locals` of the native frames whose module has debug information.

    `frames` are those that `make_threads` made of the stack: the calls inlined into a native frame come before it.
    """
    by_source: dict[Path, list[tuple[FrameState, list[CoreFrame]]]] = {}
    innermost = stack.frames[: MAX_FRAMES_WITH_VARIABLES + 2]
    for index, (frame, shown) in enumerate(zip(innermost, _group_by_native_frame(frames), strict=False)):
        module = frame.module
        if module is None or module.image is None or index >= MAX_FRAMES_WITH_VARIABLES:
            continue
        source = find_debug_source(module.image, sysroots, module.path)
        state = _make_state(innermost[index : index + 3], machine)
        if source is not None and source.path is not None and state is not None:
            by_source.setdefault(source.path, []).append((state, shown))
    for path, rows in by_source.items():
        from analyzer.cores.dwarf.native_variables import read_variables  # with pyelftools

        for (_, shown), scopes in zip(rows, read_variables(path, [state for state, _ in rows], memory), strict=True):
            usable = scopes if len(scopes) == len(shown) else scopes[:1]
            for target, variables in zip(reversed(shown), usable, strict=False):
                target.locals = variables or None


def _make_state(frames: Sequence[NativeFrame], machine: Machine) -> FrameState | None:
    """Return the state with which variables of the first frame are found; None if it has no registers or no file.

    The frames after it are its callers. In a calling frame, only registers that the call preserves are known.
    """
    frame, *callers = frames
    if frame.registers is None or frame.module is None or frame.module.bias is None:
        return None
    registers = [
        value if frame.is_exact or number in machine.preserved else None for number, value in enumerate(frame.registers)
    ]
    is_called = bool(callers) and callers[0].method == "cfi" and not callers[0].is_exact
    return FrameState(
        address=frame.lookup_address - frame.module.bias,
        bias=frame.module.bias,
        registers=registers,
        cfa=callers[0].sp if callers and callers[0].method == "cfi" else None,
        caller=_make_state(callers, machine) if is_called and callers[0].module is frame.module else None,
    )


def _group_by_native_frame(frames: Sequence[CoreFrame]) -> Iterator[list[CoreFrame]]:
    """Yield each native frame after the calls that are inlined into it, innermost first."""
    group: list[CoreFrame] = []
    for frame in frames:
        if frame.kind == "native":
            group.append(frame)
            if not frame.inlined:
                yield group
                group = []
