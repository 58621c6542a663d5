"""Show the source line of a frame, if the sources are beside the core or under a folder that the user names.

Paths come from the core, so nothing is read outside these folders, and only files that are named like sources.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from analyzer.core_dump import CoreFrame

SOURCE_SUFFIXES = frozenset(".c .cc .cpp .cxx .cu .cuh .h .hh .hpp .hxx .inc .py .pyx .rs .go .s .S".split())  # noqa: SIM905
MAX_FRAMES = 200
MAX_SOURCE_BYTES = 4 << 20
MAX_LINE_CHARS = 200


def fill_source_lines(frames: Iterable[CoreFrame], roots: Sequence[Path]) -> None:
    """Set `source` of the frames whose file is below one of the roots: at its full path, or directly there by its name.

    The text is the current content of the file.
    """
    for _, frame in zip(range(MAX_FRAMES), frames, strict=False):
        if frame.file and frame.line:
            lines = next((lines for path in _candidates(frame.file, roots) if (lines := _read_lines(path))), ())
            text = lines[frame.line - 1].strip() if 0 < frame.line <= len(lines) else ""
            frame.source = text[:MAX_LINE_CHARS] or None


def _candidates(file: str, roots: Sequence[Path]) -> Iterator[Path]:
    """Yield the possible paths of the file; none of them leads out of its root."""
    name = os.path.normpath("/" + file).lstrip("/")
    if Path(name).suffix not in SOURCE_SUFFIXES or "\0" in name:
        return
    for root in roots:
        for candidate in (root / name, root / Path(name).name):
            try:
                path, top = candidate.resolve(), root.resolve()
            except (OSError, RuntimeError):
                continue
            if path.suffix in SOURCE_SUFFIXES and path.is_relative_to(top):
                yield path


@lru_cache(4)  # only 4: as objects, short lines take twenty times the size of their file
def _read_lines(path: Path) -> tuple[str, ...]:
    """Return the lines of a regular file; none if it cannot be read or is too large."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return ()
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_SOURCE_BYTES:
        os.close(descriptor)
        return ()
    with os.fdopen(descriptor, "rb") as file:
        return tuple(file.read(MAX_SOURCE_BYTES).decode("utf-8", "replace").split("\n"))
