"""Run a program and record it. The program sees no difference: its signals, input and exit status are its own.

The main thread waits for signals and for the program's end. Other threads carry its output and take the samples.
Signals are taken with `sigwaitinfo`, whose siginfo says who sent them, so the end can name the sender.
"""

from __future__ import annotations

import contextlib
import logging
import os
import resource
import signal
import socket
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import psutil

from analyzer.collect.argument_masking import mask_command
from analyzer.collect.clocks import read_clocks
from analyzer.collect.safe_open import open_folder
from analyzer.record.flight import FLIGHT_VERSION, FlightFile, OutputLines
from analyzer.record.pump import OutputPump, is_same_target
from analyzer.record.sampler import SamplerThread
from analyzer.record.writable_folders import list_writable_folders
from analyzer.redact.secrets import mask_text

_log = logging.getLogger("analyzer.record")
FORWARDED_SIGNALS = frozenset(
    {signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2}
)
AWAITED_SIGNALS = FORWARDED_SIGNALS | {signal.SIGCHLD}
SI_KERNEL = 0x80  # si_code of a terminal's Ctrl-C: it reaches the whole foreground group, the program with it
MAX_EARLIER_RECORDS = 9  # records of earlier runs
LINGER_S = 2.0  # seconds that output of the program's own children is still waited for
NOT_FOUND_STATUS, NOT_EXECUTABLE_STATUS = 127, 126  # as a shell says


class RecordRequest(NamedTuple):
    """One run. `interval_s`: seconds between samples. `core`: raise the core limit as far as the hard limit allows."""

    command: Sequence[str]
    out: Path
    interval_s: float = 1.0
    output: bool = True
    core: bool = False


class RecordOutcome(NamedTuple):
    """How it ended. `status`: the exit status, 128 + n for signal n. `notes`: lines for the user."""

    status: int
    notes: Sequence[str] = ()


def record(request: RecordRequest) -> RecordOutcome:
    """Run the command to its end. Raises OSError if the record file cannot be made; then nothing has been started."""
    rotate_earlier_records(request.out)
    file = FlightFile(request.out)
    previous_mask = signal.pthread_sigmask(signal.SIG_BLOCK, AWAITED_SIGNALS)
    try:
        return _run_and_record(request, file, previous_mask)
    finally:
        file.close()
        signal.pthread_sigmask(signal.SIG_SETMASK, previous_mask)


def output_file(out: Path) -> Path:
    """Return the path of the program's output next to `out`."""
    return _sibling_path(out, "output")


def rotate_earlier_records(out: Path) -> None:
    """Rename `flight.jsonl` to `flight.1.jsonl`, that to `flight.2.jsonl`, and so on.

    If a program is started again, the run before is the one that failed. Raises OSError if they cannot be renamed.
    """
    names = [out, *(_sibling_path(out, str(number)) for number in range(1, MAX_EARLIER_RECORDS + 1))]
    with open_folder(out.parent) as folder:
        for older, newer in zip(reversed(names[1:]), reversed(names[:-1])):
            for old, new in ((older, newer), (output_file(older), output_file(newer))):
                if _is_file(new.name, folder):
                    os.rename(new.name, old.name, src_dir_fd=folder, dst_dir_fd=folder)


def _is_file(name: str, folder: int) -> bool:
    try:
        return stat.S_ISREG(os.stat(name, dir_fd=folder).st_mode)
    except OSError:
        return False


def _sibling_path(out: Path, word: str) -> Path:
    return out.with_name(f"{out.name[: -len('.jsonl')] if out.name.endswith('.jsonl') else out.name}.{word}.jsonl")


def _run_and_record(request: RecordRequest, file: FlightFile, mask: Iterable[int]) -> RecordOutcome:
    notes = raise_core_limit() if request.core else []
    output = FlightFile(output_file(request.out)) if request.output else None
    streams = _open_streams(output)
    try:
        pid = _start_program(request.command, streams, mask)
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        file.write_record(
            "end", {"code": NOT_FOUND_STATUS if missing else NOT_EXECUTABLE_STATUS, "problem": str(error)}
        )
        return RecordOutcome(
            NOT_FOUND_STATUS if missing else NOT_EXECUTABLE_STATUS, [f"{request.command[0]}: {error.strerror}"]
        )
    finally:
        for stream in streams:
            os.close(stream.write_end)
    _log.info("started %s as process %d; sampling it every %g s", request.command[0], pid, request.interval_s)
    file.write_record("start", _start_record(request, pid))
    for stream in streams:
        stream.pump.start()
    sampler = SamplerThread(
        pid, request.interval_s, file, list(list_writable_folders(request.command, os.environ, request.out))
    )
    sampler.start()
    end, sender = _wait_for_end(pid, file)
    sampler.stop(LINGER_S)
    for stream in streams:
        stream.pump.join(LINGER_S)
    _log.info("process %d ended with status %d after %d samples", pid, end.status, sampler.count)
    file.write_record(
        "end",
        {
            **_describe_end(end),
            **sender,
            "oom_kills": sampler.oom_kills,
            "samples": sampler.count,
            "own_cpu": _own_cpu_s(),
        },
    )
    if output is not None:
        output.close()
    return RecordOutcome(
        end.status, [*notes, *(writer.problem for writer in (file, output) if writer is not None and writer.problem)]
    )


