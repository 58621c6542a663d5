"""Samples that nvidia-smi printed as CSV: each value gets the name of its column."""

from __future__ import annotations

import pytest

from analyzer.formats import read_line
from analyzer.formats.records.gpu_table import find_gpu_columns
from analyzer.formats.unwrap import unwrap_head

HEADER = "timestamp, name, temperature.gpu, clocks.current.sm [MHz], clocks_throttle_reasons.hw_thermal_slowdown\n"
ROW = "2026/07/08 12:29:14.431, NVIDIA RTX A5000, 93, 1292 MHz, Active\n"


def test_values_are_named_and_keep_their_time() -> None:
    text = HEADER + ROW + "Unable to determine the device handle\n"
    unwrapper, _ = unwrap_head(text.encode())
    assert unwrapper
    plain = (unwrapper.feed(text.encode()) + unwrapper.finish()).decode().splitlines()
    line = read_line(plain[1])
    assert line.stamps and line.message.endswith("clocks_throttle_reasons.hw_thermal_slowdown=Active")
    assert "temperature.gpu=93, clocks.current.sm=1292 MHz" in line.message
    assert plain[0] == HEADER.strip() and plain[2] == "Unable to determine the device handle"


@pytest.mark.parametrize(
    "head",
    [
        "timestamp, name, value\n",
        "the clocks.current.sm, name\n",
        "temperature.gpu\n",
        "",
        ",,,\n",
        ROW,
        "\n" * 9 + HEADER,
    ],
    ids=["no column of it", "a sentence", "one column", "nothing", "empty cells", "rows alone", "far below"],
)
def test_other_tables_are_not_taken_for_it(head: str) -> None:
    assert find_gpu_columns(head.encode()) is None


TYPED = "ana@head:~$ ssh n1 nvidia-smi --query-gpu=index,utilization.gpu,temperature.gpu --format=csv,noheader\n"


def read_plain(text: str) -> list[str]:
    unwrapper, _ = unwrap_head(text.encode())
    return ((unwrapper.feed(text.encode()) + unwrapper.finish()) if unwrapper else text.encode()).decode().splitlines()


def test_a_typed_command_names_the_columns_of_its_rows() -> None:
    plain = read_plain(TYPED + "0, 100 %, 61\n1, [N/A], 60\nready, steady, go\n")
    assert plain[1].endswith("index=0, utilization.gpu=100 %, temperature.gpu=61")
    assert plain[2].endswith("index=1, utilization.gpu=[N/A], temperature.gpu=60")
    assert plain[3].endswith("ready, steady, go")


def test_commands_that_ask_for_different_columns_name_none() -> None:
    other = TYPED.replace("index,utilization.gpu,temperature.gpu", "index,power.draw,memory.used")
    assert read_plain(TYPED + "0, 100 %, 61\n" + other + "0, 61 W, 200 MiB\n")[1].endswith("0, 100 %, 61")
