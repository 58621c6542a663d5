"""What a dying process prints of its stacks: faulthandler, glog and absl, Open MPI, glibc.

    Fatal Python error: Segmentation fault

    Current thread 0x00007f0000aaa6c0 (most recent call first):
      File "/srv/train.py", line 12 in step

    *** Check failure stack trace: ***
        @     0x7f0000bbbe24  google::LogMessage::Fail()

Formats: CPython `Python/traceback.c`; glog `signalhandler.cc`, absl `failure_signal_handler.cc`; Open MPI
`opal/util/stacktrace.c`; glibc before 2.26 `debug/segfault.c`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from analyzer.formats.frames import Frame, NativeFrame

MOST_LINES = 4000
MOST_THREADS = 256

_FATAL = re.compile(r"Fatal Python error: (.*)|Timeout \((\d+:\d\d:\d\d(?:\.\d+)?)\)!").match
_THREAD = re.compile(
    r"(Current thread|Thread) (0x[0-9a-fA-F]{1,16})(?: \[([^\]]*)\])? \(most recent call first\):"
).match
_PYTHON_FRAME = re.compile(r'\s+File "([^"]*)", line (\d{1,9}|\?\?\?) in (.*)').match
_NATIVE_HEAD = re.compile(
    r"\*\*\* (?:Check failure stack trace: |.*stack trace: |Aborted at \d+ .*|SIG\w+ (?:\(.*\) )?received .*"
    r"|Process received signal )"
    r"\*\*\*|\*\*\* Error in .*\*\*\*$|Begin stack trace|Stack trace:|======= Backtrace: =+"
).search
_GLOG_FRAME = re.compile(
    r"\s*(?:PC: )?@\s+(0x[0-9a-fA-F]+)(?:\s+\(\d+\))?\s+(.*)|\s*(?:PC: )?@\s+(0x[0-9a-fA-F]+)\s*$"
).match
_MPI_FRAME = re.compile(
    r"(?:\[[\w.-]+:\d+\] )?\s*\[ *\d+\] (\S+?)\(([^()]*(?:\([^()]*\)[^()]*)*)\) ?\[(0x[0-9a-fA-F]+)\]"
).match
_MPI_SAYS = re.compile(
    r"(?:\[[\w.-]+:\d+\] )(Signal|Signal code|Failing at address|\*\*\* End of error message|Associated errno)"
).match
_GLIBC_FRAME = re.compile(r"\s*(/[^\s(\[]+)(?:\(([^)]*)\))? ?\[(0x[0-9a-fA-F]+)\]").match


@dataclass(frozen=True, slots=True)
class Thread:
    """Python frames, innermost first; `id` is a pthread's, as it stands."""

    id: str
    current: bool
    frames: tuple[Frame, ...]
    name: str = ""


@dataclass(frozen=True, slots=True)
class Fatal:
    """`kind`: `faulthandler` or `native`. `message` is what the first line says."""

    kind: str
    message: str
    threads: tuple[Thread, ...]
    native: tuple[NativeFrame, ...]
    lines: int

    @property
    def user_frame(self) -> Frame | None:
        """Innermost user frame of the current thread, or of the first that has one."""
        for each in sorted(self.threads, key=lambda thread: not thread.current):
            if found := next((frame for frame in each.frames if not frame.is_library), None):
                return found
        return None


def read_fatal(lines: Sequence[str]) -> Fatal | None:
    """Read the dump that begins at lines[0]; None if none does. Lines are without prefixes and line ends."""
    if not lines:
        return None
    if found := _FATAL(lines[0]):
        return _read_faulthandler(lines[:MOST_LINES], 1, found[1] or f"Timeout ({found[2]})!")
    if _THREAD(lines[0]):
        return _read_faulthandler(lines[:MOST_LINES], 0, "")
    if _NATIVE_HEAD(lines[0]) or _GLOG_FRAME(lines[0]):
        return _read_native(lines[:MOST_LINES])
    return None


def _read_faulthandler(lines: Sequence[str], at: int, message: str) -> Fatal:
    threads: list[Thread] = []
    end = at
    while at < len(lines) and len(threads) < MOST_THREADS:
        line = lines[at]
        if found := _THREAD(line):
            frames, at = _read_python_frames(lines, at + 1)
            threads.append(Thread(found[2], found[1] == "Current thread", frames, found[3] or ""))
            end = at
            continue
        # "Python runtime state: initialized", "<no Python frame>", "Extension modules: numpy…" belong to it, too.
        if line.strip() and not re.match(r"Python runtime state|\s*<|Extension modules: |Garbage-collecting|\s", line):
            break
        at += 1
        if line.strip():
            end = at
    return Fatal("faulthandler", message, tuple(threads), (), max(end, 1))


def _read_python_frames(lines: Sequence[str], at: int) -> tuple[tuple[Frame, ...], int]:
    frames: list[Frame] = []
    while at < len(lines):
        if found := _PYTHON_FRAME(lines[at]):
            frames.append(Frame(found[1], int(found[2]) if found[2].isdecimal() else 0, found[3].strip()))
        elif not re.match(r"\s+(?:\.\.\.|<)|\s+Garbage-collecting", lines[at]):
            break
        at += 1
    return tuple(frames), at


def _read_native(lines: Sequence[str]) -> Fatal:
    frames: list[NativeFrame] = []
    at = 0
    while at < len(lines):
        if frame := _read_native_frame(lines[at]):
            frames.append(frame)
        elif at and not _NATIVE_HEAD(lines[at]) and not _MPI_SAYS(lines[at]):
            break
        at += 1
    return Fatal("native", lines[0].strip().strip("* "), (), tuple(frames), at)


def _read_native_frame(line: str) -> NativeFrame | None:
    if found := _GLOG_FRAME(line):
        return NativeFrame(found[1] or found[3], (found[2] or "").strip())
    if found := _MPI_FRAME(line):
        return NativeFrame(found[3], found[2], found[1])
    if found := _GLIBC_FRAME(line):
        return NativeFrame(found[3], found[2] or "", found[1])
    return None
