"""The field of JSON records that names their writer is learned; fields of other things are not."""

from __future__ import annotations

import json

import pytest

from analyzer.formats import read_line
from analyzer.formats.unwrap import unwrap_head


def writers_of(records: list[dict[str, object]], indent: int | None = None) -> set[str | None]:
    text = json.dumps(records, indent=indent) if indent else "".join(json.dumps(record) + "\n" for record in records)
    _, plain = unwrap_head(text.encode())
    lines = (read_line(line.decode()) for line in plain.split(b"\n"))
    return {line.stream or line.host for line in lines if "loss" in line.message}


def records(key: str, values: list[object]) -> list[dict[str, object]]:
    return [
        {"t": 1793002000.5 + at, key: values[at % len(values)], "msg": f"step {at} loss 0.5"}
        for at in range(10 * len(values))
    ]


@pytest.mark.parametrize("key", ["from", "who", "proc", "unit", "worker"])
def test_names_of_writers(key: str) -> None:
    assert writers_of(records(key, ["gx-7", "gx-8", "gx-9"])) == {"gx-7", "gx-8", "gx-9"}
    assert writers_of(records(key, ["gx-7", "gx-8"]), indent=1) == {"gx-7", "gx-8"}


def test_names_without_numbers_that_the_text_states() -> None:
    named = records("who", ["tyr", "freya"])
    named[0]["msg"], named[1]["msg"] = "serving at grpc://tyr:2222 loss", "serving at grpc://freya:2222 loss"
    assert writers_of(named) == {"tyr", "freya"}


@pytest.mark.parametrize(("key", "values"), [("rank", [0, 1]), ("worker_id", ["0", "1"]), ("process_index", [0, 1])])
def test_ranks(key: str, values: list[object]) -> None:
    assert writers_of(records(key, values)) == {"0", "1"}


def test_records_of_a_job_whose_text_lies_deeper() -> None:
    nested = [
        {
            "timestamp": 1793002000.5 + at,
            "name": "data",
            "context": {"rank": str(at % 2), "data": f"step {at} loss 1\n"},
        }
        for at in range(20)
    ]
    assert writers_of(nested) == {"0", "1"}


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("device", ["gpu-0", "gpu-1"]),
        ("thread", ["pool-1", "pool-2"]),
        ("step", [1, 2]),
        ("epoch", ["epoch-1", "epoch-2"]),
        ("rank", [0]),
        ("color", ["red", "blue"]),
    ],
)
def test_other_fields_name_nobody(key: str, values: list[object]) -> None:
    assert writers_of(records(key, values)) <= {None, ""}


def test_a_usual_name_counts_more() -> None:
    both = [{**record, "hostname": f"tyr-{at % 2}"} for at, record in enumerate(records("rank", [0, 1]))]
    assert writers_of(both) == {"tyr-0", "tyr-1"}
