"""ELF cores of Linux processes: what crashed, where, with which words.

    is_core(head)                       is this file a core?
    is_apport(head), open_apport        a core inside Ubuntu's crash report
    extract(stream, target, budget)     a compressed or archived core into a bounded sparse file
    spool(stream, target, budget)       a binary likewise
    index_binaries(places)              binaries by build id
    read_core(path, ...)                one element of `cores` of incident.json
    describe_core(core)                 the same for people, line by line
    list_needs(core)                    the binaries that were not found

Nothing in here trusts a core: every count, size and pointer is checked before it is followed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from analyzer.cores.apport import is_apport, open_apport
from analyzer.cores.elf import is_core
from analyzer.cores.extract import Extracted, extract, spool
from analyzer.cores.text import describe_core, list_needs

__all__ = [
    "Extracted",
    "describe_core",
    "extract",
    "index_binaries",
    "is_apport",
    "is_core",
    "list_needs",
    "open_apport",
    "read_core",
    "spool",
]


def read_core(
    path: Path,
    *,
    name: str | None = None,
    executable: Path | None = None,
    sysroots: Sequence[Path] = (),
    threads: str = "all",
    known: Mapping[str, Path] | None = None,
) -> dict[str, Any]:
    """See `analyzer.cores.core.read_core`; numpy and pyelftools are loaded once there is a core to read."""
    from analyzer.cores.core import read_core as read

    return read(path, name=name, executable=executable, sysroots=sysroots, threads=threads, known=known)


def index_binaries(places: Iterable[Path]) -> dict[str, Path]:
    """{build id: file} of the ELF files among or under the places."""
    from analyzer.cores.binaries import index_binaries as index

    return index(places)
