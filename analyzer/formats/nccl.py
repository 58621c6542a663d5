"""NCCL's lines: host, process, thread, GPU; since 2.24 warnings carry a local time.

    node-2:4100:4207 [0] transport/net_ib.cc:1200 NCCL WARN NET/IB : Got completion from peer with error 12
    node-2:4100:4203 [0] NCCL INFO Bootstrap : Using eth0:192.0.2.4<0>
    [2026-11-21 05:10:07] node-2:4100:4207 [1] misc/socket.cc:50 NCCL WARN socketProgress: Connection closed by peer

NCCL has no level for errors and writes WARN instead. RCCL writes the same lines. Source: nccl `src/debug.cc`.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import LETTERS_AND_DIGITS, Format, Tier
from analyzer.formats.severity import SEVERITY_BY_WORD
from analyzer.formats.stamps import ISO, as_stamps, read_iso
from analyzer.model import Kind, Line

_PREFIX = re.compile(
    rf"(?:\[({ISO})\] )?([A-Za-z0-9][\w.-]{{0,120}}):(\d{{1,10}}):(\d{{1,10}})(?: \[(-?\d{{1,5}})\])?"
    r"(?: (\S+?:\d++))? (?:NCCL|RCCL) (INFO|WARN|TRACE|ABORT|CALL|VERSION|ERROR) ?(.*)",
    re.DOTALL,
).match
_SOURCE = re.compile(r"(?<![\w./-])[\w./-]++:\d+$").search  # file:line, whatever stands before


def parse(text: str) -> Line | None:
    if not (match := _PREFIX(text)):
        return None
    clock, host, pid, tid, _, location, level, message = match.groups()
    stamps = as_stamps(read_iso(clock)) if clock else ()
    source = _SOURCE(location) if location else None
    logger = source[0] if source else "NCCL"
    return Line(
        message,
        stamps,
        SEVERITY_BY_WORD[level.lower()],
        Kind.WORKER,
        pid=int(pid),
        tid=int(tid),
        host=host,
        logger=logger,
    )


FORMAT = Format("nccl", Kind.WORKER, parse, tier=Tier.CLUSTER, first_chars="[" + LETTERS_AND_DIGITS, date_marks="[")
