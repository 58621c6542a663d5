"""The kernel's log: from /dev/kmsg, else by syslog(2), else by tools; and the journal's, which has both clocks."""

from __future__ import annotations

import ctypes
import os
import re
import time
from pathlib import Path

from analyzer.collect.parcel import Parcel
from analyzer.collect.reach import is_file
from analyzer.collect.wish import Wish

BUFFER = 16 * 1024 * 1024  # bytes; CONFIG_LOG_BUF_SHIFT is 17 to 21 on the kernels of distributions
READ_ALL = 3  # SYSLOG_ACTION_READ_ALL
_RECORD = re.compile(rb"(\d{1,18}),\d+,(\d{1,18}),[^;]*;([^\n]*)")
_JOURNAL = (
    "_SOURCE_MONOTONIC_TIMESTAMP,__MONOTONIC_TIMESTAMP,SYSLOG_IDENTIFIER,_HOSTNAME,PRIORITY,MESSAGE,_TRANSPORT,_PID"
)


def collect_kernel(parcel: Parcel, wish: Wish) -> None:
    since = None if wish.since is None else time.monotonic() - (time.time() - wish.since)
    text, problem = read_kmsg(since)
    if problem and not text:
        text, second = read_syslog()
        problem = f"/dev/kmsg: {problem}; syslog(2): {second}"
    if text:
        parcel.add("kernel/dmesg.txt", text, "/dev/kmsg")
    elif problem:
        parcel.lack("kernel log", problem)
        parcel.add_answer("kernel/dmesg.txt", ["dmesg"])
    span = ["--since", f"@{int(wish.since)}"] if wish.since is not None else ["-b", "0", "-n", "100000"]
    parcel.add_answer(
        "kernel/journal.jsonl", ["journalctl", "-k", "-q", "-o", "json", f"--output-fields={_JOURNAL}", *span]
    )
    for folder in (Path("/sys/fs/pstore"), Path("/var/lib/systemd/pstore")):
        for path in sorted(folder.glob("**/*")) if os.access(folder, os.R_OK) else ():
            if is_file(path):
                parcel.add_path(f"kernel/pstore/{path.name}", path)


def read_kmsg(since: float | None = None) -> tuple[bytes, str]:
    """(lines as `dmesg -r` writes them, what went wrong). One read gives one record: "6,339,5140900,-;text".

    `since`: seconds of CLOCK_MONOTONIC; older records are left out.
    """
    lines: list[bytes] = []
    try:
        descriptor = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        return b"", error.strerror or str(error)
    try:
        while record := os.read(descriptor, 8192):
            if found := _RECORD.match(record):
                seconds, micros = divmod(int(found[2]), 1_000_000)
                stamp = b"<%d>[%5d.%06d] " % (int(found[1]) & 7, seconds, micros)
                if since is None or seconds >= since:
                    lines.append(stamp + found[3].replace(b"\\x0a", b"\n" + stamp))
    except BlockingIOError:
        pass  # the end of the buffer
    except OSError as error:
        return b"\n".join([*lines, b""]), error.strerror or str(error)
    finally:
        os.close(descriptor)
    return b"\n".join([*lines, b""]) if lines else b"", ""


def read_syslog() -> tuple[bytes, str]:
    """The same by syslog(2), which some containers and sysctl kernel.dmesg_restrict=0 allow."""
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(BUFFER)
    try:
        size = libc.klogctl(READ_ALL, buffer, BUFFER)
    except AttributeError:
        return b"", "this libc has no klogctl"
    if size <= 0:
        return b"", os.strerror(ctypes.get_errno()) if size < 0 else "it is empty"
    return buffer.raw[:size], ""
