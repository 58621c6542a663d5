"""Lines, their times, and how files are stored: no text raises, no time is made up, no line is lost."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import cache

from analyzer.formats import read_line
from analyzer.formats.time_resolution import TimeContext, infer_syslog_zone, infer_zone, resolve_stamp
from analyzer.formats.traceback import read_traceback
from analyzer.formats.unwrap import choose_unwrapper
from analyzer.model import Basis
from tests.formats.samples import SAMPLES
from tests.fuzz.prose import respell, shuffle_lines
from tests.fuzz.target import Target
from tests.fuzz.trees import twist_records

LINES = [text for _, text in SAMPLES]
CONTEXTS = [
    TimeContext(),
    TimeContext(zone=50400.0, year=1, boot_time=-1e18, near_time=0.0),
    TimeContext(zone=-43200.0, year=9999, boot_time=1e18, near_time=253402300799.0, syslog_zone=50400.0),
    TimeContext(near_time=-62135596800.0),
]
CRI = "2026-03-01T10:00:00.123456789Z stdout {} {}\n"


@cache
def line_seeds() -> Sequence[bytes]:
    return [line.encode() for line in LINES]


def check_line(data: bytes) -> None:
    line = read_line(data.decode("utf-8", "replace"))
    for stamp in line.stamps:
        assert 0 <= stamp.value < math.inf
        if stamp.basis in (Basis.UTC, Basis.LOCAL):
            assert 631152000 <= stamp.value < 7258118400  # 1990 to 2200
        for context in CONTEXTS:
            resolve_stamp(stamp, context)
    pairs = [(stamp.value, other.value) for stamp in line.stamps for other in line.stamps]
    infer_zone(pairs), infer_syslog_zone(pairs)


@cache
def trace_seeds() -> Sequence[bytes]:
    return [
        b'  File "/a/train.py", line 12, in <module>\n    main()\n    ^^^^^^\nValueError: bad\nthe words go on\n',
        b'  File "a", line 1, in f\ntensorflow.python.framework.errors_impl.InternalError: 2 root error(s) found.\n'
        b"  (0) INTERNAL: x\n\t [[{{node y}}]]\n  (1) UNAVAILABLE: z\n0 successful operations.\n"
        b"\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n"
        b'  File "b", line 2, in g\n  [Previous line repeated 900 more times]\nKeyError: 1\n',
        b'  + Exception Group Traceback (most recent call last):\n  |   File "c", line 3, in h\n  | E: x\n'
        b"  +-+---------------- 1 ----------------\n    | ValueError: y\n    +------------------------------------\n",
    ]


def check_trace(data: bytes) -> None:
    lines = data.decode("utf-8", "replace").split("\n")
    trace = read_traceback(["Traceback (most recent call last):", *lines])
    if trace is not None:
        assert 0 < trace.lines <= len(lines) + 1


@cache
def stored_seeds() -> Sequence[bytes]:
    text = "\n".join((*LINES[:40], "größe → ok", ""))
    journal = [
        {"MESSAGE": "Out of memory", "__REALTIME_TIMESTAMP": "1700000000000000", "_HOSTNAME": "n", "PRIORITY": "3"},
        {"MESSAGE": [79, 117, 116], "_PID": "7", "SYSLOG_IDENTIFIER": "kernel", "__MONOTONIC_TIMESTAMP": "5"},
    ]
    docker = {"log": "a line\n", "stream": "stderr", "time": "2026-03-01T10:00:00.1Z"}
    logger = {"ts": 1.7e9, "level": "error", "msg": "x\ny", "logger": "a", "severity": "E", "timestamp": "2026-03-01"}
    frame = {"filename": "a.py", "lineno": 3, "name": "f"}
    records: list[dict[str, object]] = [
        {"record": {"message": "m", "time": {"timestamp": 1.7e9}, "level": {"name": "ERROR"}}, "text": "m\nTraceback"},
        {"jsonPayload": {"message": "m"}, "timestamp": {"seconds": "1700000000"}, "severity": "ERROR"},
        {"@timestamp": "2026-03-01T10:00:00Z", "log": {"level": "error", "logger": "a"}, "message": "m"},
        {"time": 1700000000123, "level": 50, "pid": 7, "hostname": "n", "msg": "m", "host": {"name": "n"}},
        {
            "ts": 1.7e9,
            "level": "error",
            "event": "m",
            "exception": [{"exc_type": "E", "exc_value": "v", "frames": [frame]}],
        },
        {"log": "step 1", "kubernetes": {"pod_name": "w-1", "container_name": "tf"}, "time": "2026-03-01T10:00:00Z"},
        {"textPayload": "m", "timestamp": "2026-03-01T10:00:00Z", "resource": {"labels": {"pod_name": "w-1"}}},
    ]
    events = {"events": [{"timestamp": 1700000000000, "message": "step 1"}, *records]}
    return [
        text.encode(),
        text.encode("utf-16"),
        text.encode("utf-16-be"),
        text.encode("utf-32"),
        b"\xef\xbb\xbf" + text.encode(),
        text.replace("\n", "\r\n").encode(),
        text.replace("\n", "\r").encode(),
        "".join(f"\x1b[31m{line}\x1b[0m\n" for line in LINES[:9]).encode(),
        "".join(json.dumps(entry) + "\n" for entry in journal * 3).encode(),
        "".join(json.dumps(docker) + "\n" for _ in range(6)).encode(),
        "".join(json.dumps(logger) + "\n" for _ in range(6)).encode(),
        (CRI.format("P", "a part") + CRI.format("F", "the rest") + CRI.format("F", json.dumps(logger))).encode() * 3,
        b"__CURSOR=s=1\n__REALTIME_TIMESTAMP=1700000000000000\n__MONOTONIC_TIMESTAMP=5000000\n"
        b"MESSAGE\n\x05\0\0\0\0\0\0\0ab\ncd\n_HOSTNAME=n\n\n__REALTIME_TIMESTAMP=1700000000000001\nMESSAGE=x\n\n" * 3,
        "".join(json.dumps(record) + "\n" for record in records * 2).encode(),
        json.dumps(records).encode(),
        json.dumps(records, indent=1).encode(),
        json.dumps(events, indent=1).encode() + b"\nbehind\n",
        (CRI.format("P", "a " * 2000) * 3 + CRI.format("F", "end") + CRI.format("P", "open")).encode(),
    ]


def check_stored(data: bytes) -> None:
    """Whole or in blocks, the same comes out; and where nothing decodes, as many lines as went in."""
    unwrapped = _unwrap(data, len(data) or 1)
    if unwrapped is None:
        return
    for size in (1, 7, 1000):
        if len(data) // size < 5000:
            assert _unwrap(data, size) == unwrapped, f"blocks of {size}"


def _unwrap(data: bytes, size: int) -> bytes | None:
    unwrapper = choose_unwrapper(data[: 64 * 1024])
    if unwrapper is None:
        return None
    parts = [unwrapper.feed(data[at : at + size]) for at in range(0, len(data), size)]
    out = b"".join(parts) + unwrapper.finish()
    assert all(unwrapper.notes)
    if "utf" not in unwrapper.name and not unwrapper.name.startswith("cr"):
        lost = data.count(b"\n") - out.count(b"\n")
        assert lost == 0, f"{lost} lines lost by {unwrapper.name}"
    return out


TARGETS = (
    Target("lines", line_seeds, check_line, (respell, shuffle_lines)),
    Target("tracebacks", trace_seeds, check_trace, (respell, shuffle_lines)),
    Target("encodings", stored_seeds, check_stored, (respell, shuffle_lines, twist_records)),
)
