"""Source lines and inlined functions for addresses of one image: which file has the debug information, if one has.

What reads it is loaded once there is something to read: pyelftools takes as long to load as a core takes to be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from analyzer.cores.dwarf.line_program import SourceLocation
from analyzer.cores.elf.images import ElfImage
from analyzer.cores.elf.symbols import find_debug_file

# What a distribution builds has no sources where the reader is, and the evaluator's unit alone takes a second.
SKIPPED_PATHS = re.compile(r"^(?:/usr)?/lib(?:32|64|x32)?/|/libpython3|/python3[\d.]*$|/lib-dynload/")
MAX_DEBUG_BYTES = 96 << 20  # of all debug sections, which pyelftools copies


def find_locations(
    image: ElfImage, addresses: Iterable[int], sysroots: Sequence[Path] = (), mapped_path: str | None = None
) -> dict[int, list[SourceLocation]]:
    """{address: places, the innermost inlined function first, the physical one last}; only what is known.

    `loaded`: the path from which it was mapped, where the file lies elsewhere.
    """
    if SKIPPED_PATHS.search(mapped_path or str(image.path)):
        return {}
    wanted = sorted(set(addresses))
    source = image if ".debug_line" in image.sections else find_debug_file(image, tuple(sysroots))
    if source is None or source.path is None or ".debug_info" not in source.sections:
        return {}
    size = sum(s.size for name, s in source.sections.items() if name.startswith((".debug_", ".zdebug_")))
    if size > MAX_DEBUG_BYTES:
        return {}
    from analyzer.cores.dwarf.compile_units import read_locations

    return read_locations(source.path, source.header.word_size, wanted)
