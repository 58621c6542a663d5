"""Collect the kernel's log: from /dev/kmsg, else by syslog(2), else by tools; and the journal's, which has both
clocks.
"""

from __future__ import annotations

import ctypes
import os
import re
import time
from pathlib import Path

from analyzer.collect.node_archive import NodeArchive
from analyzer.collect.request import CollectRequest
from analyzer.collect.safe_open import is_file

SYSLOG_BUFFER_BYTES = 16 * 1024 * 1024  # bytes; CONFIG_LOG_BUF_SHIFT is 17 to 21 on the kernels of distributions
SYSLOG_ACTION_READ_ALL = 3  # SYSLOG_ACTION_READ_ALL
_KMSG_RECORD = re.compile(rb"(\d{1,18}),\d+,(\d{1,18}),[^;]*;([^\n]*)")
_JOURNAL_FIELDS = (
    "_SOURCE_MONOTONIC_TIMESTAMP,__MONOTONIC_TIMESTAMP,SYSLOG_IDENTIFIER,_HOSTNAME,PRIORITY,MESSAGE,_TRANSPORT,_PID"
)


def collect_kernel(archive: NodeArchive, request: CollectRequest) -> None:
    """Add the kernel's log: from /dev/kmsg what is newer than `request.since`, or else all of syslog(2)."""
    since = None if request.since is None else time.monotonic() - (time.time() - request.since)
    text, problem = read_kmsg(since)
    if problem and not text:
        text, syslog_problem = read_syslog()
        problem = f"/dev/kmsg: {problem}; syslog(2): {syslog_problem}"
    if text:
        archive.add_bytes("kernel/dmesg.txt", text, "/dev/kmsg")
    elif problem:
        archive.add_missing("kernel log", problem)
        archive.add_tool_output("kernel/dmesg.txt", ["dmesg"])
    span = ["--since", f"@{int(request.since)}"] if request.since is not None else ["-b", "0", "-n", "100000"]
    archive.add_tool_output(
        "kernel/journal.jsonl", ["journalctl", "-k", "-q", "-o", "json", f"--output-fields={_JOURNAL_FIELDS}", *span]
    )
    for folder in (Path("/sys/fs/pstore"), Path("/var/lib/systemd/pstore")):
        for path in sorted(folder.glob("**/*")) if os.access(folder, os.R_OK) else ():
            if is_file(path):
                archive.add_path(f"kernel/pstore/{path.name}", path)


def read_kmsg(since: float | None = None) -> tuple[bytes, str]:
    """Return (lines as `dmesg -r` writes them, what went wrong). One read returns one record: "6,339,5140900,-;text".

    `since`: seconds of CLOCK_MONOTONIC; older records are left out.
    """
    lines: list[bytes] = []
    try:
        descriptor = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        return b"", error.strerror or str(error)
    try:
        while record := os.read(descriptor, 8192):
            if match := _KMSG_RECORD.match(record):
                seconds, micros = divmod(int(match[2]), 1_000_000)
                stamp = b"<%d>[%5d.%06d] " % (int(match[1]) & 7, seconds, micros)
                if since is None or seconds >= since:
                    lines.append(stamp + match[3].replace(b"\\x0a", b"\n" + stamp))
    except BlockingIOError:
        pass  # the end of the buffer
    except OSError as error:
        return b"\n".join([*lines, b""]), error.strerror or str(error)
    finally:
        os.close(descriptor)
    return b"\n".join([*lines, b""]) if lines else b"", ""


def read_syslog() -> tuple[bytes, str]:
    """Return the same from syslog(2), which some containers and sysctl kernel.dmesg_restrict=0 allow."""
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(SYSLOG_BUFFER_BYTES)
    try:
        size = libc.klogctl(SYSLOG_ACTION_READ_ALL, buffer, SYSLOG_BUFFER_BYTES)
    except AttributeError:
        return b"", "this libc has no klogctl"
    if size <= 0:
        return b"", os.strerror(ctypes.get_errno()) if size < 0 else "it is empty"
    return buffer.raw[:size], ""
