"""Files that name one machine in several ways are joined by the numbered word that they share."""

from __future__ import annotations

from time import process_time

import pytest

from analyzer.facts.numbered_labels import join_numbered_labels


def join(**labels: str | None) -> dict[str, str | None]:
    paths = {name.replace("__", "/"): label for name, label in labels.items()}
    return dict(join_numbered_labels(paths, frozenset({"north", "south"})))


def test_an_inventory_number_joins_a_console_and_a_log() -> None:
    joined = join(QT62_north="north", QT62_sol="QT62", QT77_south="south", note="note")
    assert joined == {"QT62_north": "north", "QT62_sol": "north", "QT77_south": "south", "note": "note"}


def test_short_names_join_folders_and_files() -> None:
    joined = join(hub_gpu3_jupyter="hub_gpu3", nb_gpu3__x="nb_gpu3", hub_gpu1_jupyter="hub_gpu1", nb_gpu1__x="nb_gpu1")
    assert set(joined.values()) == {"nb_gpu3", "nb_gpu1"}


def test_ids_of_allocations_are_dropped() -> None:
    assert set(join(a="3f2a90bc_gx-b2", b="81c0de77_gx-a1").values()) == {"gx-b2", "gx-a1"}


@pytest.mark.parametrize(
    "labels",
    [
        {"a": "rank0_gpu1", "b": "rank1_gpu1", "c": "rank2_gpu1"},  # one machine
        {"a": "gpu1", "b": "gpu2", "c": "gpu3"},  # nothing to join
        {"a": "gpu1_cn7", "b": "gpu1_cn8", "c": "gpu2_cn7", "d": "gpu2_cn8"},  # two ways to divide them
        {"a": "alpha", "b": "beta", "c": None},
        {"a": "3f2a90bc_x", "b": "81c0de77_x"},  # the rest is the same
    ],
)
def test_other_labels_stay(labels: dict[str, str | None]) -> None:
    assert dict(join_numbered_labels(labels)) == labels


def test_many_labels_with_forms_of_their_own_take_linear_time() -> None:
    def seconds(count: int) -> float:
        names = ["".join(chr(97 + int(digit)) for digit in str(number)) + "7" for number in range(count)]
        labels, hosts = {f"{name}/x": name for name in names}, frozenset(names)
        spent = []
        for _ in range(3):
            began = process_time()
            join_numbered_labels(labels, hosts)
            spent.append(process_time() - began)
        return min(spent)

    assert seconds(16_000) < 12 * seconds(4_000) + 0.05


def test_numbers_of_runs_join_no_pods() -> None:
    labels = {f"bert-r{run}-worker-{index}" for run in (13, 14) for index in (0, 1)}
    assert set(join_numbered_labels({f"{label}.log": label for label in labels}).values()) == labels


def test_hosts_that_are_known_stay_apart() -> None:
    labels = {"oak7-a", "oak7-b", "oak9-a", "oak9-b"}
    assert set(join_numbered_labels({label: label for label in labels}, frozenset(labels)).values()) == labels
