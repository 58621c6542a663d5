"""One node's part of an incident, from the first clock reading to the manifest."""

from __future__ import annotations

import contextlib
import os
import re
import socket
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from analyzer import __version__
from analyzer.collect.clocks import read_clocks
from analyzer.collect.cores import collect_cores
from analyzer.collect.job import collect_job
from analyzer.collect.kernel import collect_kernel
from analyzer.collect.logs import collect_logs
from analyzer.collect.node import collect_node, read_sync
from analyzer.collect.parcel import BEGIN, Parcel
from analyzer.collect.process import collect_processes
from analyzer.collect.squeeze import STDOUT, open_archive
from analyzer.collect.wish import Wish

FORMAT = 1
# What is small and soon lost first, what is large last: a limit then costs the least.
STEPS: Sequence[Callable[[Parcel, Wish], None]] = (
    collect_processes,
    collect_job,
    collect_kernel,
    collect_node,
    collect_logs,
    collect_cores,
)


class Collected(NamedTuple):
    path: Path
    files: int
    lacking: int
    note: str


def collect(wish: Wish) -> Collected:
    """Writes the archive under another name and renames it when it is whole. OSError where it cannot be written."""
    host = wish.node or socket.gethostname()
    with _temporary(wish.out) as partial:
        archive = open_archive(wish.out, partial)
        with archive.stream:
            parcel = Parcel(archive.stream, _file_name(host), wish.bounds, wish.redact)
            said: dict[str, object] = {
                "collection": FORMAT,
                "version": __version__,
                "host": host,
                "boot_id": _boot_id(),
            }
            said["begin"] = read_clocks()
            parcel.add_json(BEGIN, said, "the collector", bounded=False)
            for step in STEPS:
                _take(step, parcel, wish)
            parcel.finish({**said, "end": read_clocks(), "sync": read_sync(), "user": os.getuid()})
        if wish.out != STDOUT:
            partial.replace(archive.path)
    return Collected(archive.path, len(parcel.files), len(parcel.lacking), archive.note)


def _take(step: Callable[[Parcel, Wish], None], parcel: Parcel, wish: Wish) -> None:
    """A node in trouble answers in ways that nobody has foreseen: that costs one part of the archive and no more."""
    try:
        step(parcel, wish)
    except (OSError, ValueError) as error:
        parcel.lack(f"the rest of what {step.__name__} takes", f"{type(error).__name__}: {error}")


@contextlib.contextmanager
def _temporary(out: Path) -> Iterator[Path]:
    """A name beside `out` that is gone afterwards, whatever happens in between."""
    partial = out.with_name(f".{out.name}.{os.getpid()}.partial")
    try:
        yield partial
    finally:
        partial.unlink(missing_ok=True)


def _boot_id() -> str:
    """The same for all containers of a machine, which share its kernel log."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def _file_name(host: str) -> str:
    return re.sub(r"[^\w.-]", "_", host).strip(".") or "node"
