"""Rotation order and safe names."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.bundle import group_rotations, rotation_key
from analyzer.bundle.names import make_printable, normalize_name, why_unsafe

SERIES = [
    ["n/w.log.10.zst", "n/w.log.2.gz", "n/w.log.1", "n/w.log"],
    ["w.log-20240102.gz", "w.log-20240103", "w.log"],
    ["0.log.20240102-101112.gz", "0.log.20240103-000000", "0.log"],
    ["w.2.log", "w.1.log", "w.log"],
    ["syslog.2.gz", "syslog.1", "syslog"],
    ["w-2024-01-02.log", "w-2024-01-03.log", "w.log"],
    ["w.log.1704153600", "w.log.1704240000", "w.log"],
]


@pytest.mark.parametrize("series", SERIES, ids=lambda series: series[-1])
def test_rotation_order(series: list[str]) -> None:
    shuffled = random.Random(1).sample(series, len(series))
    assert sorted(shuffled, key=rotation_key) == series
    assert {rotation_key(path)[0] for path in series} == {series[-1]}
    assert group_rotations(shuffled) == [series]


def test_numbers_that_are_no_rotation() -> None:
    alone = ["worker.0.log", "worker.1.log", "rank.0", "rank.1", "core.4242", "core.4243", "core.python.99", "a/w.log"]
    assert sorted(group_rotations(alone)) == sorted([path] for path in alone)
    assert group_rotations(["w.log.2", "w.log.1.gz"]) == [["w.log.2", "w.log.1.gz"]]
    assert rotation_key("core.4242") != rotation_key("core.4243")


@given(st.lists(st.sampled_from([path for series in SERIES for path in series]), unique=True))
def test_groups_hold_each_path_once(paths: list[str]) -> None:
    assert sorted(path for group in group_rotations(paths) for path in group) == sorted(paths)


@given(st.text())
def test_names_are_safe_to_print(name: str) -> None:
    printable = make_printable(normalize_name(name))
    assert not any(char in printable for char in "\n\r\x1b\u202e\u2028\udcff\0")
    printable.encode()
    assert why_unsafe(normalize_name(name)) or not normalize_name(name).startswith("/")
