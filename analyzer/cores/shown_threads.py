"""Threads as the contract of incident.json shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from analyzer.cores.core_dump import Json
from analyzer.cores.dwarf.line_program import SourceLocation
from analyzer.cores.dwarf.unwind import HEAD_FRAMES, NativeStack
from analyzer.cores.elf.notes import ThreadNote
from analyzer.cores.merged_stacks import merge_frames
from analyzer.cores.python.interpreter import Interpreter, PythonThread
from analyzer.cores.shown_frames import add_locations, find_frame_locations, make_native_frame, name_frames

LocationsByAddress = Mapping[tuple[int, int], list[SourceLocation]]


def make_threads(
    notes: Sequence[ThreadNote],
    stacks: Sequence[NativeStack],
    interpreter: Interpreter | None,
    sysroots: Sequence[Path],
    leader: tuple[int, str] | None = None,
) -> list[Json]:
    """One thread for each note, in their order; the names of all frames are looked up together.

    `leader`: tid and name of the main thread, the only one whose name a core notes.
    """
    names = name_frames(stacks, sysroots)
    python = interpreter.threads if interpreter else {}
    threads: list[Json] = []
    for note, stack in zip(notes, stacks, strict=True):
        native = [make_native_frame(frame, names) for frame in stack.frames]
        # Lines cost more than all the rest: the first thread, which is the one that crashed, has them.
        locations = {} if threads else find_frame_locations(stack, sysroots)
        threads.append(
            _make_thread(
                note,
                stack,
                native,
                python.get(note.tid),
                locations,
                leader[1] if leader and leader[0] == note.tid else None,
            )
        )
    return threads


def _make_thread(
    note: ThreadNote,
    stack: NativeStack,
    native: list[Json],
    python: PythonThread | None,
    locations: LocationsByAddress,
    name: str | None,
) -> Json:
    merged = merge_frames(native, python, HEAD_FRAMES if stack.omitted else None, stack.frames)
    physical = {id(thread): frame for thread, frame in zip(native, stack.frames, strict=True)}
    frames = [
        f
        for thread in merged
        for f in (add_locations(physical[id(thread)], thread, locations) if id(thread) in physical else [thread])
    ]
    thread: Json = {"tid": note.tid, "name": name, "stop": stack.stop_reason, "frames": frames}
    if stack.omitted:
        after = next((i + 1 for i, f in enumerate(frames) if f is native[HEAD_FRAMES - 1]), HEAD_FRAMES)
        thread["omitted"] = {"after": after, "frames": stack.omitted, "period": stack.period}
    if python is not None and (python.omitted or python.problem):
        thread["python"] = {"omitted": python.omitted, "problem": python.problem}
    return thread


def fold_equal_stacks(threads: Sequence[Json]) -> list[Json]:
    """Threads with equal stacks once: the first, with the others' tids under `also`."""
    kept_threads: dict[tuple[object, ...], Json] = {}
    for thread in threads:
        key = tuple((f["module"], f["module_offset"], f["function"], f["line"]) for f in thread["frames"])
        if key in kept_threads:
            kept_threads[key].setdefault("also", []).append(thread["tid"])
        else:
            kept_threads[key] = thread
    return list(kept_threads.values())
