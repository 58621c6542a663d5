"""Lines of absl's C++ log in TensorFlow 2.17 and later, JAX and XLA: seconds since the epoch behind a zero date.

    E0000 00:00:1795237809.123456    4100 base_collective_executor.cc:252] BaseCollectiveExecutor::StartAbort INTERNAL
    F0000 00:00:1795237809.123456    4100 tensor_shape.cc:362] Check failed: d < dims() (1 vs. 0)

Before absl::InitializeLog() no zone is loaded, so absl prints UTC seconds. The number behind the time is the thread id.
Source: `absl/log/internal/log_format.cc`.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import Format, Tier
from analyzer.formats.severity import SEVERITY_BY_LETTER
from analyzer.formats.stamps import as_stamps, read_epoch
from analyzer.model import Kind, Line

_PREFIX = re.compile(r"([IWEF])0000 00:00:(\d{9,11}\.\d{1,9}) +(\d{1,20}) ([^\s\]]+:\d+)\] ?(.*)", re.DOTALL).match


def parse(text: str) -> Line | None:
    if not (match := _PREFIX(text)):
        return None
    letter, epoch, thread, location, message = match.groups()
    return Line(
        message, as_stamps(read_epoch(epoch)), SEVERITY_BY_LETTER[letter], Kind.WORKER, tid=int(thread), logger=location
    )


FORMAT = Format("absl_cpp", Kind.WORKER, parse, tier=Tier.EXACT, first_chars="IWEF")
