"""Find the source lines and inlined functions for addresses of one image.

The debug information may be in a separate file. The module that reads it is imported only if there is any, because the
import of pyelftools takes as long as reading a core.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from analyzer.cores.dwarf.line_program import SourceLocation
from analyzer.cores.elf.images import ElfImage
from analyzer.cores.elf.symbols import find_debug_file

# Files of a distribution: the reader has no sources for them, and the evaluator's unit alone takes a second.
SKIPPED_PATHS = re.compile(r"^(?:/usr)?/lib(?:32|64|x32)?/|/libpython3|/python3[\d.]*$|/lib-dynload/")
MAX_DEBUG_BYTES = 96 << 20  # of all debug sections, which pyelftools copies


def find_locations(
    image: ElfImage, addresses: Iterable[int], sysroots: Sequence[Path] = (), mapped_path: str | None = None
) -> dict[int, list[SourceLocation]]:
    """Return {address: locations}: the innermost inlined function first, the containing function last.

    Addresses without a known line are absent. `mapped_path` as in `find_debug_source`.
    """
    source = find_debug_source(image, sysroots, mapped_path)
    if source is None or source.path is None:
        return {}
    from analyzer.cores.dwarf.compile_units import read_locations

    return read_locations(source.path, source.header.word_size, sorted(set(addresses)))


def find_debug_source(
    image: ElfImage, sysroots: Sequence[Path] = (), mapped_path: str | None = None
) -> ElfImage | None:
    """Return the file with the debug information of an image; None if there is none, or too much.

    `mapped_path` is the path in the process, if the local file is elsewhere. A name without folders, as in some
    minidumps, does not count.
    """
    path = mapped_path if mapped_path and "/" in mapped_path else str(image.path)
    if SKIPPED_PATHS.search(path):
        return None
    source = image if ".debug_line" in image.sections else find_debug_file(image, tuple(sysroots))
    if source is None or ".debug_info" not in source.sections:
        return None
    size = sum(s.size for name, s in source.sections.items() if name.startswith((".debug_", ".zdebug_")))
    return source if size <= MAX_DEBUG_BYTES else None
