"""Records are found in a JSON document wherever they stand, by their shape; other documents are left alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.formats import read_line
from analyzer.formats.unwrap import choose_unwrapper

HEAD_BYTES = 65536
TIME = "2026-03-01T12:00:00Z"
NS = 1_795_226_776_000_000_000


def field(name: str, value: str) -> dict[str, str]:
    return {"field": name, "value": value}


def stream(pod: str, *times: int) -> dict[str, object]:
    return {
        "stream": {"pod": pod, "node_name": f"m-{pod}"},
        "values": [[str(NS + time * 10**9), f"line {time}"] for time in times],
    }


LOKI = {"status": "success", "data": {"resultType": "streams", "result": [stream("w-0", 9, 5, 1), stream("w-1", 8, 2)]}}
SOURCE = {"@timestamp": TIME, "message": "m", "kubernetes": {"pod": {"name": "w-0"}, "node": {"name": "n1"}}}
FIELDS = {"@timestamp": [TIME], "message": ["m"], "kubernetes.pod.name": ["w-0"], "kubernetes.node.name": ["n1"]}
COLUMNS = [{"name": "TimeGenerated"}, {"name": "Computer"}, {"name": "PodName"}, {"name": "LogMessage"}]
DOCUMENTS: dict[str, tuple[object, str]] = {
    "elasticsearch": ({"took": 5, "hits": {"total": {"value": 1}, "hits": [{"_source": SOURCE}]}}, "w-0 on n1"),
    "kibana": ({"rawResponse": {"hits": {"hits": [{"_index": "l", "fields": FIELDS}]}}}, "w-0 on n1"),
    "cloudwatch": ({"events": [{"logStreamName": "j/algo-1", "timestamp": NS // 10**6, "message": "m"}]}, "algo-1"),
    "insights": (
        {"results": [[field("@timestamp", TIME), field("@message", "m"), field("@logStream", "j/algo-2")]]},
        "algo-2",
    ),
    "splunk": ({"preview": False, "results": [{"_raw": "m", "_time": TIME, "host": "h1"}]}, "h1"),
    "splunk rows": ({"fields": ["_raw", "_time", "host"], "rows": [["m", TIME, "h1"]]}, "h1"),
    "graylog": (
        {"messages": [{"message": {"timestamp": TIME, "source": "hopper", "message": "m", "gl2_source_input": "1"}}]},
        "hopper",
    ),
    "gcloud": (
        {"entries": [{"textPayload": "m", "timestamp": TIME, "resource": {"labels": {"pod_name": "w-1"}}}]},
        "w-1",
    ),
    "datadog": (
        {"data": [{"attributes": {"timestamp": TIME, "host": "n1", "message": "m", "tags": ["pod_name:w-7"]}}]},
        "w-7 on n1",
    ),
    "azure": ({"tables": [{"columns": COLUMNS, "rows": [[TIME, "aks-1", "w-0", "m"]]}]}, "w-0 on aks-1"),
    "azure objects": (
        [{"TimeGenerated": TIME, "Computer": "aks-1", "PodName": "w-0", "LogEntry": "m"}],
        "w-0 on aks-1",
    ),
    "an object around": ({"logs": {"pod": "w-3", "lines": [{"ts": NS // 10**9, "msg": "m"}]}}, "w-3"),
}


def unwrap(text: str, blocks: Sequence[int] = ()) -> str:
    raw = text.encode()
    unwrapper = choose_unwrapper(raw[:HEAD_BYTES])
    if unwrapper is None:
        return text
    cuts = [0, *blocks, len(raw)]
    parts = [unwrapper.feed(raw[begin:end]) for begin, end in pairwise(cuts)]
    return (b"".join(parts) + unwrapper.finish()).decode()


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("indent", [None, 2])
def test_records_are_found_by_their_shape(name: str, indent: int | None) -> None:
    document, stream_name = DOCUMENTS[name]
    text = json.dumps(document, indent=indent) + "\n"
    plain = unwrap(text)
    assert plain.count("\n") == text.count("\n")
    lines = [read_line(line) for line in plain.replace("\r", "\n").splitlines() if line.strip()]
    assert [(line.stream, line.message) for line in lines if line.stream] == [(stream_name, "m")]
    assert lines[0].stamps


@pytest.mark.parametrize("name", DOCUMENTS)
def test_where_blocks_end_does_not_matter(name: str) -> None:
    text = json.dumps(DOCUMENTS[name][0], indent=1)
    assert unwrap(text, range(5, len(text), 5)) == unwrap(text)


@pytest.mark.parametrize("indent", [None, 2])
def test_streams_that_are_listed_one_after_the_other_are_in_one_order_of_time(indent: int | None) -> None:
    lines = [read_line(line) for line in unwrap(json.dumps(LOKI, indent=indent)).replace("\r", "\n").splitlines()]
    messages = [(line.stream, line.message) for line in lines if line.stream]
    assert messages == [
        ("w-0 on m-w-0", "line 1"),
        ("w-1 on m-w-1", "line 2"),
        ("w-0 on m-w-0", "line 5"),
        ("w-1 on m-w-1", "line 8"),
        ("w-0 on m-w-0", "line 9"),
    ]


def test_a_document_that_ends_too_early_gives_the_records_before_its_end() -> None:
    text = json.dumps(LOKI)
    plain = unwrap(text[: text.index("line 2") + 4])
    assert [f"line {time}" in plain for time in (9, 5, 1, 8)] == [True] * 4


def test_a_stream_longer_than_any_record_is_walked_through() -> None:
    result = [{"stream": {"pod": "w-0"}, "values": [[str(NS + at), "x" * 1000] for at in range(3000)]}]
    assert unwrap(json.dumps({"data": {"result": result}})).count("[pod/w-0/-]") == 3000


def test_records_of_several_lines_each_are_found_outside_of_arrays() -> None:
    text = "".join(json.dumps({"time": TIME, "msg": f"m{at}"}, indent=2) + "\n" for at in range(3))
    assert [line[-2:] for line in unwrap(text).splitlines() if line] == ["m0", "m1", "m2"]


@pytest.mark.parametrize(
    "document",
    [
        {"items": [{"kind": "Pod", "status": {"conditions": [{"message": "m", "lastTransitionTime": TIME}]}}]},
        {"runs": [{"results": [{"ruleId": "r", "level": "error", "message": {"text": "m"}}]}]},
        {"values": [[1, "a"], [2, "b"]]},
        {"columns": ["a", "b"], "rows": [[1, 2]]},
    ],
)
def test_other_documents_are_left_alone(document: object) -> None:
    for indent in (None, 1):
        text = json.dumps(document, indent=indent)
        assert unwrap(text) == text


_NAMES = st.sampled_from(["timestamp", "message", "values", "stream", "columns", "rows", "hits", "pod", "kind"])
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2 * 10**9) | st.sampled_from([TIME, "m\n", "\r", '"', "\ud800"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_NAMES, inner, max_size=4),
    max_leaves=20,
)


@given(_VALUES, st.sampled_from([None, 1]), st.integers(1, 50), st.integers(0, 400))
def test_any_document_keeps_its_number_of_lines(value: object, indent: int | None, block: int, missing: int) -> None:
    first = {"timestamp": TIME, "message": "m"}
    text = json.dumps([first, value], indent=indent) + "\n"
    text = text[: max(len(text) - missing, 60 if indent else 55)]
    plain = unwrap(text, range(block, len(text), block))
    assert plain.count("\n") == text.count("\n")
    assert plain == unwrap(text)


@pytest.mark.parametrize("hostile", ["[", '{"a":', '{"a":[', '"', "9" * 6000 + ",", '["1795226776000000000",'])
def test_hostile_documents_cost_time_in_proportion(hostile: str) -> None:
    text = f'[{{"timestamp": "{TIME}", "message": "m"}},' + hostile * (2_000_000 // len(hostile))
    assert unwrap(text, range(0, len(text), 1 << 16)).startswith(TIME)
