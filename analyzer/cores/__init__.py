"""Cores and minidumps of Linux processes: what crashed, where, and with which message.

    is_core(head)                           whether a file is a core or a minidump
    is_apport(head), open_apport            a core inside Ubuntu's crash report
    extract_core(stream, target, budget)    a compressed or archived core as a bounded sparse file
    spool_binary(stream, target, budget)    a binary likewise
    index_binaries(places)                  binaries by build id
    read_core(path, ...)                    a CoreDump (analyzer/core_dump.py)
    describe_core(core)                     the same for people, line by line
    list_missing_binaries(core)             the binaries that were not found

The sub-packages, each of which may use those before it: `elf` reads files and memory, `dwarf` unwinds and finds source
lines, `python` reads the interpreter, `minidump` opens minidumps, and `slim` makes a small core to send.

No code here trusts a core: it checks every count, size and pointer before it follows it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from analyzer.cores.apport import is_apport, open_apport
    from analyzer.cores.elf.binaries import index_binaries
    from analyzer.cores.file_kinds import is_core
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
_MODULE_OF = {
    "ExtractedCore": "sparse_copy",
    "describe_core": "text",
    "extract_core": "sparse_copy",
    "index_binaries": "elf.binaries",
    "is_apport": "apport",
    "is_core": "file_kinds",
    "list_missing_binaries": "text",
    "open_apport": "apport",
    "read_core": "reader",
    "spool_binary": "sparse_copy",
}


def __getattr__(name: str) -> object:
    """Import a part on first use, because a bundle without a core needs none of the modules that read cores."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
