"""One node's part of an incident, from the first clock reading to the manifest."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import socket
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from analyzer import __version__
from analyzer.collect.clocks import read_clocks
from analyzer.collect.cores import collect_cores
from analyzer.collect.job import collect_job, find_processes
from analyzer.collect.kernel import collect_kernel
from analyzer.collect.logs import collect_logs
from analyzer.collect.node import collect_node, read_sync
from analyzer.collect.parcel import BEGIN, Parcel
from analyzer.collect.process import collect_processes
from analyzer.collect.reach import open_folder
from analyzer.collect.squeeze import STDOUT, choose_form
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
ELSEWHERE = (collect_job, collect_logs, collect_cores)  # of a pod that is asked for from outside


class Collected(NamedTuple):
    path: Path
    files: int
    lacking: int
    note: str
    unmet: Sequence[str]  # what was asked for by name and is not there


def collect(wish: Wish) -> Collected:
    """Writes the archive under another name and renames it when it is whole. OSError where it cannot be written."""
    pod = _foreign_pod(wish)
    host = wish.node or pod or socket.gethostname()
    form = choose_form(wish.out)
    with _open_out(form.path) as out, form.squeeze(out) as stream:
        parcel = Parcel(stream, _file_name(host), wish.bounds, wish.redact)
        try:
            _fill(parcel, wish, host, pod is None)
        except BaseException:
            parcel.give_up()
            raise
    unmet = [f"{lack['what']}: {lack['reason']}" for lack in parcel.lacking if lack["what"].startswith("--")]
    return Collected(form.path, len(parcel.files), len(parcel.lacking), form.note, unmet)


@contextlib.contextmanager
def _open_out(path: Path) -> Iterator[IO[bytes]]:
    """A file for its owner's eyes that gets its name when it is whole; nothing is left where it does not come to that.

    The folder may be one that users write to: a name of theirs is neither followed nor written over.
    """
    if path == STDOUT:
        yield sys.stdout.buffer
        return
    partial = f".{path.name[:200]}.{os.urandom(6).hex()}.partial"
    with open_folder(path.parent) as folder:
        _check_replaceable(path.name, folder)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            with os.fdopen(os.open(partial, flags, 0o600, dir_fd=folder), "wb") as file:
                yield file
            os.rename(partial, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(partial, dir_fd=folder)


def _check_replaceable(name: str, folder: int) -> None:
    """OSError for a device or the like: root could replace it."""
    try:
        mode = os.stat(name, dir_fd=folder).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is there, and no regular file")


def _fill(parcel: Parcel, wish: Wish, host: str, is_here: bool) -> None:
    said: dict[str, object] = {"collection": FORMAT, "version": __version__, "host": host}
    if is_here:
        said["boot_id"] = _boot_id()
    said["begin"] = _clocks(is_here)
    parcel.add_json(BEGIN, said, "the collector", bounded=False)
    wish = find_processes(wish) if is_here else wish
    for step in STEPS if is_here else ELSEWHERE:
        _take(step, parcel, wish)
    if not is_here:
        parcel.lack(f"kernel, processes and machine of {host}", "it runs on another machine than the collector")
    parcel.finish({**said, "end": _clocks(is_here), **({"sync": read_sync()} if is_here else {}), "user": os.getuid()})


def _clocks(is_here: bool) -> dict[str, float]:
    """Another machine's boot and zone are its own."""
    clocks = read_clocks()
    return clocks if is_here else {"wall": clocks["wall"]}


def _foreign_pod(wish: Wish) -> str | None:
    """The pod that is asked for from outside: its host name would be its own name."""
    kind, name = wish.job or ("", "")
    pod = name.rpartition("/")[2]
    return pod if kind == "k8s" and pod != socket.gethostname() and not wish.pids else None


def _take(step: Callable[[Parcel, Wish], None], parcel: Parcel, wish: Wish) -> None:
    """A node in trouble answers in ways that nobody has foreseen: that costs one part of the archive and no more."""
    try:
        step(parcel, wish)
    except (OSError, ValueError) as error:
        parcel.lack(f"the rest of what {step.__name__} takes", f"{type(error).__name__}: {error}")


def _boot_id() -> str:
    """The same for all containers of a machine, which share its kernel log."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def _file_name(host: str) -> str:
    return re.sub(r"[^\w.-]", "_", host).strip(".") or "node"
