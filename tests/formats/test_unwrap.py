"""Stored record formats become plain lines, one for one, wherever the blocks are cut."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.formats import read_line
from analyzer.formats.records.docker import format_docker_record, read_docker_line
from analyzer.formats.unwrap import choose_unwrapper
from analyzer.model import Basis, Kind, Severity, Stamp


def unwrap(data: bytes, cuts: Iterable[int] = ()) -> bytes:
    unwrapper = choose_unwrapper(data[:65536])
    assert unwrapper is not None
    edges = [0, *sorted(cuts), len(data)]
    blocks = [data[begin:end] for begin, end in pairwise(edges)]
    return b"".join(unwrapper.feed(block) for block in blocks) + unwrapper.finish()


def as_json(*records: dict[str, object]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def docker(log: str, second: int = 16) -> dict[str, object]:
    return {"log": log, "stream": "stderr", "time": f"2026-11-21T02:06:{second}.123456789Z"}


JOURNAL: dict[str, object] = {
    "__REALTIME_TIMESTAMP": "1795231447123456", "_HOSTNAME": "alpha", "_TRANSPORT": "syslog", "PRIORITY": "6",
    "SYSLOG_IDENTIFIER": "sshd", "_PID": "7", "MESSAGE": "m",
}  # fmt: skip
EXPORT = (
    b"__CURSOR=1\n__REALTIME_TIMESTAMP=1795231447123456\n__MONOTONIC_TIMESTAMP=1\n_HOSTNAME=alpha\n"
    b"SYSLOG_IDENTIFIER=sshd\n_PID=7\nMESSAGE\n\x05\0\0\0\0\0\0\0one\n2\n\n"
    b"__CURSOR=2\n__REALTIME_TIMESTAMP=1795231447123456\n_HOSTNAME=alpha\n_TRANSPORT=kernel\nPRIORITY=3\nMESSAGE=x\n\n"
)
VERBOSE = (
    b"-- Boot 0d2f --\nWed 2026-11-21 03:10:07.000000 CET [s=7;i=1;b=0d2f;m=3e8;t=64f11a2e0a5c0;x=9]\n    PRIORITY=6\n"
    b"    _HOSTNAME=alpha\n    SYSLOG_IDENTIFIER=sshd\n    _PID=7\n    MESSAGE=one\n            two\n"
    b"2026-11-21 02:10:08 UTC [s=7c;i=11;b=0d2f;m=3e9]\n    _HOSTNAME=alpha\n    _TRANSPORT=kernel\n    MESSAGE=x\n"
)
CRI = (
    b"2026-11-21T02:06:16.1Z stdout P one \n2026-11-21T02:06:16.2Z stderr F other\n"
    b"2026-11-21T02:06:16.3Z stdout P two \n2026-11-21T02:06:16.4Z stdout F three\n"
    b"2026-11-21T02:06:17.1Z stdout F next\n"
)
LOGGER = as_json({"ts": 1795226776.5, "level": "error", "logger": "train", "msg": "m"})
ARRAY = json.dumps([{"timestamp": f"2026-11-21T02:06:1{n}Z", "textPayload": f"step {n}"} for n in range(3)], indent=2)
CSV = (
    b'_time,host,source,_raw\n2026-11-21T02:06:16.100+0000,n1,/v/t.log,"a, ""b"""\n'
    b'2026-11-21T02:06:17.100+0000,n2,/v/t.log,"Traceback (most recent call last):\n  File ""x"", line 1"\n'
    b"2026-11-21T02:06:18.100+0000,n1,/v/t.log,c\n"
)
SECTIONS = b"==> /v/n1/kern.log <==\na\n\n==> /v/n2.log <==\nb\n--------\nc\n--------\nn3\n--------\nd\n"
STORED = {
    "sections": SECTIONS,
    "csv": CSV,
    "json-document": ARRAY.encode() + b"\n",
    "docker-json+cri": as_json(docker("a\n"), docker("x" * 16384), docker("end\n"), docker("b\n")),
    "journal-json": as_json(JOURNAL, {**JOURNAL, "MESSAGE": [104, 105, 10, 33]}),
    "json-logger": b"plain\n" + LOGGER + b"{broken\n" + LOGGER,
    "cri": CRI,
    "journal-export": EXPORT,
    "journal-verbose": VERBOSE,
    "utf-16": "eins\nzwei ü\n".encode("utf-16"),
    "utf-16-le": ("the quick brown fox\n" * 3).encode("utf-16-le"),
    "utf-16-be": ("the quick brown fox\n" * 3).encode("utf-16-be"),
    "utf-8-bom": b"\xef\xbb\xbfone\ntwo\n",
    "nul": b"\0\0\0one\ntwo\n",
    "crlf": b"one\r\ntwo\rstill two\r\r\n\r\nfour\r\n",
    "ansi": b"\x1b[1;31mERROR\x1b[0m: m\n\x1b]0;title\x07two\n",
}


