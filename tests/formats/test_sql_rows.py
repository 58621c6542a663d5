"""Log records in a dump of a database are lines of their machine, time and program."""

from __future__ import annotations

import pytest

from analyzer.formats import read_line
from analyzer.formats.records.sql_rows import find_sql_rows
from analyzer.formats.unwrap import choose_unwrapper, unwrap_head

ROWS = [
    (number, f"2026-11-24 10:33:{10 + number}", f"elm{number % 2}", text, program)
    for number, (text, program) in enumerate(
        [
            ("link of the first port is up again", "kernel:"),
            ("session of somebody\\'s was closed (it was old)", "sshd[7]:"),
            ("step 3, loss 0.5; next comes 4", "trainer[77]:"),
            ("peer ''worker 1'' is lost\\nand gone", "trainer[78]:"),
        ]
        * 2
    )
]
TUPLES = [
    f"({number},'{time}','{time}',3,6,'{host}',' {text}','{program}')" for number, time, host, text, program in ROWS
]
HEAD = "-- MySQL dump 10.19\n\nINSERT INTO `SystemEvents` VALUES "


@pytest.mark.parametrize("between", [",\n", ","], ids=["a line each", "all on one line"])
def test_rows_are_lines_of_their_machines(between: str) -> None:
    content = f"{HEAD}{between.join(TUPLES)};\n".encode()
    _, text = unwrap_head(content)
    lines = [read_line(segment.decode()) for segment in text.replace(b"\r", b"\n").split(b"\n")]
    events = [line for line in lines if line.host]
    assert [line.host for line in events] == [host for _, _, host, _, _ in ROWS]
    assert [line.stamps[0].value % 60 for line in events] == list(range(10, 18))
    assert [line.logger for line in events][:3] == ["kernel", "sshd", "trainer"]
    assert events[1].message == "session of somebody's was closed (it was old)"
    assert events[3].message == "peer 'worker 1' is lost"


def test_rows_keep_the_lines_of_the_file() -> None:
    content = (HEAD + ",\n".join(TUPLES) + ";\n").encode()
    unwrapper = choose_unwrapper(content)
    assert unwrapper
    assert (unwrapper.feed(content) + unwrapper.finish()).count(b"\n") == content.count(b"\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "INSERT INTO x\n",
        "INSERT INTO runs VALUES (1,2,3),(4,5,6),(7,8,9),(1,2,3),(4,5,6);\n",
        "INSERT INTO x VALUES ('never closed\n" * 3,
        "(" * 1000 + "\n",
    ],
)
def test_other_dumps_are_no_logs(text: str) -> None:
    assert find_sql_rows(text.encode()) is None