class _OutputStream(NamedTuple):
    write_end: int
    targets: Sequence[int]  # the program's descriptors that lead into the pipe
    pump: OutputPump


def _open_streams(output: FlightFile | None) -> list[_OutputStream]:
    if output is None:
        return []
    groups = [("stdout", [1, 2])] if is_same_target(1, 2) else [("stdout", [1]), ("stderr", [2])]
    streams = []
    for name, targets in groups:
        read_end, write_end = os.pipe()
        streams.append(_OutputStream(write_end, targets, OutputPump(read_end, targets[0], OutputLines(name, output))))
    return streams


def _start_program(command: Sequence[str], streams: Sequence[_OutputStream], mask: Iterable[int]) -> int:
    """Start the program with the original signal mask and the default for SIGPIPE and SIGXFSZ, which Python ignores."""
    actions = [(os.POSIX_SPAWN_DUP2, stream.write_end, target) for stream in streams for target in stream.targets]
    return os.posix_spawnp(
        command[0],
        list(command),
        os.environ,
        file_actions=actions,
        setsigmask=list(mask),
        setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],
    )


class _ProgramEnd(NamedTuple):
    status: int
    signal: int | None
    dumped: bool
    usage: resource.struct_rusage


def _wait_for_end(pid: int, file: FlightFile) -> tuple[_ProgramEnd, dict[str, object]]:
    """Return the program's end, and the sender of the signal that ended it if we forwarded that signal."""
    senders: dict[int, dict[str, object]] = {}
    while True:
        info = signal.sigwaitinfo(AWAITED_SIGNALS)
        if info.si_signo != signal.SIGCHLD:
            senders[info.si_signo] = _forward_signal(info, pid, file)
            continue
        ended_pid, status, usage = os.wait4(pid, os.WNOHANG)
        if ended_pid == pid:
            end = _parse_status(status, usage)
            return end, senders.get(end.signal or 0, {})


def _forward_signal(info: signal.struct_siginfo, pid: int, file: FlightFile) -> dict[str, object]:
    """Forward a signal to the program, unless it comes from the terminal, which signals the program too."""
    from_terminal = info.si_code == SI_KERNEL or info.si_pid == 0
    record: dict[str, object] = {"signal": info.si_signo, "passed_on": not from_terminal}
    sender: dict[str, object] = {}
    if info.si_pid:
        sender = {"sender_pid": info.si_pid, "sender_uid": info.si_uid, "sender": _process_name(info.si_pid)}
    _log.info("signal %d came from process %d; forwarded: %s", info.si_signo, info.si_pid, not from_terminal)
    file.write_record("signal", {**record, **sender})
    if not from_terminal:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, info.si_signo)
    return sender


def _process_name(pid: int) -> str:
    try:
        return " ".join(mask_command(psutil.Process(pid).cmdline()))[:200] or psutil.Process(pid).name()
    except psutil.Error:
        return ""


def _parse_status(status: int, usage: resource.struct_rusage) -> _ProgramEnd:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return _ProgramEnd(128 + number, number, os.WCOREDUMP(status), usage)
    return _ProgramEnd(os.WEXITSTATUS(status), None, False, usage)


def _describe_end(end: _ProgramEnd) -> dict[str, object]:
    record: dict[str, object] = {"code": end.status, "max_rss": end.usage.ru_maxrss * 1024}
    record["cpu"] = round(end.usage.ru_utime + end.usage.ru_stime, 2)
    return {**record, "signal": end.signal, "dumped_core": end.dumped} if end.signal else record


def _start_record(request: RecordRequest, pid: int) -> dict[str, object]:
    """Return what the analyzer must know of the run; TF_CONFIG says which task it is."""
    limits = {name: resource.getrlimit(which)[0] for name, which in _RESOURCE_LIMITS.items()}
    return {
        "flight": FLIGHT_VERSION,
        **read_clocks(),
        "host": socket.gethostname(),
        "pid": pid,
        "command": mask_command(request.command),
        "tf_config": mask_text(os.environ.get("TF_CONFIG", "")),
        "interval": request.interval_s,
        "limits": {name: value for name, value in limits.items() if value != resource.RLIM_INFINITY},
        "core_pattern": _read_text("/proc/sys/kernel/core_pattern"),
    }


_RESOURCE_LIMITS = {
    "nofile": resource.RLIMIT_NOFILE,
    "nproc": resource.RLIMIT_NPROC,
    "core": resource.RLIMIT_CORE,
    "memory": resource.RLIMIT_AS,
}


def raise_core_limit() -> list[str]:
    """Raise the soft limit of cores to the hard one, as root to unlimited. Return lines for the user if that is not
    enough.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    for limit in ((resource.RLIM_INFINITY, resource.RLIM_INFINITY), (hard, hard)):
        try:
            resource.setrlimit(resource.RLIMIT_CORE, limit)
        except (ValueError, OSError):
            continue
        break
    if resource.getrlimit(resource.RLIMIT_CORE)[0] == 0:
        return ["the hard limit on core files is 0, so no core will be written (`ulimit -Hc unlimited` raises it)"]
    return []


def _own_cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return round(usage.ru_utime + usage.ru_stime, 3)


def _read_text(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""