@pytest.mark.parametrize("name", STORED)
def test_knows_it(name: str) -> None:
    unwrapper = choose_unwrapper(STORED[name])
    assert unwrapper is not None
    assert unwrapper.name == name


@pytest.mark.parametrize("name", STORED)
@given(data=st.data())
def test_cuts_do_not_matter(name: str, data: st.DataObject) -> None:
    content = STORED[name]
    cuts = data.draw(st.lists(st.integers(0, len(content)), max_size=12))
    assert unwrap(content, cuts) == unwrap(content)


@pytest.mark.parametrize("name", [name for name in STORED if not name.startswith("utf-16")])
@given(tail=st.binary(max_size=200), cuts=st.lists(st.integers(0, 400), max_size=6))
def test_keeps_the_lines(name: str, tail: bytes, cuts: list[int]) -> None:
    content = STORED[name] + tail
    if choose_unwrapper(content) is not None:
        assert unwrap(content, [cut for cut in cuts if cut <= len(content)]).count(b"\n") == content.count(b"\n")


def test_counts_lines_after_decoding() -> None:
    assert unwrap("eins\nzwei\n".encode("utf-16")) == b"eins\nzwei\n"
    assert unwrap(b"one\rtwo\rthree\r") == b"one\ntwo\nthree\n"


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"x",
        b"2026-11-21 02:06:16,5 INFO train: m\n",
        b'{"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}}\n',
        b'{"message": "no time, no level"}\n',
        b"[1, 2]\n",
        b"\r 10%|#   | 1/9 [00:01<00:09, 1.0s/it]\r 20%|##  | 2/9 [00:02<00:08, 1.0s/it]\r",
        "ünïcode\n".encode(),
    ],
)
def test_plain_files_are_left_alone(head: bytes) -> None:
    assert choose_unwrapper(head) is None


@given(st.binary(max_size=400), st.binary(max_size=400))
def test_survives_any_bytes(head: bytes, tail: bytes) -> None:
    if unwrapper := choose_unwrapper(head):
        assert isinstance(unwrapper.feed(head) + unwrapper.feed(tail) + unwrapper.finish(), bytes)


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(
    ["ts", "time", "level", "msg", "message", "log", "stream", "MESSAGE", "__REALTIME_TIMESTAMP", "_PID", "PRIORITY",
     "record", "text", "exc_info", "exception", "kubernetes", "jsonPayload", "hostname", "pid",
     "SYSLOG_FACILITY", "_HOSTNAME"]
)  # fmt: skip


@given(
    st.lists(st.dictionaries(KEYS, JSONS, max_size=6), max_size=4),
    st.sampled_from([LOGGER, as_json(docker("a\n")), as_json(JOURNAL)]),
)
def test_survives_any_record(records: list[dict[str, object]], first: bytes) -> None:
    data = first + as_json(*records)
    assert unwrap(data).count(b"\n") == data.count(b"\n")


def lines_of(data: bytes) -> list[str]:
    return unwrap(data).decode().split("\n")


def test_line_ends_of_windows_and_terminals_leave_no_empty_segments() -> None:
    assert unwrap(b"one\r\n 1%\r 2%\r\ntwo\r\r\n\r\n", cuts=[4, 13, 18, 19]) == b"one\n 1%\r 2%\ntwo\n\n"


def test_docker() -> None:
    first, joined, empty, _, _ = lines_of(STORED["docker-json+cri"])
    assert first == "2026-11-21T02:06:16.123456789Z stderr F a"
    assert joined == "2026-11-21T02:06:16.123456789Z stderr F " + "x" * 16384 + "end"
    assert empty == ""


def test_cri() -> None:
    assert lines_of(CRI) == [
        "2026-11-21T02:06:16.1Z stdout F one two three",
        "2026-11-21T02:06:16.2Z stderr F other",
        "",
        "",
        "2026-11-21T02:06:17.1Z stdout F next",
        "",
    ]


def test_cri_without_its_end() -> None:
    assert lines_of(b"2026-11-21T02:06:16.1Z stdout P one\n2026-11-21T02:06:16.2Z stdout P two\n")[0].endswith(
        "F onetwo"
    )


def test_journal() -> None:
    kernel = {**JOURNAL, "_TRANSPORT": "kernel", "PRIORITY": "3", "SYSLOG_FACILITY": "0"}
    plain, fault, nobody = (
        read_line(text) for text in lines_of(as_json(JOURNAL, kernel, {**JOURNAL, "_PID": None}))[:3]
    )
    assert (plain.host, plain.logger, plain.pid, plain.message) == ("alpha", "sshd", 7, "m")
    assert plain.stamps == (Stamp(1795231447.123456, Basis.UTC),)
    assert (fault.kind, fault.severity, fault.message) == (Kind.KERNEL, Severity.ERROR, "m")
    assert (nobody.pid, nobody.host, nobody.message) == (None, "alpha", "m")
    assert lines_of(STORED["journal-json"])[1].endswith("sshd[7]: hi\r!")


