"""ELF cores of Linux processes: what crashed, where, with which words.

    is_core(head)                       is this file a core?
    is_apport(head), open_apport        a core inside Ubuntu's crash report
    extract(stream, target, budget)     a compressed or archived core into a bounded sparse file
    spool(stream, target, budget)       a binary likewise
    index_binaries(places)              binaries by build id
    read_core(path, ...)                one element of `cores` of incident.json
    blank_core(name)                    one of which nothing is known
    describe_core(core)                 the same for people, line by line
    list_needs(core)                    the binaries that were not found

Nothing in here trusts a core: every count, size and pointer is checked before it is followed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from analyzer.cores.apport import is_apport, open_apport
    from analyzer.cores.elf.binaries import index_binaries
    from analyzer.cores.elf.headers import is_core
    from analyzer.cores.reader import read_core
    from analyzer.cores.sparse_copy import ExtractedCore, extract_core, spool_binary
    from analyzer.cores.text import describe_core, list_missing_binaries

__all__ = [
    "ExtractedCore",
    "describe_core",
    "extract_core",
    "index_binaries",
    "is_apport",
    "is_core",
    "list_missing_binaries",
    "open_apport",
    "read_core",
    "spool_binary",
]
_HOMES = {
    "ExtractedCore": "sparse_copy",
    "describe_core": "text",
    "extract_core": "sparse_copy",
    "index_binaries": "elf.binaries",
    "is_apport": "apport",
    "is_core": "elf.headers",
    "list_missing_binaries": "text",
    "open_apport": "apport",
    "read_core": "reader",
    "spool_binary": "sparse_copy",
}


def __getattr__(name: str) -> object:
    """A part is loaded when it is asked for: to find out that a bundle has no core takes none of what reads one."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
