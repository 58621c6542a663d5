"""The command line in a process of its own, forked from this one: it starts at once, as all modules are imported.

Tests of how the program starts, is killed or runs in several processes start it with `subprocess` instead.
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, NoReturn


def call(
    *words: object, given: bytes = b"", cwd: Path | None = None, environment: Mapping[str, str] = os.environ
) -> subprocess.CompletedProcess[bytes]:
    """Return what `tf-postmortem WORDS` prints, and its exit status. `given` is its standard input."""
    arguments = [str(word) for word in words]
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        stdin.write(given)
        stdin.seek(0)
        child = os.fork()
        if not child:
            _run(arguments, (stdin, stdout, stderr), cwd, dict(environment))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        printed, errors = (stream.seek(0) or stream.read() for stream in (stdout, stderr))
    return subprocess.CompletedProcess(arguments, status, printed, errors)


def call_for_text(
    *words: object, cwd: Path | None = None, environment: Mapping[str, str] = os.environ
) -> subprocess.CompletedProcess[str]:
    """Return the same with the output as text."""
    result = call(*words, cwd=cwd, environment=environment)
    return subprocess.CompletedProcess(result.args, result.returncode, result.stdout.decode(), result.stderr.decode())


def _run(
    arguments: Sequence[str], streams: Sequence[BinaryIO], cwd: Path | None, environment: Mapping[str, str]
) -> NoReturn:
    """Be the program, in the child, and end it. Nothing of the test process may be written or cleaned up by it."""
    status = 1
    try:
        atexit._clear()
        for number, stream in enumerate(streams):
            os.dup2(stream.fileno(), number)
        sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w")
        os.environ.clear()
        os.environ.update(environment)
        if cwd:
            os.chdir(cwd)
        sys.argv = ["tf-postmortem", *arguments]
        tempfile.tempdir = None
        signal.signal(signal.SIGINT, signal.default_int_handler)
        from analyzer.__main__ import main

        status = _status_of(main)
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:  # noqa: BLE001 - the traceback is what the parent is to see
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(status)


def _status_of(main: Callable[[], None]) -> int:
    try:
        main()
    except SystemExit as ended:
        if isinstance(ended.code, int) or ended.code is None:
            return ended.code or 0
        sys.stderr.write(f"{ended.code}\n")
        return 1
    return 0
