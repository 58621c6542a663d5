"""Files that name one machine in several ways are joined by the numbered word that they share."""

from __future__ import annotations

import pytest

from analyzer.facts.numbered_labels import join_numbered_labels


def join(**labels: str | None) -> dict[str, str | None]:
    paths = {name.replace("__", "/"): label for name, label in labels.items()}
    return dict(join_numbered_labels(paths, frozenset({"dgx-north", "dgx-south"})))


def test_an_inventory_number_joins_a_console_and_a_log() -> None:
    joined = join(QT62_north="dgx-north", QT62_sol="QT62", QT77_south="dgx-south", note="note")
    assert joined == {"QT62_north": "dgx-north", "QT62_sol": "dgx-north", "QT77_south": "dgx-south", "note": "note"}


def test_short_names_join_folders_and_files() -> None:
    joined = join(
        jhub_gpu3_jupyter="jhub_gpu3", nb_gpu3__x="nb_gpu3", jhub_gpu1_jupyter="jhub_gpu1", nb_gpu1__x="nb_gpu1"
    )
    assert set(joined.values()) == {"nb_gpu3", "nb_gpu1"}


def test_ids_of_allocations_are_dropped() -> None:
    assert set(join(a="169009b8_nmd-b04", b="378892e9_nmd-a03").values()) == {"nmd-b04", "nmd-a03"}


@pytest.mark.parametrize(
    "labels",
    [
        {"a": "rank0_gpu1", "b": "rank1_gpu1", "c": "rank2_gpu1"},  # one machine
        {"a": "gpu1", "b": "gpu2", "c": "gpu3"},  # nothing to join
        {"a": "gpu1_cn7", "b": "gpu1_cn8", "c": "gpu2_cn7", "d": "gpu2_cn8"},  # two ways to divide them
        {"a": "alpha", "b": "beta", "c": None},
        {"a": "169009b8_x", "b": "378892e9_x"},  # the rest is the same
    ],
)
def test_other_labels_stay(labels: dict[str, str | None]) -> None:
    assert dict(join_numbered_labels(labels)) == labels
