"""The kernel's log as dmesg(1) prints it: https://man7.org/linux/man-pages/man1/dmesg.1.html."""

from __future__ import annotations

from accuracy.collectors._stamps import BILLION
from accuracy.identities import Identities
from accuracy.runs import Process, ReceivedLine, Run


def is_kernel(run: Run, process: Process) -> bool:
    return process.role == "kernel"


def kernel_lines(run: Run, host: str) -> list[ReceivedLine]:
    names = {process.name for process in run.processes if process.role == "kernel" and process.host == host}
    return [line for line in run.lines if line.process in names]


def uptime(identities: Identities, host: str, time_ns: int) -> str:
    """`[12345.678901]`, the time since the host's start as the kernel states it."""
    since = time_ns - identities.booted_ns(host)
    return f"[{since // BILLION:5d}.{since % BILLION // 1000:06d}]"


def dmesg(run: Run, identities: Identities, host: str) -> bytes:
    return b"".join(
        f"{uptime(identities, host, line.time_ns)} ".encode() + line.text + b"\n" for line in kernel_lines(run, host)
    )


def dmesg_ctime(run: Run, host: str) -> bytes:
    """dmesg -T: `[Thu Oct  9 08:53:25 2025] TEXT`, in the host's zone."""
    return b"".join(
        f"[{run.local(host, line.time_ns).ctime()}] ".encode() + line.text + b"\n" for line in kernel_lines(run, host)
    )
