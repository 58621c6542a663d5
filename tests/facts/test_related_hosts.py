"""Hosts in paths that no line states: named as known hosts are, or by the end of a host's name."""

from __future__ import annotations

import pytest

from analyzer.facts.path_labels import label_paths
from analyzer.facts.related_hosts import find_relatives, find_whole_names

KNOWN = frozenset({"gn-5-09", "gn-5-09.lab.example", "10.0.3.7", "worker-0", "hopper"})


@pytest.mark.parametrize(
    ("part", "names"),
    [
        ("gn-5-08_kjernelogg", {"gn-5-08"}),
        ("logg fra gn-12-1", {"gn-12-1"}),
        ("GN-5-08", {"gn-5-08"}),
        ("gn-5-08b_x", set()),
        ("agn-5-08", set()),
        ("gn-5", set()),
        ("worker-1_x", set()),  # a task is told by its own name
        ("10.0.3.8", set()),  # an address has no letters
        ("noether", set()),
    ],
)
def test_a_name_that_differs_in_numbers_is_a_host(part: str, names: set[str]) -> None:
    assert find_relatives([("sak", part)], KNOWN) == names


def test_without_a_numbered_host_nothing_is_one() -> None:
    assert find_relatives([("gn-5-08",)], frozenset({"hopper", "ps-1"})) == frozenset()


@pytest.mark.parametrize(
    ("known", "names"),
    [
        ({"bay-gpu03", "bay-gpu04.lab.example"}, {"gpu03": "bay-gpu03", "gpu04": "bay-gpu04"}),
        ({"bay-gpu03", "pier-gpu03"}, {}),  # nobody knows which
        ({"bay-gpu03", "gpu03"}, {}),  # it is a host of its own
        ({"bert-worker-3", "bay-alpha", "x-7b"}, {}),
    ],
)
def test_the_last_part_of_a_name_may_stand_for_it(known: set[str], names: dict[str, str]) -> None:
    assert find_whole_names(frozenset(known)) == names


def test_paths_are_labelled_by_related_hosts() -> None:
    paths = ["gn-5-08_kjernelogg.txt", "oppgave0_siste500.txt", "spy_5-09.txt"]
    assert label_paths(paths, KNOWN)["gn-5-08_kjernelogg.txt"] == "gn-5-08"
    labels = label_paths(["out_bay-gpu01.last5", "out_bay-gpu03.last5", "pyspy_gpu03.txt"], frozenset({"bay-gpu01"}))
    assert list(labels.values()) == ["bay-gpu01", "bay-gpu03", "bay-gpu03"]
