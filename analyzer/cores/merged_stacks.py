"""Python frames among native ones: inside each call of the evaluator stand the Python frames that it runs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from analyzer.cores.core_dump import Json
from analyzer.cores.dwarf.unwind import NativeFrame
from analyzer.cores.python.interpreter import PythonFrame, PythonThread
from analyzer.cores.shown_frames import make_blank_frame

EVALUATOR_FUNCTION = "_PyEval_EvalFrameDefault"


def merge_frames(
    native: Sequence[Json],
    python: PythonThread | None,
    omitted_from: int | None,
    native_frames: Sequence[NativeFrame] = (),
) -> list[Json]:
    """One stack, innermost first. `cut`: behind so many native frames some are left out, None when there are all.

    `physical`: the native frames with their stack pointers, for evaluators that have no name.

    The innermost evaluator runs the innermost group. Behind a cut, groups are counted from the outermost end. Groups
    whose evaluator was not seen (a stack that breaks off) come last: they are known to be there, not where.
    """
    if python is None or not python.frames:
        return list(native)
    groups = split_evaluator_groups(python.frames)
    evaluators = [i for i, frame in enumerate(native) if _is_evaluator(frame)] or find_evaluators(native_frames, python)
    front = [i for i in evaluators if omitted_from is None or i < omitted_from]
    back = [i for i in evaluators if omitted_from is not None and i >= omitted_from]
    placed = dict(zip(front, groups, strict=False))
    rest = groups[len(front) :]
    for index, group in zip(reversed(back), reversed(rest), strict=False):
        placed[index] = group
    merged: list[Json] = []
    for index, frame in enumerate(native):
        merged.extend(make_python_frame(f) for f in placed.get(index, ()))
        merged.append(frame)
    if omitted_from is not None:  # what is left belongs to evaluators that were left out too
        return merged
    merged.extend(make_python_frame(f) for group in rest for f in group)
    return merged


def find_evaluators(frames: Sequence[NativeFrame], python: PythonThread) -> list[int]:
    """The native frames in whose part of the stack an evaluator's own frame stands: of a stripped interpreter."""
    shims = [frame.shim for frame in python.frames if frame.shim is not None]
    return [
        index
        for index, (frame, caller) in enumerate(pairwise(frames))
        if frame.sp is not None and caller.sp is not None and any(frame.sp <= shim < caller.sp for shim in shims)
    ]


def split_evaluator_groups(frames: Sequence[PythonFrame]) -> list[list[PythonFrame]]:
    """Frames that one call of the evaluator runs: each group ends with its entry frame."""
    groups: list[list[PythonFrame]] = [[]]
    for frame in frames:
        groups[-1].append(frame)
        if frame.is_entry:
            groups.append([])
    return [group for group in groups if group]


def make_python_frame(frame: PythonFrame) -> Json:
    return make_blank_frame("python", "context") | {"function": frame.function, "file": frame.file, "line": frame.line}


def _is_evaluator(frame: Json) -> bool:
    function = frame["function"]
    return isinstance(function, str) and function.split(".")[0] == EVALUATOR_FUNCTION