@pytest.mark.parametrize(
    ("source_time", "heard", "seconds"),
    [
        ("20378498207", "24083994256", 3705.496049),  # the journal began an hour after the kernel said it
        ("24083994000", "24083994256", 0),
        ("8639998000000", "8640000000000", 0),  # two seconds after 100 days are what the kernel's clock goes astray
        ("9999999999999999", "1", 0),
        ("-5", "x", 0),
    ],
)
def test_a_line_of_the_kernel_is_dated_by_when_it_was_said(source_time: str, heard: str, seconds: float) -> None:
    clocks = {"_SOURCE_MONOTONIC_TIMESTAMP": source_time, "__MONOTONIC_TIMESTAMP": heard}
    (stamp,) = read_line(lines_of(as_json({**JOURNAL, **clocks, "_TRANSPORT": "kernel"}))[0]).stamps
    assert stamp.value == pytest.approx(1795231447.123456 - seconds, abs=1e-5)


def test_journal_export() -> None:
    lines = lines_of(EXPORT)
    assert lines[0].endswith("alpha sshd[7]: one\r2")
    assert lines[1:10] == [""] * 9
    assert read_line(lines[10]).severity is Severity.ERROR
    assert read_line(lines[10]).message == "x"


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"ts": 1795226776.5, "level": "warn", "logger": "a.b", "msg": "m"},
         "2026-11-21T02:06:16.500000+00:00 WARNING a.b: m"),
        ({"time": "2026-11-21T02:06:16Z", "level": "info", "msg": "m"}, "2026-11-21T02:06:16Z INFO - m"),
        ({"time": 1795226776500, "level": 50, "pid": 3, "hostname": "h", "msg": "m"},
         "[pod/h/-] 2026-11-21T02:06:16.500000+00:00 ERROR - m pid=3 hostname=h"),
        ({"asctime": "2026-11-21 02:06:16,497", "levelname": "ERROR", "name": "t", "message": "m",
          "exc_info": "T\n  x"},
         "2026-11-21 02:06:16,497 ERROR t: m\rT\r  x"),
        ({"level": "info", "timestamp": 1795226776500, "message": "W tensorflow/x.cc:1] m"},
         "2026-11-21T02:06:16.500000+00:00 stderr F W tensorflow/x.cc:1] m"),
        ({"@timestamp": "2026-11-21T02:06:16.100Z", "host": {"name": "n-3"}, "tag": "t", "message": "  File \"a.py\""},
         '[pod/n-3/-] 2026-11-21T02:06:16.100Z stderr F   File "a.py"'),
        ({"time": "2026-11-21T02:06:16.1Z", "host": "n-3", "stream": "stderr", "log": "m"},
         "[pod/n-3/-] 2026-11-21T02:06:16.1Z stderr F m"),
        ({"@timestamp": "2026-11-21T02:06:16.1Z", "container_name": "/ml-trainer-2", "source": "stderr", "log": "m"},
         "[pod/ml-trainer-2/-] 2026-11-21T02:06:16.1Z stderr F m"),
        ({"logStreamName": "job-7/algo-2-1795226776", "timestamp": 1795226776500, "message": "m", "eventId": "3"},
         "[pod/algo-2/-] 2026-11-21T02:06:16.500000+00:00 stderr F m"),
        ({"logStreamName": "n1-application.var.log.containers.w-0_ml_tf-0123456789abcdef01234567.log",
          "timestamp": 1795226776500, "message": "m"},
         "[pod/w-0/-] 2026-11-21T02:06:16.500000+00:00 stderr F m"),
        ({"timestamp": "2026-11-21T02:06:16Z", "jsonPayload": {"message": "m"},
          "resource": {"type": "gce_instance", "labels": {"instance_id": "3736018257030293365"}}},
         "[pod/instance-3736018257030293365/-] 2026-11-21T02:06:16Z stderr F m"),
        ({"logStreamName": "2026/11/21/[7]", "timestamp": 1795226776500, "message": "m"},
         "2026-11-21T02:06:16.500000+00:00 stderr F m"),
        ({"level": "error", "logger": "t", "message": "m", "step": 3, "loss": 0.5}, "ERROR:t:m step=3 loss=0.5"),
        ({"ts": "soon", "level": "error", "msg": "m"}, "ERROR: m ts=soon"),
        ({"severity": "ERROR", "timestamp": "2026-11-21T02:06:16Z", "textPayload": "I tensorflow/x.cc:1] m\n",
          "resource": {"labels": {"pod_name": "w-0", "container_name": "tf"}}},
         "[pod/w-0/tf] 2026-11-21T02:06:16Z stderr F I tensorflow/x.cc:1] m"),
        ({"text": "full\n", "record": {"time": {"timestamp": 1795226776.5}, "level": {"name": "ERROR"}, "name": "t",
                                       "message": "m"}},
         "2026-11-21T02:06:16.500000+00:00 ERROR t: m"),
        ({"timestamp": "2026-11-21T02:06:16Z", "level": "error", "event": "m", "exception": [
            {"exc_type": "ValueError", "exc_value": "v", "frames": [{"filename": "a.py", "lineno": 3, "name": "f"}]}]},
         '2026-11-21T02:06:16Z ERROR - m\rTraceback (most recent call last):\r'
         '  File "a.py", line 3, in f\rValueError: v'),
    ],
)  # fmt: skip
def test_json_loggers(record: dict[str, object], expected: str) -> None:
    assert lines_of(as_json(record))[0] == expected


