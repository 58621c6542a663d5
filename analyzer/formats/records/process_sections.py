"""Name the machines of logs of several processes, one after the other in one file. Each log names its own server.

    I0000 00:00:1793002000.11    412 port.cc:153] oneDNN custom operations are on. …            a process starts
    I0000 00:00:1793002003.52    412 grpc_server_lib.cc:467] Started server with target: grpc://gx-7:2222
    step 1 loss 0.5
    I0000 00:00:1793002000.09    390 port.cc:153] oneDNN custom operations are on. …            the next one
    I0000 00:00:1793002003.41    390 grpc_server_lib.cc:467] Started server with target: grpc://gx-8:2222

Where a log begins after another one, the time goes back, or there is an empty line. If processes write into one file at
the same time, neither occurs. Each line of a process gets the prefix of `kubectl logs`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from analyzer.formats import read_line
from analyzer.formats.records.head_lines import head_lines
from analyzer.formats.records.line_by_line import split_at_line_feeds
from analyzer.formats.records.sections import pod_prefix
from analyzer.model import Line

MIN_NAMES = 2
MAX_HEAD_LINES = 4_000
MAX_LINES_TO_SERVER = 200  # from the first line of a process to the line that names its server
# TensorFlow's first lines (tsl/platform/cpu_feature_guard.cc, port.cc, absl's and CUDA's registrations).
_is_start = re.compile(
    rb"oneDNN custom operations are on|before absl::InitializeLog\(\) is called|This TensorFlow binary is optimized"
    rb"|Unable to register cu\w{2,6} factory"
).search
_SERVER = re.compile(rb"Started server with target: grpc://(?P<host>[A-Za-z][\w.-]{0,200}):\d")
_ends_section = re.compile(
    rb"[-=_*~]{5,200}\s{0,4}$|(?:From|Subject|Message|Date): |(?:On|Am|Le) .{1,80}:\s{0,2}$"
).match
_match_absl = re.compile(rb"[IWEF]\d{4} \d\d:\d\d:[\d.]{2,20} {1,8}(\d{1,8}) ").match
_may_have_time = re.compile(rb"[^ \t].{0,40}?(?:\d\d:\d\d|\d{10})").match
_is_local = re.compile(rb"localhost|ip6-", re.I).match


def server_of(line: bytes) -> str:
    """Return the machine at which the writer of a line says that it serves; "" if the line does not say it."""
    match = _SERVER.search(line)
    return match["host"].decode() if match and not _is_local(match["host"]) else ""


def has_process_sections(head: bytes) -> bool:
    """Return whether a file's head shows processes of several machines, one after the other."""
    if len({match["host"] for match in _SERVER.finditer(head) if not _is_local(match["host"])}) < MIN_NAMES:
        return False  # nearly all files
    names: list[str] = []
    borders, has_border, pids, pid = _Borders(), False, set[bytes](), b""
    for line in head_lines(head)[:MAX_HEAD_LINES]:
        if borders.begins_process(line):
            has_border, pid = True, _pid_of(line) or pid
        elif _pid_of(line) in pids - {b"", pid}:
            return False  # they write at the same time
        pids.add(pid)
        if name := server_of(line):
            if not has_border or _read(line).stream:
                return False  # no process starts here, or each line names its writer
            names.append(name)
            has_border, pid = False, _pid_of(line) or pid
    return len(set(names)) >= MIN_NAMES


def _pid_of(line: bytes) -> bytes:
    """Return the process or thread in a line of absl; empty for other lines."""
    match = _match_absl(line)
    return match[1] if match else b""


class _Borders:
    """Finds the lines at which another process begins.

    It begins at TensorFlow's first lines if they follow an empty line, have an earlier time, or have another process id
    after the previous process named its server. A process writes such lines again when its first kernel runs.
    """

    def __init__(self) -> None:
        self._last_line = self._last_timed_line = b""
        self._has_begun = False
        self._serving_pid = b""

    def begins_process(self, line: bytes) -> bool:
        """Return whether this line, the next one of the file, is the first of a process."""
        is_start = _is_start(line) is not None
        is_other = bool(self._serving_pid) and _pid_of(line) not in (b"", self._serving_pid)
        is_border = is_start and (
            not self._has_begun or not self._last_line.strip() or is_other or self._goes_back(line)
        )
        self._has_begun |= is_start
        if server_of(line):
            self._serving_pid = _pid_of(line)
        self._last_line = line
        if _may_have_time(line):
            self._last_timed_line = line
        return is_border

    def _goes_back(self, line: bytes) -> bool:
        time, last = _time_of(line), _time_of(self._last_timed_line)
        return time is not None and last is not None and time < last


def _time_of(line: bytes) -> float | None:
    last_segment = line[line.rstrip(b"\r").rfind(b"\r") + 1 :]
    stamps = _read(last_segment.strip()).stamps
    return stamps[0].value if stamps else None


def _read(line: bytes) -> Line:
    return read_line(line[:1024].decode("utf-8", "replace"))


class ProcessSectionsConverter:
    """A `LineConverter` that puts the name of the machine before each line of its process."""

    name = "process-sections"

    def __init__(self) -> None:
        self._borders = _Borders()
        self._prefix = b""
        self._held: list[bytes] = []  # lines of a process that has not named its server yet

    def convert(self, lines: bytes) -> bytes:
        return b"".join(piece for line in split_at_line_feeds(lines) for piece in self._add_line(line))

    def finish(self) -> bytes:
        return b"".join(self._release(b""))

    def note(self) -> str:
        return ""

    def _add_line(self, line: bytes) -> Iterator[bytes]:
        if self._borders.begins_process(line):
            yield from self._release(b"")
        elif not self._held:
            if _ends_section(line):
                self._prefix = b""
            yield self._with_prefix(line)
            return
        self._held.append(line)
        if name := server_of(line):
            yield from self._release(pod_prefix(name))
        elif len(self._held) > MAX_LINES_TO_SERVER:
            yield from self._release(b"")

    def _release(self, prefix: bytes) -> Iterator[bytes]:
        """Yield the held lines. A process that names no server has no writer."""
        held, self._held, self._prefix = self._held, [], prefix
        yield from map(self._with_prefix, held)

    def _with_prefix(self, line: bytes) -> bytes:
        return self._prefix + line if line.strip() else line
