"""Collect one node's part of an incident, from the first clock reading to the manifest."""

from __future__ import annotations

import contextlib
import errno
import logging
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
from analyzer.collect.compression import STDOUT, choose_compression
from analyzer.collect.cores import collect_cores
from analyzer.collect.job import add_job_processes, collect_job
from analyzer.collect.kernel import collect_kernel
from analyzer.collect.logs import collect_logs
from analyzer.collect.node import collect_node, read_clock_sync
from analyzer.collect.node_archive import HEADER_NAME, NodeArchive
from analyzer.collect.process import collect_processes
from analyzer.collect.request import CollectRequest
from analyzer.collect.safe_open import open_folder

_log = logging.getLogger("analyzer.collect")
FORMAT_VERSION = 1
Step = Callable[[NodeArchive, CollectRequest], None]
# What is small and soon lost first, what is large last: a limit then costs the least.
STEPS: Sequence[Step] = (
    collect_processes,
    collect_job,
    collect_kernel,
    collect_node,
    collect_logs,
    collect_cores,
)
REMOTE_POD_STEPS = (collect_job, collect_logs, collect_cores)  # of a pod that is asked for from outside


class CollectResult(NamedTuple):
    path: Path
    files: int
    missing: int
    note: str
    missing_requests: Sequence[str]  # what was asked for by name and is not there


def collect(request: CollectRequest) -> CollectResult:
    """Write the archive under a temporary name, and rename it when it is complete. Raises OSError if it cannot be
    written.
    """
    pod = _remote_pod(request)
    host = request.node or pod or socket.gethostname()
    compression = choose_compression(request.out)
    with _open_output(compression.path) as out, compression.compress(out) as stream:
        archive = NodeArchive(stream, _file_name(host), request.limits, request.redact)
        try:
            _fill_archive(archive, request, host, pod is None)
        except BaseException:
            archive.abandon()
            raise
    missing_requests = [
        f"{entry['what']}: {entry['reason']}" for entry in archive.missing if entry["what"].startswith("--")
    ]
    return CollectResult(
        path=compression.path,
        files=len(archive.files),
        missing=len(archive.missing),
        note=compression.note,
        missing_requests=missing_requests,
    )


@contextlib.contextmanager
def _open_output(path: Path) -> Iterator[IO[bytes]]:
    """Yield a file with mode 0600 that gets its name when it is complete. If that fails, nothing is left behind.

    Users may be able to write to the folder: an entry of theirs is neither followed nor overwritten.
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
    """Raise OSError for a device and the like, which root could replace."""
    try:
        mode = os.stat(name, dir_fd=folder).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it exists, but is not a regular file")


def _fill_archive(archive: NodeArchive, request: CollectRequest, host: str, is_local: bool) -> None:
    header: dict[str, object] = {"collection": FORMAT_VERSION, "version": __version__, "host": host}
    if is_local:
        header["boot_id"] = _boot_id()
    header["begin"] = _node_clocks(is_local)
    archive.add_json(HEADER_NAME, header, "the collector", bounded=False)
    request = add_job_processes(request) if is_local else request
    for step in STEPS if is_local else REMOTE_POD_STEPS:
        _run_step(step, archive, request)
    if not is_local:
        archive.add_missing(
            f"kernel, processes and machine of {host}", "it runs on a different machine than the collector"
        )
    archive.finish(
        {
            **header,
            "end": _node_clocks(is_local),
            **({"sync": read_clock_sync()} if is_local else {}),
            "user": os.getuid(),
        }
    )


def _node_clocks(is_local: bool) -> dict[str, float]:
    """Return the clock readings; of another machine only the wall clock, because boot and zone are its own."""
    clocks = read_clocks()
    return clocks if is_local else {"wall": clocks["wall"]}


def _remote_pod(request: CollectRequest) -> str | None:
    """Return the name of a pod that is collected from outside, else None. Inside a pod the host name is the pod's
    name.
    """
    kind, name = request.job or ("", "")
    pod = name.rpartition("/")[2]
    return pod if kind == "k8s" and pod != socket.gethostname() and not request.pids else None


def _log_step(step: Step, archive: NodeArchive, files: int, missing: int) -> None:
    for entry in archive.files[files:]:
        _log.debug("added %s, %s bytes, from %s", entry["name"], entry["size"], entry["from"])
    for lack in archive.missing[missing:]:
        _log.debug("missing %s: %s", lack["what"], lack["reason"])
    added, lacking = len(archive.files) - files, len(archive.missing) - missing
    _log.info("%s: %d files added, %d things missing", step.__name__, added, lacking)


def _run_step(step: Step, archive: NodeArchive, request: CollectRequest) -> None:
    """Run one step. A node in trouble fails in unforeseen ways: that may cost one part of the archive and no more."""
    files, missing = len(archive.files), len(archive.missing)
    try:
        step(archive, request)
    except (OSError, ValueError) as error:
        archive.add_missing(f"the remaining files of {step.__name__}", f"{type(error).__name__}: {error}")
    if _log.isEnabledFor(logging.INFO):
        _log_step(step, archive, files, missing)


def _boot_id() -> str:
    """Return the boot id, which all containers of a machine share, as they share its kernel log."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def _file_name(host: str) -> str:
    return re.sub(r"[^\w.-]", "_", host).strip(".") or "node"
