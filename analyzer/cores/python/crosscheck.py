"""Compare Python frames with those of pystack. It runs in its own process, because a damaged core may crash it."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from analyzer.core_dump import CoreDump, CoreThread

PYSTACK_TIMEOUT_S = 120
THREAD_LINE = re.compile(r"Traceback for thread (\d{1,18})")
FRAME_LINE = re.compile(r'\(Python\) File "([^"\n]*)", line (\d{1,18}), in (.*)')

PythonFrames = list[tuple[str, int, str]]  # file, line, function; innermost first


def compare_with_pystack(core: CoreDump, path: Path) -> Iterator[str]:
    """Yield sentences: whether pystack could read the core at `path`, and where its Python frames differ from ours."""
    program = shutil.which("pystack")
    if program is None:
        yield "pystack is not installed: pip install pystack"
        return
    command = [program, "core", str(path), *([core.executable] if core.executable else [])]
    try:
        process = subprocess.run(
            command, capture_output=True, text=True, timeout=PYSTACK_TIMEOUT_S, check=False, errors="replace"
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        yield f"pystack gave no answer: {error}"
        return
    pystack_threads = parse_pystack_output(process.stdout)
    if not pystack_threads:
        message = (process.stderr.strip().splitlines() or ["nothing"])[-1]
        yield f"pystack read no Python frame (status {process.returncode}): {message}"
        return
    agreed = total = 0
    for thread in core.threads:
        own_frames = _python_frames(thread)
        pystack_frames = pystack_threads.get(thread.tid, [])
        most = max(len(own_frames), len(pystack_frames))
        same = sum(1 for own, pystack in zip(own_frames, pystack_frames, strict=False) if own == pystack)
        total += most
        agreed += same
        if same < most:
            counts = f"{len(own_frames)} Python frames here, {len(pystack_frames)} by pystack, {same} equal"
            yield f"thread {thread.tid}: {counts}"
    yield f"pystack agrees on {agreed} of {total} Python frames"


def parse_pystack_output(text: str) -> dict[int, PythonFrames]:
    """Return {tid: frames} from the output of `pystack core`, which prints the outermost frame first."""
    threads: dict[int, PythonFrames] = {}
    current: PythonFrames = []
    for line in text.splitlines():
        if match := THREAD_LINE.search(line):
            current = threads.setdefault(int(match[1]), [])
        elif match := FRAME_LINE.search(line):
            current.insert(0, (match[1], int(match[2]), match[3].rpartition(".")[2]))
    return {tid: frames for tid, frames in threads.items() if frames}


def _python_frames(thread: CoreThread) -> PythonFrames:
    return [
        (frame.file or "", frame.line or 0, (frame.function or "").rpartition(".")[2])
        for frame in thread.frames
        if frame.kind == "python"
    ]
