"""TensorFlow's own C++ log: local time without a zone; versions 0.x to 1.2 write no time.

    2026-11-21 05:10:09.123456: E tensorflow/core/distributed_runtime/master.cc:318] CreateSession still waiting
    2026-11-21 05:10:09.123456: I external/local_xla/xla/tsl/cuda/cudart_stub.cc:32] Could not find cuda drivers
    2026-11-21 05:10:09.123456: W    1234 tensorflow/core/framework/op_kernel.cc:1858] OP_REQUIRES failed
    E tensorflow/stream_executor/cuda/cuda_driver.cc:965] failed to allocate 3.94G

Source: `tsl/platform/default/logging.cc` (LogMessage::GenerateLogMessage; the thread id with TF_CPP_LOG_THREAD_ID).
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import DIGITS, Format, Tier
from analyzer.formats.severity import SEVERITY_BY_LETTER
from analyzer.formats.stamps import as_stamps, read_iso
from analyzer.model import Kind, Line

_TIMED = re.compile(
    r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{1,9}): ([IWEF]) +(?:(\d{1,18}) +)?([^\s\]]+:\d+)\] ?(.*)", re.DOTALL
).match
_UNTIMED = re.compile(
    r"([IWEF]) (?:(\d{1,18}) )?([^\s\]]+\.(?:cc|h|cu|cpp|cxx|c|inc|hpp|cuh)(?:\.cc)?:\d+)\] ?(.*)", re.DOTALL
).match


_ANY_DIGITS = re.compile(
    r"(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{1,9}: [IWEF] +(?:\d{1,18} +)?[^\s\]]+"
    r"|[IWEF] (?:\d{1,18} )?[^\s\]]+\.(?:cc|h|cu|cpp|cxx|c|inc|hpp|cuh)(?:\.cc)?):\d+\] ?"
).match


def find_message(text: str) -> int | None:
    """Return where the message begins, which depends on no digit: a date that no calendar has is a prefix, too."""
    match = _ANY_DIGITS(text)
    return match.end() if match else None


def parse(text: str) -> Line | None:
    if match := _TIMED(text):
        clock, letter, thread, location, message = match.groups()
        return Line(
            message,
            as_stamps(read_iso(clock)),
            SEVERITY_BY_LETTER[letter],
            Kind.WORKER,
            tid=int(thread) if thread else None,
            logger=location,
        )
    if match := _UNTIMED(text):
        letter, thread, location, message = match.groups()
        return Line(
            message, (), SEVERITY_BY_LETTER[letter], Kind.WORKER, tid=int(thread) if thread else None, logger=location
        )
    return None


FORMAT = Format(
    "tensorflow_cpp",
    Kind.WORKER,
    parse,
    tier=Tier.EXACT,
    before=("absl_cpp", "glog"),
    first_chars=DIGITS + "IWEF",
    date_marks=" ",
    find_message=find_message,
)
