"""Tracebacks: those that this Python prints, and TensorFlow's by their format."""

from __future__ import annotations

import traceback
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.formats.traceback import RootError, TracebackFrame, read_traceback

HEAD = "Traceback (most recent call last):"


def printed_by(function: Callable[[], object]) -> list[str]:
    try:
        function()
    except Exception as failure:  # noqa: BLE001
        return "".join(traceback.format_exception(failure)).rstrip("\n").split("\n")
    raise AssertionError("it did not fail")


def fail_twice() -> None:
    try:
        {}["missing"]
    except KeyError as failure:
        raise ValueError("first\nsecond") from failure


def fail_while_handling() -> None:
    try:
        fail_twice()
    except ValueError:
        _ = 1 / 0


def fail_in_a_group() -> None:
    members: list[Exception] = []
    for function in (fail_twice, fail_while_handling):
        try:
            function()
        except Exception as failure:  # noqa: BLE001
            failure.__context__ = failure.__cause__ = None
            members.append(failure)
    raise ExceptionGroup("both", members)


def test_one_exception() -> None:
    lines = printed_by(lambda: int("x"))
    trace = read_traceback([*lines, "", "next line", "another"])
    assert trace is not None
    assert (trace.type, trace.message) == ("ValueError", "invalid literal for int() with base 10: 'x'")
    assert trace.lines == len(lines)
    assert trace.user_frame is not None
    assert trace.user_frame.file == __file__


def test_chained_exceptions_keep_their_order() -> None:
    lines = printed_by(fail_while_handling)
    trace = read_traceback(lines)
    assert trace is not None
    assert [(exception.type, exception.relation) for exception in trace.exceptions] == [
        ("KeyError", ""),
        ("ValueError", "cause"),
        ("ZeroDivisionError", "context"),
    ]
    assert trace.exceptions[1].detail == ("first", "second")
    assert [frame.function for frame in trace.exceptions[1].frames] == ["fail_while_handling", "fail_twice"]
    assert trace.lines == len(lines)


def test_groups() -> None:
    lines = printed_by(fail_in_a_group)
    begin = next(at for at, line in enumerate(lines) if "Group Traceback" in line)
    trace = read_traceback([*lines[begin:], "after"])
    assert trace is not None
    assert [exception.type for exception in trace.exceptions] == ["ValueError", "ZeroDivisionError", "ExceptionGroup"]
    assert trace.lines == len(lines) - begin


def test_quoted() -> None:
    trace = read_traceback([f"> {HEAD}", '>   File "a.py", line 3, in f', ">     g()", "> a.b.CustomError: m"])
    assert trace is not None
    assert (trace.type, trace.user_frame) == ("a.b.CustomError", TracebackFrame("a.py", 3, "f"))


def test_cut_off() -> None:
    trace = read_traceback([HEAD, '  File "a.py", line 3, in f', "    g()"])
    assert trace is not None
    assert (trace.type, trace.user_frame) == ("", TracebackFrame("a.py", 3, "f"))


def test_ends_at_a_line_with_a_prefix() -> None:
    trace = read_traceback([HEAD, '  File "a.py", line 3, in f', "ValueError: m", "more", "INFO:root:next"])
    assert trace is not None
    assert trace.lines == 4


GRAPH = [
    HEAD,
    '  File "/srv/train.py", line 31, in <module>',
    "    model.fit(data)",
    '  File "/opt/lib/python3.11/site-packages/keras/src/utils/traceback_utils.py", line 70, in error_handler',
    "    raise e.with_traceback(filtered_tb) from None",
    "tensorflow.python.framework.errors_impl.UnavailableError: Graph execution error:",
    "",
    "Detected at node 'model/Sum' defined at (most recent call last):",
    '    File "/srv/train.py", line 20, in step',
    "",
    "Node: 'model/Sum'",
    "Collective ops is aborted by: Socket closed",
    "The error could be from a previous operation. Restart your program to reset.",
    "\t [[{{node model/Sum}}]] [Op:__inference_step_42]",
    "not of it",
]


def test_graph_execution_error() -> None:
    trace = read_traceback(GRAPH)
    assert trace is not None
    last = trace.last
    assert last.reason == "Collective ops is aborted by: Socket closed"
    assert last.graph_frames == (TracebackFrame("/srv/train.py", 20, "step"),)
    assert trace.user_frame == TracebackFrame("/srv/train.py", 31, "<module>")
    assert trace.lines == len(GRAPH) - 1


def test_root_errors_stay_apart() -> None:
    trace = read_traceback(
        [
            *GRAPH[:11],
            "2 root error(s) found.",
            "  (0) RESOURCE_EXHAUSTED:  OOM when allocating tensor",
            "\t [[{{node model/Sum}}]]",
            "  (1) CANCELLED:  RecvAsync is cancelled.",
            "0 successful operations.",
        ]
    )
    assert trace is not None
    assert trace.last.roots == (
        RootError("RESOURCE_EXHAUSTED", "OOM when allocating tensor"),
        RootError("CANCELLED", "RecvAsync is cancelled."),
    )
    assert trace.last.reason == "OOM when allocating tensor"


@pytest.mark.parametrize(
    ("path", "library"),
    [
        ("/srv/train.py", False),
        ("/home/me/keras/train.py", False),
        ("train.py", False),
        ("<stdin>", False),
        ("/usr/lib/python3.11/threading.py", True),
        ("/opt/conda/lib/python3.11/site-packages/x/y.py", True),
        ("/usr/local/lib/python3/dist-packages/tensorflow/python/ops.py", True),
        ("<frozen importlib._bootstrap>", True),
        ("<__array_function__ internals>", True),
        ("/tmp/__autograph_generated_filex.py", True),
    ],
)
def test_whose_frame(path: str, library: bool) -> None:
    assert TracebackFrame(path, 1, "f").is_library is library


PARTS = sorted({*GRAPH, *printed_by(fail_while_handling), *printed_by(fail_in_a_group),
                "  (0) A: b", "(0)",
                })  # fmt: skip


@given(st.lists(st.sampled_from(PARTS) | st.text(max_size=30), max_size=30))
def test_never_raises_and_counts_within(lines: list[str]) -> None:
    for head in (HEAD, "  + Exception Group " + HEAD):
        trace = read_traceback([head, *lines])
        assert trace is None or 1 <= trace.lines <= len(lines) + 1


def test_nothing_to_read() -> None:
    for lines in ([], [""], ["ValueError: x"], ["step 12"]):
        assert read_traceback(lines) is None
