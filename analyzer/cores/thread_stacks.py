"""The threads of a core with named frames, source lines, and Python frames among the native ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from analyzer.core_dump import CoreFrame, CoreThread, OmittedFrames, PythonGaps
from analyzer.cores.demangle import demangle
from analyzer.cores.dwarf.line_program import SourceLocation
from analyzer.cores.dwarf.source_lines import find_locations
from analyzer.cores.dwarf.unwind import HEAD_FRAMES, NativeFrame, NativeStack
from analyzer.cores.elf.modules import LoadedModule
from analyzer.cores.elf.notes import ThreadNote
from analyzer.cores.elf.symbols import resolve_functions
from analyzer.cores.lead_frames import SIGNAL_TRAMPOLINE
from analyzer.cores.python.interpreter import Interpreter, PythonFrame, PythonThread

EVALUATOR_FUNCTION = "_PyEval_EvalFrameDefault"

ModuleAddress = tuple[int, int]  # id() of a LoadedModule, address in its file's own numbering
LocationsByAddress = Mapping[ModuleAddress, list[SourceLocation]]


def make_threads(
    notes: Sequence[ThreadNote],
    stacks: Sequence[NativeStack],
    interpreter: Interpreter | None,
    sysroots: Sequence[Path],
    names: Mapping[int, str] | None = None,
    all_lines: bool = False,
) -> list[CoreThread]:
    """Return one thread for each note, in the order of the notes.

    `stacks` has the native stack of each note. `names` are the thread names in the file, by tid: a core has only that
    of the main thread; Python knows those of the threads that it started. The functions of all frames are looked up
    together, in one pass over each symbol table. Source lines cost more than everything else, so only the first thread,
    the one that crashed, gets them, unless `all_lines` is set.
    """
    functions = _name_frames(stacks, sysroots)
    python_threads = interpreter.threads if interpreter else {}
    locations = _find_frame_locations(stacks if all_lines else stacks[:1], sysroots)
    threads: list[CoreThread] = []
    for note, stack in zip(notes, stacks, strict=True):
        frames = [_make_native_frame(frame, functions) for frame in stack.frames]
        python = python_threads.get(note.tid)
        name = (names or {}).get(note.tid) or (python.name if python else None)
        shown_locations = locations if all_lines or not threads else {}
        threads.append(_make_thread(note.tid, name, stack, frames, python, shown_locations))
    return threads


def _make_thread(
    tid: int,
    name: str | None,
    stack: NativeStack,
    native: list[CoreFrame],
    python: PythonThread | None,
    locations: LocationsByAddress,
) -> CoreThread:
    merged = merge_frames(native, python, HEAD_FRAMES if stack.omitted else None, stack.frames)
    native_of = {id(shown): frame for shown, frame in zip(native, stack.frames, strict=True)}
    frames = [
        frame
        for shown in merged
        for frame in (_add_locations(native_of[id(shown)], shown, locations) if id(shown) in native_of else [shown])
    ]
    thread = CoreThread(tid=tid, name=name, stop=stack.stop_reason, frames=frames)
    if stack.omitted:
        last_of_head = native[HEAD_FRAMES - 1]
        after = next((index + 1 for index, frame in enumerate(frames) if frame is last_of_head), HEAD_FRAMES)
        thread.omitted = OmittedFrames(after=after, frames=stack.omitted, period=stack.period)
    if python is not None and (python.omitted or python.problem):
        thread.python = PythonGaps(omitted=python.omitted, problem=python.problem)
    return thread


def fold_equal_stacks(threads: Sequence[CoreThread]) -> list[CoreThread]:
    """Return the first thread of each distinct stack, with the tids of the others in its `also`."""
    kept_threads: dict[tuple[object, ...], CoreThread] = {}
    for thread in threads:
        key = tuple((frame.module, frame.module_offset, frame.function, frame.line) for frame in thread.frames)
        if key in kept_threads:
            kept_threads[key].also.append(thread.tid)
        else:
            kept_threads[key] = thread
    return list(kept_threads.values())


def _name_frames(stacks: Iterable[NativeStack], sysroots: Sequence[Path]) -> dict[ModuleAddress, tuple[str, int]]:
    """Return (mangled function, bytes from its start) for all frames at a symbol."""
    wanted: dict[int, set[int]] = {}
    modules: dict[int, LoadedModule] = {}
    for stack in stacks:
        for frame in stack.frames:
            module = frame.module
            if module is not None and module.image is not None and module.bias is not None:
                modules[id(module)] = module
                wanted.setdefault(id(module), set()).add(frame.lookup_address - module.bias)
    functions: dict[ModuleAddress, tuple[str, int]] = {}
    for key, addresses in wanted.items():
        image = modules[key].image
        if image is not None:
            resolved = resolve_functions(image, addresses, sysroots)
            functions |= {(key, address): function for address, function in resolved.items()}
    return functions


def _make_native_frame(frame: NativeFrame, functions: Mapping[ModuleAddress, tuple[str, int]]) -> CoreFrame:
    module = frame.module
    shown = CoreFrame(kind="native", how=frame.method, address=f"{frame.pc:#x}")
    if frame.is_trampoline:
        shown.function = SIGNAL_TRAMPOLINE
    if module is None:
        return shown
    shown.module, shown.build_id = module.path, module.build_id
    shown.module_offset = f"{frame.pc - module.start:#x}"
    base = module.bias if module.bias is not None else module.start
    function = functions.get((id(module), frame.lookup_address - base))
    if function is not None:
        shown.function, shown.offset = demangle(function[0]), function[1] + frame.pc - frame.lookup_address
        if function[0].startswith(("_Z", "_R")):
            shown.mangled = function[0]
    return shown


def _find_frame_locations(stacks: Sequence[NativeStack], sysroots: Sequence[Path]) -> LocationsByAddress:
    """Return the source locations of the frames with debug information."""
    wanted: dict[int, tuple[LoadedModule, set[int]]] = {}
    for frame in (frame for stack in stacks for frame in stack.frames):
        module = frame.module
        if module is not None and module.image is not None and module.bias is not None:
            wanted.setdefault(id(module), (module, set()))[1].add(frame.lookup_address - module.bias)
    locations: dict[ModuleAddress, list[SourceLocation]] = {}
    for key, (module, addresses) in wanted.items():
        if module.image is not None:
            in_module = find_locations(module.image, addresses, sysroots, module.path)
            locations |= {(key, address): chain for address, chain in in_module.items()}
    return locations


def _add_locations(frame: NativeFrame, shown: CoreFrame, locations: LocationsByAddress) -> list[CoreFrame]:
    """Return the functions inlined into a native frame, then the frame itself, all with their source lines."""
    bias = frame.module.bias if frame.module is not None and frame.module.bias is not None else 0
    chain = locations.get((id(frame.module), frame.lookup_address - bias), [])
    inlined = [
        replace(
            shown,
            function=demangle(location.function),
            offset=None,
            file=location.file,
            line=location.line,
            inlined=True,
        )
        for location in chain
        if location.function is not None
    ]
    if chain:
        shown.file, shown.line = chain[-1].file, chain[-1].line
    return [*inlined, shown]


def merge_frames(
    native: Sequence[CoreFrame],
    python: PythonThread | None,
    omitted_from: int | None,
    native_frames: Sequence[NativeFrame] = (),
) -> list[CoreFrame]:
    """Return one stack, innermost first: each call of the evaluator comes after the Python frames that it runs.

    `omitted_from`: the number of native frames before the omitted ones; None if none are omitted.
    `native_frames`: the same frames with their stack pointers, for evaluators without a name.

    The innermost evaluator runs the innermost group of Python frames. After the omitted frames, groups are counted from
    the outermost end. If the stack breaks off, the evaluators of some groups are missing. These groups come last, since
    their place is unknown.
    """
    if python is None or not python.frames:
        return list(native)
    groups = split_evaluator_groups(python.frames)
    evaluators = [index for index, frame in enumerate(native) if _is_evaluator(frame)]
    evaluators = evaluators or _find_unnamed_evaluators(native_frames, python)
    head = [index for index in evaluators if omitted_from is None or index < omitted_from]
    tail = [index for index in evaluators if omitted_from is not None and index >= omitted_from]
    group_before = dict(zip(head, groups, strict=False))
    tail_groups = groups[len(head) :]
    for index, group in zip(reversed(tail), reversed(tail_groups), strict=False):
        group_before[index] = group
    merged: list[CoreFrame] = []
    for index, frame in enumerate(native):
        merged.extend(_make_python_frame(python_frame) for python_frame in group_before.get(index, ()))
        merged.append(frame)
    if omitted_from is not None:  # the remaining groups belong to omitted evaluators
        return merged
    merged.extend(_make_python_frame(python_frame) for group in tail_groups for python_frame in group)
    return merged


def _find_unnamed_evaluators(frames: Sequence[NativeFrame], python: PythonThread) -> list[int]:
    """Return the native frames whose part of the stack has an evaluator's shim, for an interpreter without symbols."""
    shims = [frame.shim for frame in python.frames if frame.shim is not None]
    return [
        index
        for index, (frame, caller) in enumerate(pairwise(frames))
        if frame.sp is not None and caller.sp is not None and any(frame.sp <= shim < caller.sp for shim in shims)
    ]


def split_evaluator_groups(frames: Sequence[PythonFrame]) -> list[list[PythonFrame]]:
    """Return the frames that each call of the evaluator runs; the last frame of a group is its entry frame."""
    groups: list[list[PythonFrame]] = [[]]
    for frame in frames:
        groups[-1].append(frame)
        if frame.is_entry:
            groups.append([])
    return [group for group in groups if group]


def _make_python_frame(frame: PythonFrame) -> CoreFrame:
    return CoreFrame(
        kind="python",
        how="context",
        function=frame.function,
        file=frame.file,
        line=frame.line,
        locals=dict(frame.variables) if frame.variables else None,
    )


def _is_evaluator(frame: CoreFrame) -> bool:
    return frame.function is not None and frame.function.split(".")[0] == EVALUATOR_FUNCTION
