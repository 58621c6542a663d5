"""A host's kernel log as dmesg(1) prints it: https://man7.org/linux/man-pages/man1/dmesg.1.html."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from accuracy.collectors._processes import SECOND
from accuracy.identities import Identities
from accuracy.runs import ReceivedLine, Run

Layout = Callable[[Run, str, int, int], str]  # run, host, time, nanoseconds since the boot


def kernel_lines(run: Run, host: str) -> list[ReceivedLine]:
    names = {process.name for process in run.processes if process.role == "kernel" and process.host == host}
    return [line for line in run.lines if line.process in names]


def _seconds(run: Run, host: str, time_ns: int, uptime_ns: int) -> str:
    return f"[{uptime_ns // SECOND:5d}.{uptime_ns % SECOND // 1000:06d}]"


def _ctime(run: Run, host: str, time_ns: int, uptime_ns: int) -> str:
    return f"[{run.local(host, time_ns):%a %b %e %H:%M:%S %Y}]"


def _iso(run: Run, host: str, time_ns: int, uptime_ns: int) -> str:
    return run.local(host, time_ns).isoformat(timespec="microseconds").replace(".", ",")


LAYOUTS: Mapping[str, Layout] = {"dmesg": _seconds, "dmesg -T": _ctime, "dmesg --time-format iso": _iso}
_PREFIX = re.compile(rb"(?:\[[^]]+\]|\d{4}-\d\d-\d\dT\S+) (.*)", re.DOTALL)


def render_dmesg(run: Run, identities: Identities, host: str, command: str) -> bytes:
    lines = kernel_lines(run, host)
    booted = min([identities.booted_ns(host), *(line.time_ns - 3600 * SECOND for line in lines[:1])])
    stamp = LAYOUTS[command]
    return b"".join(
        stamp(run, host, line.time_ns, line.time_ns - booted).encode() + b" " + line.text + b"\n" for line in lines
    )


def read_dmesg(content: bytes) -> Iterator[bytes]:
    for line in content.split(b"\n")[:-1]:
        if match := _PREFIX.fullmatch(line):
            yield match[1]
