"""Threads as the contract of incident.json shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from analyzer.cores.frames import add_lines, find_lines, name_frames, show_native
from analyzer.cores.linetable import Place
from analyzer.cores.merge import merge_frames
from analyzer.cores.notes import ThreadNote
from analyzer.cores.python import Interpreter, PythonThread
from analyzer.cores.unwind import HEAD, Stack
from analyzer.cores.words import Json

Places = Mapping[tuple[int, int], list[Place]]


def show_threads(
    notes: Sequence[ThreadNote],
    stacks: Sequence[Stack],
    interpreter: Interpreter | None,
    sysroots: Sequence[Path],
    leader: tuple[int, str] | None = None,
) -> list[Json]:
    """One thread for each note, in their order; the names of all frames are looked up together.

    `leader`: tid and name of the main thread, the only one whose name a core notes.
    """
    names = name_frames(stacks, sysroots)
    python = interpreter.threads if interpreter else {}
    shown: list[Json] = []
    for note, stack in zip(notes, stacks, strict=True):
        native = [show_native(frame, names) for frame in stack.frames]
        # Lines cost more than all the rest: the first thread, which is the one that crashed, has them.
        places = {} if shown else find_lines(stack, sysroots)
        shown.append(
            _show_thread(
                note,
                stack,
                native,
                python.get(note.tid),
                places,
                leader[1] if leader and leader[0] == note.tid else None,
            )
        )
    return shown


def _show_thread(
    note: ThreadNote, stack: Stack, native: list[Json], python: PythonThread | None, places: Places, name: str | None
) -> Json:
    merged = merge_frames(native, python, HEAD if stack.omitted else None, stack.frames)
    physical = {id(shown): frame for shown, frame in zip(native, stack.frames, strict=True)}
    frames = [
        f
        for shown in merged
        for f in (add_lines(physical[id(shown)], shown, places) if id(shown) in physical else [shown])
    ]
    shown: Json = {"tid": note.tid, "name": name, "stop": stack.stop, "frames": frames}
    if stack.omitted:
        after = next((i + 1 for i, f in enumerate(frames) if f is native[HEAD - 1]), HEAD)
        shown["omitted"] = {"after": after, "frames": stack.omitted, "period": stack.period}
    if python is not None and (python.omitted or python.problem):
        shown["python"] = {"omitted": python.omitted, "problem": python.problem}
    return shown


def fold_equal(threads: Sequence[Json]) -> list[Json]:
    """Threads with equal stacks once: the first, with the others' tids under `also`."""
    kept: dict[tuple[object, ...], Json] = {}
    for thread in threads:
        key = tuple((f["module"], f["module_offset"], f["function"], f["line"]) for f in thread["frames"])
        if key in kept:
            kept[key].setdefault("also", []).append(thread["tid"])
        else:
            kept[key] = thread
    return list(kept.values())