POD = {"resource": {"labels": {"pod_name": "w-1", "container_name": "tf"}}}
EVENTS = [{"timestamp": 1795226776500 + n, "message": f"step {n}", "ingestionTime": 1795226776900} for n in range(2)]
ARRAYS = {
    "gcloud": (
        json.dumps(
            [{"insertId": "x", "textPayload": "one\ntwo", "timestamp": "2026-11-21T02:06:16Z", **POD}], indent=2
        ),
        {2: b"[pod/w-1/tf] 2026-11-21T02:06:16Z stderr F one\rtwo"},
    ),
    "cloudwatch": (
        json.dumps({"events": EVENTS, "nextForwardToken": "f/3"}, indent=4),
        {
            3: b"2026-11-21T02:06:16.500000+00:00 stderr F step 0",
            8: b"2026-11-21T02:06:16.501000+00:00 stderr F step 1",
        },
    ),
    "a record a line": ('[\n{"ts": 1795226776, "msg": "a"},\n{"ts": 1795226777, "msg": "b"}\n]\n', {}),
    "a whole in a line": ('[{"ts": 1795226776, "msg": "a"}, {"ts": 1795226777, "msg": "b"}]\n', {}),
}


def test_records_in_a_file_of_fluentd_have_its_time() -> None:
    payload = b'docker.w1\t{"container_name": "/w1", "source": "stderr", "log": "m"}'
    assert (
        lines_of(b"2026-11-21T02:06:16+00:00\t" + payload + b"\n")[0]
        == "[pod/w1/-] 2026-11-21T02:06:16+00:00 stderr F m"
    )


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_records_are_lines_where_the_records_begin(name: str) -> None:
    text, expected = ARRAYS[name]
    lines = unwrap(text.encode(), range(0, len(text), 7)).split(b"\n")
    assert len(lines) == text.count("\n") + 1
    assert {number: lines[number - 1] for number in expected} == expected
    if name == "a whole in a line":
        assert [part[-3:] for part in lines[0].split(b"\r")] == [b"F a", b"F b"]


@pytest.mark.parametrize(
    "record",
    [
        {"_index": "l", "_source": {"@timestamp": "2026-03-01T12:00:00Z", "host": {"name": "n1"}, "message": "m"}},
        {"preview": False, "result": {"_time": "2026-03-01T12:00:00Z", "host": "n1", "_raw": "m"}},
        {"id": "A", "attributes": {"timestamp": "2026-03-01T12:00:00Z", "host": "n1", "message": "m"}},
    ],
)
def test_records_of_a_search_are_lines(record: dict[str, object]) -> None:
    line = b"[pod/n1/-] 2026-03-01T12:00:00Z stderr F m"
    assert unwrap(json.dumps(record).encode() + b"\n", range(0)).startswith(line)
    hits = {"took": 5, "_shards": {"total": 1}, "hits": {"total": {"value": 2}, "hits": [record, record]}}
    assert unwrap(json.dumps(hits, indent=1).encode(), range(0)).count(line) == 2


@pytest.mark.parametrize(
    "record",
    [
        {"time": "2026-03-01T12:00:00Z", "host": "n1", "payload": {"level": "error", "msg": "m"}},
        {"timestamp": "2026-03-01T12:00:00Z", "host": {"name": "n1"}, "event": {"severity": "ERROR", "message": "m"}},
        {"dt": "2026-03-01T12:00:00Z", "host": "n1", "lvl": "E", "m": "m"},
        {"Timestamp": 1772366400, "SeverityText": "ERROR", "Body": "m", "host": "n1"},
        {"timeUnixNano": "1772366400000000000", "severityText": "ERROR", "body": {"stringValue": "m"}, "host": "n1"},
        {"version": "1.1", "host": "n1", "short_message": "m", "timestamp": 1772366400.0, "level": 3},
        {"timestamp": "2026-03-01T12:00:00Z", "host": "n1", "data": {"record": {"level": "ERROR", "text": "m"}}},
        {"host": "n1", "post": {"create_at": 1772366400000, "level": "error", "message": "m"}},
        {"host": "n1", "createdDateTime": "2026-03-01T12:00:00Z", "body": {"level": "error", "content": "m"}},
        {"origin_server_ts": 1772366400000, "host": "n1", "content": {"level": "error", "body": "m"}},
    ],
)
def test_records_whose_fields_have_names_of_their_own_are_lines(record: dict[str, object]) -> None:
    line = lines_of(as_json(record))[0]
    assert line.startswith(("[pod/n1/-] 2026-03-01T12:00:00Z ERROR - m", "[pod/n1/-] 2026-03-01T12:00:00.000000+00:00"))
    assert read_line(line.partition("] ")[2]).severity is Severity.ERROR


