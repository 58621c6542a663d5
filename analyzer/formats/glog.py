"""glog's prefix, which absl, gRPC, klog and PyTorch share: letter, month and day, no year before glog 0.5.

    I0402 12:34:56.789012 140012345678912 train.py:33] Restoring parameters
    E0207 10:11:12.123456789   12345 server_chttp2.cc:40] {"created":"@1580000000.1","description":"No address added"}
    E0421 10:00:00.123456       1 reflector.go:33] Failed to list pods
    I20210904 12:34:56.789012 12345 saver.cc:12] written
    W1121 05:10:07.123000 12345 site-packages/torch/distributed/run.py:779] Setting OMP_NUM_THREADS

The number is a thread id (absl for Python prints a pthread id of 14 to 15 digits). A `.go` file belongs to Kubernetes.
Source: glog `logging.cc`; absl-py `logging/__init__.py`; gRPC `log_posix.cc` (nanoseconds).
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import Format, Tier
from analyzer.formats.severity import SEVERITY_BY_LETTER
from analyzer.formats.stamps import as_stamps, read_parts, read_yearless
from analyzer.model import Kind, Line

_PREFIX = re.compile(
    r"([IWEFCDV])(20\d\d)?(\d\d)(\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,9})?) +(?:(\d{1,20}) +)?([^\s\]]+:\d+)\] ?(.*)",
    re.DOTALL,
).match


def parse(text: str) -> Line | None:
    if not (match := _PREFIX(text)):
        return None
    letter, year, month, day, clock, thread, location, message = match.groups()
    if year:
        stamp = read_parts(int(year), int(month), int(day), clock)
    else:
        stamp = read_yearless(int(month), int(day), clock)
    kind = Kind.SCHEDULER if ".go:" in location else Kind.WORKER
    tid = int(thread) if thread else None
    return Line(message, as_stamps(stamp), SEVERITY_BY_LETTER[letter], kind, tid=tid, logger=location)


FORMAT = Format("glog", Kind.WORKER, parse, tier=Tier.EXACT, first_chars="IWEFCDV")
