"""Makes real cores: compiles a program, lets it die, and hands over the kernel's core of it.

Where the kernel pipes cores away (core_pattern), gdb writes one of the dying process instead; where neither works, or
there is no compiler, the test is skipped.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "programs"


@cache
def kernel_writes_here() -> bool:
    """A core_pattern without a pipe or a folder: the core lands in the working directory."""
    pattern = Path("/proc/sys/kernel/core_pattern")
    text = pattern.read_text().strip() if pattern.exists() else "|"
    return not text.startswith("|") and "/" not in text and resource.getrlimit(resource.RLIMIT_CORE)[1] != 0


def compile_program(source: str, target: Path, *flags: str) -> Path:
    compiler = shutil.which("g++" if source.endswith(".cc") else "gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    command = [compiler, "-o", str(target), *flags, str(PROGRAMS / source), "-lpthread"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if result.returncode:
        pytest.skip(f"does not compile here: {result.stderr[-300:]}")
    return target


def crash(folder: Path, command: list[str], *, env: dict[str, str] | None = None) -> Path:
    """The core of a command that dies in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    if not kernel_writes_here():
        return _crash_under_gdb(folder, command, env)
    subprocess.run(
        command,
        cwd=folder,
        env=env,
        preexec_fn=unlimit,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=120,
    )
    return _only_core(folder)


def crash_by_signal(folder: Path, command: list[str], number: int) -> tuple[Path, int]:
    """(core, sender's pid) of a waiting command that is sent a signal from outside."""
    folder.mkdir(parents=True, exist_ok=True)
    if not kernel_writes_here():
        pytest.skip("the kernel's cores go elsewhere")
    process = subprocess.Popen(command, cwd=folder, preexec_fn=unlimit, stdout=subprocess.DEVNULL)
    _await_sleep(process.pid)
    process.send_signal(number)
    process.wait(timeout=60)
    return _only_core(folder), os.getpid()


def _await_sleep(pid: int) -> None:
    """Until the process waits in a system call: /proc says so."""
    for _ in range(2000):
        call = Path(f"/proc/{pid}/syscall").read_text().split()
        if call and call[0] in ("34", "35", "73", "230", "115", "202", "98"):  # pause, nanosleep, ppoll, futex
            return
        time.sleep(0.002)


def unlimit() -> None:
    """In the child before it runs: cores of any size."""
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def _only_core(folder: Path) -> Path:
    cores = [path for path in folder.iterdir() if path.name.startswith("core")]
    if len(cores) != 1:
        pytest.skip("no core was written here")
    return cores[0]


def _crash_under_gdb(folder: Path, command: list[str], env: dict[str, str] | None) -> Path:
    gdb = shutil.which("gdb")
    if gdb is None:
        pytest.skip("the kernel's cores go elsewhere and there is no gdb")
    steps = ["run", f"generate-core-file {folder / 'core'}", "kill"]
    arguments = [gdb, "-q", "-nx", "-batch", *(part for step in steps for part in ("-ex", step)), "--args", *command]
    subprocess.run(arguments, cwd=folder, env=env, capture_output=True, timeout=300)
    return _only_core(folder)


def find_python(version: str) -> str | None:
    """An interpreter of this minor version that runs; the tests' own counts."""
    if f"{sys.version_info[0]}.{sys.version_info[1]}" == version:
        return sys.executable
    roots = Path(sys.base_prefix).parent  # pyenv's versions stand side by side; HOME is the tests' own
    candidates = [shutil.which(f"python{version}"), *map(str, sorted(roots.glob(f"{version}.*/bin/python3")))]
    for candidate in candidates:
        if candidate and subprocess.run([candidate, "-c", "import ctypes"], capture_output=True).returncode == 0:
            return candidate
    return None
