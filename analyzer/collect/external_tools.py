"""Run other programs that know facts: without input, in their own session, with bounded time and output."""

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

from analyzer.collect.request import CollectLimits
from analyzer.collect.safe_open import is_trusted

# Ordinary users lack these, and a scheduler's epilog may have no PATH at all.
SYSTEM_FOLDERS = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")


class ToolOutput(NamedTuple):
    """What a program printed. `problem` is empty if it ended well; there may be output even if it did not."""

    output: bytes
    problem: str = ""


def run_tool(
    command: Sequence[str], limits: CollectLimits, timeout_s: float | None = None, descriptors: Sequence[int] = ()
) -> ToolOutput:
    """Return what the program printed. Its failure is the `problem`; nothing is raised for it.

    It runs in the root folder, because the current one may contain planted files. Root runs no
    program that another user can change. `descriptors` stay open in it.
    """
    timeout_s = limits.tool_timeout_s if timeout_s is None else timeout_s
    with _memory_file() as output, _memory_file() as errors:
        try:
            with _run_process(command, output.fileno(), errors.fileno(), descriptors) as process:
                code = process.wait(timeout_s)
                problem = f"exit status {code}" if code else ""
        except FileNotFoundError:
            return ToolOutput(b"", "not installed")
        except subprocess.TimeoutExpired:
            problem = f"stopped after {timeout_s:.0f} s"
        except OSError as error:
            return ToolOutput(b"", error.strerror or str(error))
        output.seek(0)
        errors.seek(0)
        error_text = errors.read(2000)
        output_bytes = output.read(limits.max_tool_output_bytes)
        problem = ": ".join(filter(None, [problem, _last_line(error_text)])) if problem else ""
        return ToolOutput(
            output_bytes, problem or (f"cut at {limits.max_tool_output_bytes} bytes" if output.read(1) else "")
        )


def _memory_file() -> IO[bytes]:
    """Return a file in memory: a full disk may be the very reason for the collection."""
    return open(os.memfd_create("answer"), "w+b")  # noqa: PTH123


@contextmanager
def _run_process(
    command: Sequence[str], output: int, errors: int, descriptors: Sequence[int]
) -> Iterator[subprocess.Popen[bytes]]:
    """Yield the started program. None of its processes is left, however the wait ends."""
    start = _ProcessStarter(command, output, errors, descriptors)
    try:
        start.start()
        start.popen_returned.wait()
        if start.error is not None:
            raise start.error
        assert start.process is not None
        yield start.process
    finally:
        if start.ident is not None:
            start.popen_returned.wait()
        if start.process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(start.process.pid, signal.SIGKILL)
            start.process.wait()


class _ProcessStarter(threading.Thread):
    """Start a program in a thread of its own.

    A signal raises its exception in the main thread; in the middle of Popen that would lose a program that already
    runs.
    """

    def __init__(self, command: Sequence[str], output: int, errors: int, descriptors: Sequence[int]) -> None:
        super().__init__(daemon=True)
        self._command, self._output, self._errors, self._descriptors = command, output, errors, descriptors
        self.process: subprocess.Popen[bytes] | None = None
        self.error: OSError | None = None
        # An interrupted join() takes a thread that still runs for one that has ended (bpo-45274).
        self.popen_returned = threading.Event()

    def run(self) -> None:
        try:
            path = program_folders()
            environment = {**os.environ, "PATH": os.pathsep.join(path), "LC_ALL": "C", "PAGER": "cat"}
            self.process = subprocess.Popen(
                [_find_program(self._command[0], path), *self._command[1:]],
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
            self.popen_returned.set()


def program_folders() -> list[str]:
    """Return the folders in which programs are searched: absolute ones of PATH, then ours."""
    return [
        folder
        for folder in dict.fromkeys([*os.environ.get("PATH", "").split(os.pathsep), *SYSTEM_FOLDERS])
        if os.path.isabs(folder) and _is_safe_to_run(folder)  # noqa: PTH117
    ]


def _find_program(name: str, folders: Sequence[str]) -> str:
    """Return the path of a program. Raises OSError if there is none, or none that may be run."""
    for folder in folders if os.sep not in name else ("",):
        path = os.path.abspath(os.path.join(folder, name))  # noqa: PTH100, PTH118
        if os.access(path, os.X_OK):
            if not _is_safe_to_run(path):
                raise PermissionError(
                    errno.EPERM, "not run, because the collector is root and another user can change this program"
                )
            return path
    raise FileNotFoundError(name)


def _is_safe_to_run(path: str) -> bool:
    """Return whether root may run the program. The interpreter that runs this is already trusted."""
    return os.geteuid() != 0 or path == sys.executable or is_trusted(Path(os.path.abspath(path)))  # noqa: PTH100


def _last_line(error_text: bytes) -> str:
    return error_text.decode("utf-8", "replace").strip().rpartition("\n")[2][:200]
