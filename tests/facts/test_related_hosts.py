"""Hosts in paths that no line states: named as known hosts are, or by the end of a host's name."""

from __future__ import annotations

import pytest

from analyzer.facts.path_labels import label_paths
from analyzer.facts.related_hosts import find_relatives, find_whole_names

KNOWN_HOSTS = frozenset({"kx-3-07", "kx-3-07.lab.example", "10.0.3.7", "worker-0", "hopper"})


@pytest.mark.parametrize(
    ("part", "names"),
    [
        ("kx-3-04_jadro", {"kx-3-04"}),
        ("z uzlu kx-12-1", {"kx-12-1"}),
        ("KX-3-04", {"kx-3-04"}),
        ("kx-3-04b_x", set()),
        ("akx-3-04", set()),
        ("kx-3", set()),
        ("worker-1_x", set()),  # a task is told by its own name
        ("10.0.3.8", set()),  # an address has no letters
        ("noether", set()),
    ],
)
def test_a_name_that_differs_in_numbers_is_a_host(part: str, names: set[str]) -> None:
    assert find_relatives([("data", part)], KNOWN_HOSTS) == names


def test_without_a_numbered_host_nothing_is_one() -> None:
    assert find_relatives([("kx-3-04",)], frozenset({"hopper", "ps-1"})) == frozenset()


@pytest.mark.parametrize(
    ("known_hosts", "names"),
    [
        ({"bay-gpu2", "bay-gpu4.lab.example"}, {"gpu2": "bay-gpu2", "gpu4": "bay-gpu4"}),
        ({"bay-gpu2", "pier-gpu2"}, {}),  # nobody knows which
        ({"bay-gpu2", "gpu2"}, {}),  # it is a host of its own
        ({"bert-worker-3", "bay-alpha", "x-7b"}, {}),
    ],
)
def test_the_last_part_of_a_name_may_stand_for_it(known_hosts: set[str], names: dict[str, str]) -> None:
    assert find_whole_names(frozenset(known_hosts)) == names


def test_paths_are_labelled_by_related_hosts() -> None:
    paths = ["kx-3-04_jadro.txt", "vystup0_konec.txt", "spy_3-07.txt"]
    assert label_paths(paths, KNOWN_HOSTS)["kx-3-04_jadro.txt"] == "kx-3-04"
    labels = label_paths(["out_bay-gpu1.last5", "out_bay-gpu2.last5", "spy_gpu2.txt"], frozenset({"bay-gpu1"}))
    assert list(labels.values()) == ["bay-gpu1", "bay-gpu2", "bay-gpu2"]
