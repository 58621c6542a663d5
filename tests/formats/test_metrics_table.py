"""Tables of metrics by machine become lines that name each value, whatever language their header has."""

from __future__ import annotations

import pytest

from analyzer.formats import read_line
from analyzer.formats.records.metrics_table import find_metrics_table
from analyzer.formats.unwrap import unwrap_head

HEADER = "maquina{0}hora{0}cpu_user{0}cpu_steal{0}mem_gb\n"
ROWS = "".join(
    f"oak{number % 2}{{0}}2026-02-01 03:00:{number:02}{{0}}{number}.5{{0}}{80 + number}{{0}}2.{number}\n"
    for number in range(10)
)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_values_are_named_and_belong_to_a_machine(delimiter: str) -> None:
    text = (HEADER + ROWS).format(delimiter)
    unwrapper, _ = unwrap_head(text.encode())
    assert unwrapper
    plain = (unwrapper.feed(text.encode()) + unwrapper.finish()).decode().splitlines()
    line = read_line(plain[2])
    assert line.stamps and "oak1" in plain[2]
    assert line.message == "metrics: cpu_user=1.5, cpu_steal=81, mem_gb=2.1"
    assert len(plain) == text.count("\n") and plain[0] == HEADER.format(delimiter).strip()


@pytest.mark.parametrize(("title", "name"), [("worker", "worker-1"), ("rank", "worker-1"), ("ps_id", "ps-1")])
def test_the_writers_may_be_tasks_by_their_numbers(title: str, name: str) -> None:
    rows = "".join(
        f"2026-02-01T03:00:{number:02}+09:00,{number % 2},{number // 2},{number}.5,{80 + number}\n"
        for number in range(10)
    )
    text = f"ts,{title},step,compute_ms,collective_ms\n{rows}"
    unwrapper, _ = unwrap_head(text.encode())
    assert unwrapper
    plain = (unwrapper.feed(text.encode()) + unwrapper.finish()).decode().splitlines()
    assert plain[2].startswith(f"[pod/{name}/-] ")
    assert plain[2].endswith("metrics: step=0, compute_ms=1.5, collective_ms=81")


@pytest.mark.parametrize(
    "text",
    [
        HEADER,
        (HEADER + ROWS).replace("2026-02-01 03:00:0", "soon"),
        HEADER + "".join(row.replace(".5", " ms more") for row in ROWS.splitlines(keepends=True)),
        "epoch{0}loss{0}accuracy{0}val_loss\n" + "".join(f"{n}{{0}}0.{n}{{0}}0.5{{0}}0.7\n" for n in range(1, 9)),
        ROWS,
    ],
    ids=["a header alone", "no time", "words", "no time column", "no header"],
)
def test_other_tables_are_not_taken_for_it(text: str) -> None:
    assert find_metrics_table(text.format(",").encode()) is None
