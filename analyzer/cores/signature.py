"""Signatures: texts that are equal for equal crashes on any host, CPU, patch version of Python and build of a library.

The method follows Socorro's siggen and ABRT's satyr: lists (name_lists/*.txt) name the frames of crash handling that do
not count, and names are normalized. Several levels exist, so that a truncated core still matches a complete one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from analyzer.core_dump import CoreFrame
from analyzer.cores.function_names import is_noise, normalize_function
from analyzer.cores.lead_frames import RUNTIME_LIBRARIES, choose_python_frame, module_name, put_handler_last

NATIVE_FRAMES = 5
MAX_MESSAGE_CHARS = 120
LIBRARY_VERSION = re.compile(r"(?<=\.so)\.[\d.]+$")
GENERATED_NAME = re.compile(
    r"(__autograph_generated_file|<ipython-input|ipykernel)[\w-]+(?:/\d+)?"
)  # it differs each run


def make_signatures(
    signal: str | None, code: str | None, frames: Sequence[CoreFrame], message: str | None, is_overflow: bool = False
) -> dict[str, str]:
    """Return a signature for each level, from exact to coarse.

    Args:
        signal, code: the names of the signal and its si_code.
        frames: the frames of the crashing thread, innermost first.
        message: the abort message.
        is_overflow: whether the stack overflowed. If so, the order of its innermost frames is random.

    Levels: `exact` has everything; `native` no Python; `python` the signal, the message and the Python function;
    `coarse` the signal and the message, or the first relevant frame if there is no message.
    """
    crash_kind = f"{signal or 'no signal'}{_code_class(code)}"
    native = name_native_frames(frames)
    if is_overflow:  # the frame at which a recursion hits the guard page is random
        native = sorted(set(native))
    python = name_python_frame(frames)
    masked_message = mask_message(message) if message else ""
    if not python and not masked_message and set(native) <= {_name_unnamed(frame) for frame in frames}:
        native = [place] if (place := _name_by_offset(frames)) else []
    coarse = native[0] if native else ""
    return {
        "exact": _join_parts(crash_kind, masked_message, *native, python),
        "native": _join_parts(crash_kind, masked_message, *native),
        "python": _join_parts(crash_kind, masked_message, python),
        "coarse": _join_parts(crash_kind, masked_message or coarse),
    }


def _join_parts(*parts: str) -> str:
    return " | ".join(part for part in parts if part)


def _code_class(code: str | None) -> str:
    """Return the si_code if it distinguishes crashes, else an empty text.

    SEGV codes do not: whether a bad pointer hits a mapping is random.
    """
    return f" {code}" if code and code.startswith(("BUS_", "ILL_", "FPE_", "TRAP_", "SYS_")) else ""


def name_native_frames(frames: Sequence[CoreFrame]) -> list[str]:
    """Return the normalized names of the first relevant native frames, innermost first."""
    names: list[str] = []
    is_innermost = True
    for frame in put_handler_last(frames):
        if frame.inlined:  # debug information must not change a signature
            continue
        name = normalize_function(frame.function) if frame.function else _name_unnamed(frame)
        if name is None or is_noise("skip", name) or (is_innermost and is_noise("abort", name)):
            continue
        if is_noise("outer", name):
            break
        is_innermost = False
        if name not in names:  # a recursion counts once
            names.append(name)
        if len(names) == NATIVE_FRAMES:
            break
    return names


def name_python_frame(frames: Sequence[CoreFrame]) -> str:
    """Return `file.py:function` of the frame that `choose_python_frame` chooses; empty if there is none."""
    chosen = choose_python_frame(frames)
    if chosen is None:
        return ""
    file = GENERATED_NAME.sub(r"\1", chosen.file or "").rsplit("/", 1)[-1]
    return f"{file}:{chosen.function}"


def _name_unnamed(frame: CoreFrame) -> str | None:
    """Return the module of a frame without a function name; None for a runtime, or an address outside of modules.

    The offset is not used, because it differs between builds.
    """
    name = module_name(frame.module)
    return LIBRARY_VERSION.sub("", name) if name and not RUNTIME_LIBRARIES.fullmatch(name) else None


def _name_by_offset(frames: Sequence[CoreFrame]) -> str:
    """Return module, build and offset of the innermost frame in a module; empty if there is none.

    Only for a crash without function names, message and Python frame: without the offset, two of them at different
    places would be equal.
    """
    native = [frame for frame in put_handler_last(frames) if frame.module]
    frame = next((frame for frame in native if _name_unnamed(frame)), native[0] if native else None)
    build = f"@{frame.build_id[:8]}" if frame and frame.build_id else ""
    return f"{module_name(frame.module)}{build}+{frame.module_offset}" if frame else ""


def mask_message(message: str) -> str:
    """Return the first line without the parts that differ between runs: numbers, addresses, folders of paths."""
    line = message.split("\n  what():", 1)
    text = " ".join(part.strip().splitlines()[0] for part in line if part.strip())
    text = re.sub(r"0x[0-9a-fA-F]+|\b[0-9a-fA-F]{8,}\b", "#", text)
    text = re.sub(r"(?:/[\w.+@-]+)+/(?=[\w.+@-])", "", text)
    text = re.sub(r"(?<![A-Za-z_])\d+(?:\.\d+)?", "#", text)
    return re.sub(r"\s+", " ", text)[:MAX_MESSAGE_CHARS].strip()