@pytest.mark.parametrize("key", ["event", "_source", "object"])
def test_an_event_of_kubernetes_within_a_record_has_the_record_s_time(key: str) -> None:
    event = {"type": "Warning", "reason": "Evicted", "message": "low on disk"}
    event |= {"involvedObject": {"kind": "Pod", "name": "w-2"}}
    record = {"@timestamp": "2026-03-01T12:00:00Z", "verb": "ADDED", key: event}
    line = "2026-03-01T12:00:00Z stderr F Warning   Evicted   pod/w-2   low on disk"
    assert lines_of(as_json(record))[0] == line
    assert lines_of(as_json({"_index": "events", "_source": record}))[0] == line


def test_events_of_kubernetes_are_lines_as_kubectl_prints_them() -> None:
    who = {"kind": "Pod", "name": "w-2", "namespace": "ml"}
    event = {"kind": "Event", "involvedObject": who, "lastTimestamp": "2026-03-01T12:00:00Z", "eventTime": None}
    event |= {"type": "Warning", "reason": "FailedScheduling", "message": "0/9 nodes are available"}
    listed = {"apiVersion": "v1", "items": [event], "kind": "List", "metadata": {}}
    line = b"2026-03-01T12:00:00Z stderr F Warning   FailedScheduling   pod/w-2   0/9 nodes are available"
    assert line in unwrap(json.dumps(listed, indent=4).encode(), range(0)).split(b"\n")


def test_other_arrays_are_left_alone() -> None:
    for text in (
        '[{"Id": "4f", "State": {"ExitCode": 137}}]',
        '{"items": [{"kind": "Pod"}]}',
        '[{"host": "n1", "rc": 1}]',
    ):
        assert choose_unwrapper(text.encode()) is None


def test_notes_say_what_was_done() -> None:
    unwrapper = choose_unwrapper(STORED["json-logger"])
    assert unwrapper is not None
    unwrapper.feed(STORED["json-logger"])
    unwrapper.finish()
    assert "1 lines begin like JSON" in unwrapper.notes[0]


WRITTEN = [
    f"2026-11-21 02:06:{second:02d}.123456: W tensorflow/core/op_kernel.cc:{second}] OP_REQUIRES failed: /ckpt/model-"
    + "x" * second
    + "; No space left on device"
    for second in range(10, 22)
]


def fold(text: str, width: int) -> str:
    return "".join(text[i : i + width] + "\n" for i in range(0, len(text), width))


