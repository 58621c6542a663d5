"""Signatures: texts that are equal for equal crashes on any host, CPU and patch version of Python.

After Socorro's siggen and ABRT's satyr: frames of the machinery around a crash are skipped by lists (noise/*.txt),
names are normalised, and several levels exist so that a core that was cut joins its siblings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from analyzer.core_dump import CoreFrame

NATIVE_FRAMES = 5
MAX_MESSAGE_CHARS = 120
MAX_VARIANT_CHARS = 200  # of a function that a library compiles for several CPUs
_OPERATOR = re.compile(r"operator(?:<=>|<<=?|>>=?|<=|>=|->\*?|<|>|\(\))")
LIBRARY_PATH = re.compile(r"/(?:site|dist)-packages/|/lib/python3\.|^<frozen ")
NOISE_FOLDER = Path(__file__).parent / "noise"


def make_signatures(
    signal: str | None, code: str | None, frames: Sequence[CoreFrame], message: str | None, is_overflow: bool = False
) -> dict[str, str]:
    """Return a signature for each level, from exact to coarse.

    Args:
        signal, code: names of the signal and its si_code.
        frames: of the crashing thread, innermost first.
        message: the abort message.
        is_overflow: the stack overflowed, so the order of its innermost frames is chance.

    Levels: `exact` has everything; `native` no Python; `python` the signal, the message and the Python function;
    `coarse` the signal and the message, or the first relevant frame if there is no message.
    """
    crash_kind = f"{signal or 'no signal'}{_code_class(code)}"
    native = name_native_frames(frames)
    if is_overflow:  # where in its round a recursion hits the guard page is chance
        native = sorted(set(native))
    python = name_python_frame(frames)
    masked_message = mask_message(message) if message else ""
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
    """Return the si_code where it distinguishes crashes.

    SEGV codes do not: whether a bad pointer hits a mapping is chance.
    """
    return f" {code}" if code and code.startswith(("BUS_", "ILL_", "FPE_", "TRAP_", "SYS_")) else ""


def name_native_frames(frames: Sequence[CoreFrame]) -> list[str]:
    """Return the normalized names of the first relevant native frames, innermost first."""
    names: list[str] = []
    is_innermost = True
    for frame in frames:
        if frame.kind != "native" or frame.inlined:  # debug information must not change a signature
            continue
        name = normalize_function(frame.function) if frame.function else _name_by_offset(frame)
        if name is None or _is_noise("skip", name) or (is_innermost and _is_noise("abort", name)):
            continue
        if _is_noise("outer", name):
            break
        is_innermost = False
        if name not in names:  # recursion is one
            names.append(name)
        if len(names) == NATIVE_FRAMES:
            break
    return names


def name_python_frame(frames: Sequence[CoreFrame]) -> str:
    """Return `file.py:function` of the frame that `choose_python_frame` chooses; empty if there is none."""
    chosen = choose_python_frame(frames)
    return f"{(chosen.file or '').rsplit('/', 1)[-1]}:{chosen.function}" if chosen else ""


def choose_python_frame(frames: Sequence[CoreFrame]) -> CoreFrame | None:
    """Return the innermost Python frame outside of libraries, else the innermost Python frame."""
    python = [frame for frame in frames if frame.kind == "python"]
    own = (frame for frame in python if not LIBRARY_PATH.search(frame.file or ""))
    return next(own, python[0] if python else None)


def _name_by_offset(frame: CoreFrame) -> str | None:
    """Return module, build and offset of a frame without a function; None for an address outside of modules."""
    if not frame.module:
        return None
    build = f"@{frame.build_id[:8]}" if frame.build_id else ""
    return f"{frame.module.rsplit('/', 1)[-1]}{build}+{frame.module_offset}"


def normalize_function(name: str) -> str:
    """Return a function's name without parameters, template arguments, clones, CPU variants, inline namespaces."""
    name = re.sub(r"(?<!\s)\s*+\[clone [^][]*+\]|\[abi:[^][]*+\]|::h[0-9a-f]{16}$", "", name)  # at last: a hash of Rust
    name = re.sub(r"\.(?:cold|part|isra|constprop|lto_priv|llvm|localalias|avx2|avx512|default)(?:\.[\w.]+)?", "", name)
    name = re.sub(r"^<(?:&|mut |\*const |\*mut )*([\w:]+)(?: as [\w:]+)?>(?=::)", r"\1", name)  # Rust's impl blocks
    name = strip_brackets(name.replace("(anonymous namespace)", "{anonymous}"))
    name = re.sub(r"^.*[\s*&](?=[\w:~{}]*(?:operator.*|[\w~}]+)$)", "", name.removesuffix(" const").rstrip())
    name = re.sub(r"\b(?:lts_\d+|__cxx11|__1|__ndk1|v\d+_\d+_\d+)::", "", name).removeprefix("__GI_")
    variant = _cpu_variant_pattern().fullmatch(name) if len(name) <= MAX_VARIANT_CHARS else None
    return variant["name"] if variant else name


def strip_brackets(name: str) -> str:
    """Remove what is inside <> and () at any depth; operators keep their signs."""
    kept: list[str] = []
    depth = at = 0
    while at < len(name):
        if match := _OPERATOR.match(name, at):
            if not depth:
                kept.append(match[0])
            at += len(match[0])
            continue
        letter = name[at]
        if letter in "<(":
            depth += 1
        elif letter in ">)":
            depth = max(0, depth - 1)
        elif not depth:
            kept.append(letter)
        at += 1
    return "".join(kept)


def mask_message(message: str) -> str:
    """Return the first line without what differs between runs: numbers, addresses, folders of paths."""
    line = message.split("\n  what():", 1)
    text = " ".join(part.strip().splitlines()[0] for part in line if part.strip())
    text = re.sub(r"0x[0-9a-fA-F]+|\b[0-9a-fA-F]{8,}\b", "#", text)
    text = re.sub(r"(?:/[\w.+@-]+)+/(?=[\w.+@-])", "", text)
    text = re.sub(r"(?<![A-Za-z_])\d+(?:\.\d+)?", "#", text)
    return re.sub(r"\s+", " ", text)[:MAX_MESSAGE_CHARS].strip()


@cache
def _noise_pattern(name: str) -> re.Pattern[str]:
    lines = (NOISE_FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return re.compile("|".join(f"(?:{line.strip()})" for line in lines if line.strip() and not line.startswith("#")))


def _is_noise(kind: str, name: str) -> bool:
    return _noise_pattern(kind).fullmatch(name) is not None


@cache
def _cpu_variant_pattern() -> re.Pattern[str]:
    return re.compile(rf"_*(?P<name>\w+?)(?:{_noise_pattern('variants').pattern})+")
