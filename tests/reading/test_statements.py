"""What programs state with whole numbers, and which member states another number than the others."""

from __future__ import annotations

import io

import pytest

from analyzer.facts.odd_numbers import find_odd_numbers
from analyzer.reading import ReadPlan, read_source
from analyzer.reading.source_result import SourceResult
from analyzer.reading.statements import read_numbers

TEXTS = {
    "bg12: /data/vars.yaml has 1,920 clips (lr=0.1)": ("#: # has # clips (lr=#)", (None, None, "1920", None)),
    "shape [256, 13], 1,284,110 parameters at 10:00:17.5": (
        "shape [#, #], # parameters at #",
        ("256", "13", "1284110", None),
    ),
    "files:36 rows=31, done.": ("files:# rows=#, done.", ("36", "31")),
    "開始 12 件": ("開始 # 件", ("12",)),
    "gx-7 speechlib 0.4.2, 3.5": ("# speechlib #, #", (None, "0.4.2", None)),
    "9" * 40: ("#", (None,)),
}


@pytest.mark.parametrize("text", TEXTS)
def test_numbers_are_told_from_names(text: str) -> None:
    assert read_numbers(text) == TEXTS[text]


def read(name: str, text: str, plan: ReadPlan) -> SourceResult:
    start = "2026-02-01 03:04:01,000 INFO tensorflow: Started server with target: grpc://x:2222\n"
    return read_source(f"{name}/fit.log", io.BytesIO((start + text).encode()), plan)


def odd(texts: dict[str, str], plan: ReadPlan) -> list[tuple[str, str, str]]:
    results = [read(name, text, plan) for name, text in texts.items()]
    numbers = find_odd_numbers(results, lambda file, _: file.partition("/")[0])
    return [(number.node, number.value, number.common) for number in numbers]


def line(text: str) -> str:
    return f"2026-02-01 03:04:02,000 INFO fit: {text}\n"


def test_the_odd_member_is_found(plan: ReadPlan) -> None:
    texts = {name: line(f"/srv/{name}/a.csv: {clips} clips") for name, clips in (("a", 40), ("b", 38), ("c", 40))}
    assert odd(texts, plan) == [("b", "38", "40")]


@pytest.mark.parametrize("clips", [(40, 38, 36), (40, 40, 40), (40, 38)], ids=["all differ", "all agree", "two"])
def test_there_need_not_be_an_odd_member(clips: tuple[int, ...], plan: ReadPlan) -> None:
    texts = {f"n{index}": line(f"reads {number} clips") for index, number in enumerate(clips)}
    assert odd(texts, plan) == []


def test_a_sign_for_a_number_may_stand_in_the_text(plan: ReadPlan) -> None:
    texts = {"a": line("batch # 40 of it"), "b": line("batch 7 40 of it"), "c": line("batch # 40 of it")}
    texts["d"] = line("batch # 41 of it")
    assert odd(texts, plan) == [("d", "41", "40")]


@pytest.mark.parametrize("name", ["oak", "elm"])
def test_the_name_of_the_member_may_stand_in_the_line(name: str, plan: ReadPlan) -> None:
    texts = {host: line(f"{host}: reads {38 if host == name else 40} clips") for host in ("oak", "elm", "ash")}
    assert odd(texts, plan) == [(name, "38", "40")]


def test_only_the_first_statement_of_a_form_counts(plan: ReadPlan) -> None:
    """Later ones count on: the members print them at different moments."""
    later_lines = line("41 clips were read")
    texts = {
        "a": line("40 clips were read") + later_lines,
        "b": line("40 clips were read"),
        "c": line("40 clips were read"),
    }
    assert odd(texts, plan) == []


def test_the_line_of_a_statement_is_known_behind_carriage_returns(plan: ReadPlan) -> None:
    text = "a\rb\r\n" + line("reads 7 clips")
    [statement] = [
        read_statement for read_statement in read("a", text, plan).statements if "clips" in read_statement.text
    ]
    assert statement.line == 3


def test_what_an_earlier_run_in_another_folder_stated_is_not_compared(plan: ReadPlan) -> None:
    """All ranks of a run write to one file, each behind its label."""
    start = "2026-02-01 03:04:01,000 INFO tensorflow: Started server with target: grpc://x:2222\n"

    def run(file: str, clips: tuple[int, ...]) -> SourceResult:
        lines = (
            f"[1,{rank}]<stdout>:{text}" for rank, n in enumerate(clips) for text in (start, line(f"reads {n} clips"))
        )
        return read_source(file, io.BytesIO("".join(lines).encode()), plan)

    results = [run("last/console.log", (38, 38, 38, 38)), run("console.log", (40, 40, 38, 40))]
    numbers = find_odd_numbers(results, lambda _, stream: f"n{stream}" if stream else "")
    assert [(number.node, number.locus.file, number.value) for number in numbers] == [("n2", "console.log", "38")]