@given(st.lists(st.integers(0, 1200), max_size=4))
def test_lines_cut_at_the_width_of_a_screen_are_joined_where_they_begin(cuts: list[int]) -> None:
    stored = "".join(fold(line, 80) for line in WRITTEN)
    read = unwrap(stored.encode(), [cut for cut in cuts if cut <= len(stored)]).decode()
    assert read.count("\n") == stored.count("\n")
    assert [line for line in read.split("\n") if line] == WRITTEN
    assert read.split("\n")[: 1 + (len(WRITTEN[0]) - 1) // 80].count("") == (len(WRITTEN[0]) - 1) // 80


def test_a_cut_line_at_the_end_of_a_file_needs_no_line_feed() -> None:
    stored = "".join(fold(line, 80) for line in WRITTEN)[:-1]
    assert unwrap(stored.encode()).decode().rstrip("\n").endswith(WRITTEN[-1])


@pytest.mark.parametrize(
    "lines",
    [
        [f"2026-11-21 02:06:{second:02d} INFO step {second} {'=' * 60}" for second in range(10, 40)],  # all as long
        [f"{'root':10}{number:6d} {'python train.py --batch 32':70}" for number in range(100, 140)],  # a table
        [*(f"2026-11-21 02:06:{second:02d} INFO ok" for second in range(10, 40)), "x" * 80, "y" * 80],  # two long ones
    ],
)
def test_lines_that_are_as_long_as_each_other_are_left_alone(lines: list[str]) -> None:
    assert choose_unwrapper("".join(line + "\n" for line in lines).encode()) is None


def test_verbose_entries_of_the_journal_are_lines_of_their_machines() -> None:
    lines = unwrap(VERBOSE).split(b"\n")
    first, second = (read_line(lines[number].decode()) for number in (1, 8))
    assert (first.message, first.host, first.pid) == ("one\rtwo", "alpha", 7)
    assert (second.message, second.host, second.kind) == ("x", "alpha", Kind.KERNEL)
    assert [line.stamps[0].value for line in (first, second)] == [int("64f11a2e0a5c0", 16) / 1e6, 1795227008.0]


def test_a_line_feed_in_any_field_of_a_verbose_entry_is_a_segment() -> None:
    entry = VERBOSE.replace(b"t=64f11a2e0a5c0;", b"").replace(b"_HOSTNAME=alpha\n", b"_HOSTNAME=alpha\n        beta\n")
    assert unwrap(entry).count(b"\n") == entry.count(b"\n")


CSV_HEADS = {
    "splunk": ("_time,host,source,_raw", '2026-11-21T02:06:16.100+0000,n1,/v/t.log,"m, n"'),
    "insights": ("@timestamp,@message,@logStream", '2026-11-21 02:06:16.100,"m, n",job/n1'),
    "kibana": ('"@timestamp","kubernetes.pod.name",message', '"Nov 21, 2026 @ 02:06:16.100",n1,"m, n"'),
    "azure": ("TimeGenerated,Computer,LogEntry", '2026-11-21T02:06:16.100Z,n1,"m, n"'),
}


@pytest.mark.parametrize("name", CSV_HEADS)
def test_rows_of_a_log_services_search_are_lines_of_their_machines(name: str) -> None:
    head, row = CSV_HEADS[name]
    line = read_line(unwrap(f"{head}\n{row}\n".encode()).split(b"\n")[1].decode())
    assert (line.message, line.host) == ("m, n", "n1")
    assert [stamp.value for stamp in line.stamps] == [pytest.approx(1795226776.1)]


OPEN_ENDS = {
    "csv": (CSV + b'2026-11-21T02:06:17.100+0000,n2,/v/t.log,"', b"a line\n"),
    "cri": (CRI, b"2026-11-21T02:06:16.1Z stdout P one\n"),
    "journal-export": (EXPORT + b"__CURSOR=3\n", b"FIELD=a\n"),
    "journal-verbose": (VERBOSE, b"    FIELD=a\n"),
    "sections": (SECTIONS + b"--------\n", b"--------\n"),
}


@pytest.mark.parametrize("name", OPEN_ENDS)
def test_a_record_that_never_ends_costs_no_more_than_its_length(name: str) -> None:
    head, line = OPEN_ENDS[name]

    def cost(lines: int) -> float:
        spent = []
        for _ in range(3):
            before = time.process_time()
            unwrap(head + line * lines)
            spent.append(time.process_time() - before)
        return min(spent)

    assert cost(120_000) < 8 * cost(30_000)  # what looks at all of it with each line costs sixteen times


@pytest.mark.parametrize("head", ["timestamp,gpu,power", "host,task,exit_code", "message,count", "a log, with a time"])
def test_other_tables_are_left_alone(head: str) -> None:
    assert choose_unwrapper(f"{head}\n1,2,3\n".encode()) is None


SECTION_HEADS = {
    "tail": "==> /var/log/{host}/messages <==",
    "tail-name": "==> logs/{host}.log <==",
    "command": "==> ssh root@{host} dmesg | tail -40 <==",
    "job's shell": "==> condor_ssh {host} tail -n 20 /scratch/out.log <==",
    "ansible": "{host} | CHANGED | rc=0 >>",
    "yarn": "Container: container_e12_1716140000001_0042_01_000003 on {host}_45454",
    "dshbak": "----------------\n{host}\n----------------",
}


@pytest.mark.parametrize("name", SECTION_HEADS)
def test_logs_of_several_machines_in_one_file_are_of_these(name: str) -> None:
    text = "".join(f"{SECTION_HEADS[name].format(host=host)}\nfirst\n  second\n" for host in ("gx-7", "worker-1"))
    lines = [read_line(line.decode()) for line in unwrap(text.encode()).split(b"\n")]
    messages = [(line.host, line.message) for line in lines if line.host and not line.message.startswith("CHANGED")]
    assert messages == [(host, message) for host in ("gx-7", "worker-1") for message in ("first", "  second")]


def test_what_several_machines_say_alike_is_nobody_s() -> None:
    text = "---------------\nn[1-3,7] (4)\n---------------\nfirst\n---------------\nn4\n---------------\nsecond\n"
    lines = [read_line(line.decode()) for line in unwrap(text.encode()).split(b"\n")]
    assert [(line.host, line.message) for line in lines if line.message in ("first", "second")] == [
        (None, "first"),
        ("n4", "second"),
    ]


def test_a_line_of_loki_is_of_the_machine_that_its_labels_name() -> None:
    record = {"labels": {"host": "n4", "job": "t"}, "line": "step 1", "timestamp": "2026-11-21T02:06:16Z"}
    assert lines_of(as_json(record))[0] == "[pod/n4/-] 2026-11-21T02:06:16Z stderr F step 1"


PASTED = {
    "signs": ("== gx-7", "== gx-8"),
    "signs on both sides": (
        "####### gx-7 : tmux capture-pane -p #######",
        "####### gx-8 : tmux capture-pane -p #######",
    ),
    "words": ("--- host gx-7 ---", "--- host gx-8 ---"),
    "command behind signs": ("### gx-7 ### ps -o pid,stat,args", "### gx-8 ### ps -o pid,stat,args"),
    "command of ssh": (
        "---- ssh gx-7 nvidia-smi -q (10:41:02) ----",
        "---- ssh ops@gx-8 nvidia-smi -q (10:41:04) ----",
    ),
    "bare prompts": ("gx-7$ ps aux | grep train", "gx-8$ ps aux | grep train"),
    "prompts": ("lena@gx-7:~/run$ python run.py", "lena@gx-8:~/run$ python run.py"),
    "files": ("lena@head:~/run$ cat logs/gx-7.log", "lena@head:~/run$ tail -n 90 logs/gx-8/run.log"),
    "brackets": ("[root@gx-7 ~]# dmesg -T", "[root@gx-8 ~]# dmesg -T"),
    "ssh": ("lena@head:~$ ssh -q gx-7 cat run.log", "lena@head:~$ ssh root@gx-8 'tail run.log'"),
    "kubectl": ("$ kubectl -n ml logs gx-7", "$ kubectl logs --tail=9 pod/gx-8"),
}


@pytest.mark.parametrize("name", PASTED)
def test_what_somebody_pasted_is_of_the_machine_that_a_header_or_prompt_names(name: str) -> None:
    text = "".join(f"{header}\nfirst\n  second\n" for header in PASTED[name])
    lines = [read_line(line.decode()) for line in unwrap(text.encode()).split(b"\n")]
    assert [(line.host, line.message) for line in lines if line.host] == [
        (host, message) for host in ("gx-7", "gx-8") for message in ("first", "  second")
    ]


def test_heads_of_one_table_stand_below_the_names_of_machines() -> None:
    head = "  PID STAT %CPU COMMAND"
    text = f"### alder\n{head}\n    7 Tl   3.0 fit.py\n\n### birch\n{head}\n    8 Rl  99.0 fit.py\n"
    lines = [read_line(line.decode()) for line in unwrap(text.encode()).split(b"\n")]
    assert [(line.host, line.message.split()[0]) for line in lines if line.host and "fit" in line.message] == [
        ("alder", "7"),
        ("birch", "8"),
    ]


@pytest.mark.parametrize(
    "header", ["~~~~ machine : {} ~~~~", ">>>>>> BOX {} <<<<<<", "=== Rechner {} ===", "--- 主机: {} ---"]
)
def test_a_word_for_machines_in_headers_tells_what_their_names_are(header: str) -> None:
    text = "".join(f"{header.format(name)}\nuptime 3 days\n" for name in ("alder", "birch"))
    lines = [read_line(line.decode()) for line in unwrap(text.encode()).split(b"\n")]
    assert [line.host for line in lines if line.host] == ["alder", "birch"]


def test_what_a_loop_over_machines_prints_is_nobody_s() -> None:
    text = "lena@gx-7:~$ uptime\nfirst\nlena@gx-7:~$ for n in 7 8; do ssh gx-$n date; done\nsecond\n"
    text += "lena@gx-8:~$ date\nthird\n"
    lines = [read_line(line.decode()) for line in unwrap(text.encode()).split(b"\n")]
    assert [(line.host, line.message) for line in lines if line.message in ("first", "second", "third")] == [
        ("gx-7", "first"),
        (None, "second"),
        ("gx-8", "third"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "=== Epoch-1 ===\nloss 1\n=== Epoch-2 ===\nloss 2\n",
        "## Results\ntext\n## Discussion\ntext\n",
        "=== train ===\nepoch loss accuracy\n1 0.5 0.7\n=== val ===\nepoch loss accuracy\n1 0.6 0.6\n",
        "lena@gx-7:~$ python train.py\nstep 1\nlena@gx-7:~$ exit\n",
        "--- a.py\n+++ b.py\n-x = 1\n+x = 2\n",
        "$ make\n$ make install\n> a quotation\n# a remark\n",
        "".join(
            f"[{name}] out: step {step}\n" * 5 + f"[{name}] out: gx-9 joined\n"
            for step in "12"
            for name in ("a-1", "b-2")
        ),
    ],
)
def test_other_headers_and_prompts_are_left_alone(text: str) -> None:
    assert choose_unwrapper(text.encode()) is None


def test_machines_that_differ_in_a_letter_are_the_writers_of_a_merged_file() -> None:
    text = "".join(f"gx-{letter}> step {step} loss 0.5\n" for step in range(8) for letter in "abc")
    lines = [read_line(line.decode()) for line in unwrap(text.encode()).split(b"\n")]
    assert [(line.host, line.message) for line in lines[:2]] == [
        ("gx-a", "step 0 loss 0.5"),
        ("gx-b", "step 0 loss 0.5"),
    ]


def test_sections_of_two_machines_may_follow_the_output_of_another_command() -> None:
    before = "copied and checked\n" * 60
    sections = "".join(f"gx-{number} | CHANGED | rc=0 >>\nstep 3 loss 0.5\n" for number in range(2))
    lines = unwrap((before + sections).encode()).decode().splitlines()
    assert [read_line(line).host for line in lines if line.endswith("0.5")] == ["gx-0", "gx-1"]
    assert choose_unwrapper((before + "gx-1 | CHANGED | rc=0 >>\n").encode()) is None


def test_rules_alone_are_no_sections() -> None:
    text = "--------\nepoch one of two\n--------\nloss 1\n==> done\n"
    assert choose_unwrapper(text.encode()) is None


def test_a_program_s_lines_in_records_of_one_level_are_its_own() -> None:
    """A level that all records have is the collector's; where they differ it is the logger's."""

    def third(level: str) -> tuple[str, ...]:
        lines = ["Traceback (most recent call last):", "KeyError: 'x'"]
        levels = [level, "error", "error"]
        records = [
            {"timestamp": "2026-11-21T02:06:16Z", "level": level, "event": text}
            for level, text in zip(levels, ["step 1", *lines], strict=True)
        ]
        return read_line(unwrap(as_json(*records)).split(b"\n")[2].decode()).formats

    assert third("error") == ("cri",)
    assert third("info") != ("cri",)


@pytest.mark.parametrize(
    "origin",
    [
        {"podName": "w-1", "nodeName": "m-7"},
        {"kubernetes": {"pod": {"name": "w-1"}, "node": {"name": "m-7"}}},
        {"kubernetes": {"pod_name": "w-1", "host": "m-7"}},
        {"resource": {"labels": {"pod_name": "w-1"}}},
        {"host": {"name": "w-1"}},
        {"agent": {"hostname": "w-1"}},
        {"container_name": "/w-1"},
    ],
)
@pytest.mark.parametrize("message", ["step 1", ""])
def test_a_record_names_its_writer_in_the_usual_fields(origin: dict[str, object], message: str) -> None:
    record = json.dumps({"@timestamp": "2026-11-21T05:10:06Z", "message": message, **origin}).encode() + b"\n"
    unwrapper = choose_unwrapper(record.replace(b'"message": ""', b'"message": "x"') + record)
    assert unwrapper is not None
    assert read_line(unwrapper.feed(record).decode()).stream.removesuffix(" on m-7") == "w-1"


@pytest.mark.parametrize("log", ["step 1\n", "", "cut " * 5000, "a\r\nb\n", "ä\x7f\u2028\n", '{"log": 1}'])
def test_a_bare_docker_record_is_read_as_any_other(log: str) -> None:
    record = docker(log)
    bare = read_docker_line(json.dumps(record, separators=(",", ":")).encode())
    assert bare == format_docker_record(record) == format_docker_record({**record, "attrs": {}})


def test_a_docker_record_that_is_not_bare_is_left_to_others() -> None:
    for text in ('{"log":"a","stream":"stdout","time":"t","attrs":{}}', '{"log":"\\ud800","stream":"s","time":"t"}'):
        assert read_docker_line(text.encode()) is None
    assert read_docker_line(b'{"log":"\xff","stream":"s","time":"t"}') is None
    assert read_docker_line(b'{"log":"a"') is None


def test_records_name_their_writers_whatever_stood_in_earlier_ones() -> None:
    base = {"timestamp": "2026-11-21T02:06:16Z", "line": "x"}
    records = [{**base, "labels": {"pod": pod}} for pod in ("p-0", "p-1", "p-0")] + [{**base, "labels": "p-0"}]
    lines = unwrap(as_json(*records)).decode().splitlines()
    assert [line.partition("] ")[0] for line in lines[:3]] == ["[pod/p-0/-", "[pod/p-1/-", "[pod/p-0/-"]
    assert not lines[3].startswith("[pod")


def test_a_container_of_one_name_under_the_headers_of_several_machines_is_none() -> None:
    parts = [
        f"######## gx-{number}  (10:41:0{number})\n$ docker logs fit-1\nstep 1\nstep 2\n$ date\nTue\n"
        for number in (4, 5, 6)
    ]
    head = "".join(parts).encode()
    unwrapper = choose_unwrapper(head)
    assert unwrapper is not None
    lines = (unwrapper.feed(head) + unwrapper.finish()).decode().split("\n")
    assert [line for line in lines if "step 2" in line] == [f"[pod/gx-{number}/-] step 2" for number in (4, 5, 6)]


@pytest.mark.parametrize(
    "command",
    [
        "$ kubectl debug node/gx-7 -it --image=busybox -- dmesg",
        "$ srun --jobid 7 -w gx-7 dmesg",
        "lena@head:~$ ssh gx-7 dmesg",
        "$ ipmitool -I lanplus -H gx-7-bmc -U adm sel elist",
    ],
)
def test_a_file_that_begins_with_a_command_on_one_other_machine(command: str) -> None:
    lines = [read_line(line.decode()) for line in unwrap(f"{command}\nfirst\nsecond\n".encode()).split(b"\n")]
    assert [line.host for line in lines if line.message in ("first", "second")] == ["gx-7", "gx-7"]


def test_a_time_may_stand_behind_the_name_in_a_header() -> None:
    text = "== gx-a  18:05:48\nfirst\n== gx-b  18:05:49\nsecond\n"
    lines = [read_line(line.decode()) for line in unwrap(text.encode()).split(b"\n")]
    assert [line.host for line in lines if line.message in ("first", "second")] == ["gx-a", "gx-b"]
