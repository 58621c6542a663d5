"""Other programs asked for facts: without input, in their own session, for a bounded time and output."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

from analyzer.collect.reach import is_ours
from analyzer.collect.wish import Bounds

# Ordinary users lack these, and a scheduler's epilog may have no PATH at all.
FOLDERS = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")


class Answer(NamedTuple):
    """`problem` is empty where the program ended well; there may be output even so."""

    output: bytes
    problem: str = ""


def ask(
    command: Sequence[str], bounds: Bounds, seconds: float | None = None, descriptors: Sequence[int] = ()
) -> Answer:
    """What the program printed, errors behind output. Never raises for what the program does.

    It runs in the root folder: the one that we are in may hold what somebody meant a program to find there. Root runs
    none that another user can change. `descriptors` stay open in it.
    """
    seconds = bounds.command if seconds is None else seconds
    with _memory_file() as output, _memory_file() as errors:
        try:
            with _run(command, output.fileno(), errors.fileno(), descriptors) as process:
                code = process.wait(seconds)
                problem = f"exit status {code}" if code else ""
        except FileNotFoundError:
            return Answer(b"", "not installed")
        except subprocess.TimeoutExpired:
            problem = f"stopped after {seconds:.0f} s"
        except OSError as error:
            return Answer(b"", error.strerror or str(error))
        output.seek(0)
        errors.seek(0)
        said = errors.read(2000)
        found = output.read(bounds.output)
        problem = ": ".join(filter(None, [problem, _last_line(said)])) if problem else ""
        return Answer(found, problem or (f"cut at {bounds.output} bytes" if output.read(1) else ""))


def _memory_file() -> IO[bytes]:
    """The disk may be full: that may be why we are asked."""
    return open(os.memfd_create("answer"), "w+b")  # noqa: PTH123


@contextmanager
def _run(
    command: Sequence[str], output: int, errors: int, descriptors: Sequence[int]
) -> Iterator[subprocess.Popen[bytes]]:
    """No process of it stays, whatever ends the wait."""
    start = _Start(command, output, errors, descriptors)
    try:
        start.start()
        start.done.wait()
        if start.error is not None:
            raise start.error
        assert start.process is not None
        yield start.process
    finally:
        if start.ident is not None:
            start.done.wait()
        if start.process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(start.process.pid, signal.SIGKILL)
            start.process.wait()


class _Start(threading.Thread):
    """Starts a program in a thread of its own: a signal's exception is raised in the main thread, and in the middle of
    Popen it would lose a program that runs already."""

    def __init__(self, command: Sequence[str], output: int, errors: int, descriptors: Sequence[int]) -> None:
        super().__init__(daemon=True)
        self._command, self._output, self._errors, self._descriptors = command, output, errors, descriptors
        self.process: subprocess.Popen[bytes] | None = None
        self.error: OSError | None = None
        self.done = threading.Event()  # an interrupted join() takes a thread for ended that still runs (bpo-45274)

    def run(self) -> None:
        try:
            path = list_folders()
            environment = {**os.environ, "PATH": os.pathsep.join(path), "LC_ALL": "C", "PAGER": "cat"}
            self.process = subprocess.Popen(
                [_find(self._command[0], path), *self._command[1:]],
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=self._errors,
                env={**environment, "SYSTEMD_PAGER": ""},
                cwd="/",
                pass_fds=self._descriptors,
                start_new_session=True,
            )
        except OSError as error:
            self.error = error
        finally:
            self.done.set()


def list_folders() -> list[str]:
    """Where programs are looked for: absolute folders of PATH, then ours."""
    return [
        folder
        for folder in dict.fromkeys([*os.environ.get("PATH", "").split(os.pathsep), *FOLDERS])
        if os.path.isabs(folder) and _may_run(folder)  # noqa: PTH117
    ]


def _find(name: str, folders: Sequence[str]) -> str:
    """OSError where there is none, or none that may be run."""
    for folder in folders if os.sep not in name else ("",):
        path = os.path.abspath(os.path.join(folder, name))  # noqa: PTH100, PTH118
        if os.access(path, os.X_OK):
            if not _may_run(path):
                raise PermissionError(errno.EPERM, "not run as root: another user can change this program")
            return path
    raise FileNotFoundError(name)


def _may_run(path: str) -> bool:
    """The interpreter that runs this is trusted already."""
    return os.geteuid() != 0 or path == sys.executable or is_ours(Path(os.path.abspath(path)))  # noqa: PTH100


def _last_line(said: bytes) -> str:
    return said.decode("utf-8", "replace").strip().rpartition("\n")[2][:200]
