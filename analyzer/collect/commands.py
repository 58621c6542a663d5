"""Other programs asked for facts: without input, in their own session, for a bounded time and output."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, NamedTuple

from analyzer.collect.wish import Bounds

# Ordinary users lack the sbin folders, and a scheduler's epilog may have no PATH at all.
PATH = os.pathsep.join(
    filter(None, [os.environ.get("PATH"), "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"])
)


class Answer(NamedTuple):
    """`problem` is empty where the program ended well; there may be output even so."""

    output: bytes
    problem: str = ""


def ask(command: Sequence[str], bounds: Bounds, seconds: float | None = None) -> Answer:
    """What the program printed, errors behind output. Never raises for what the program does."""
    seconds = bounds.command if seconds is None else seconds
    with _memory_file() as output, _memory_file() as errors:
        try:
            with _run(command, output.fileno(), errors.fileno()) as process:
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
def _run(command: Sequence[str], output: int, errors: int) -> Iterator[subprocess.Popen[bytes]]:
    """No process of it stays, whatever ends the wait."""
    environment = {**os.environ, "PATH": PATH, "LC_ALL": "C", "PAGER": "cat", "SYSTEMD_PAGER": ""}
    process = subprocess.Popen(
        [_find(command[0]), *command[1:]],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=errors,
        env=environment,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _find(name: str) -> str:
    if os.sep in name:
        return name
    for folder in PATH.split(os.pathsep):
        path = os.path.join(folder, name)  # noqa: PTH118
        if os.access(path, os.X_OK):
            return path
    raise FileNotFoundError(name)


def _last_line(said: bytes) -> str:
    return said.decode("utf-8", "replace").strip().rpartition("\n")[2][:200]
