"""A word that stands beside the names of several machines in names of files is a kind of file."""

from __future__ import annotations

import pytest

from analyzer.facts.file_kinds import join_file_kinds


def join(*names: str) -> list[str | None]:
    return list(join_file_kinds({f"{number}/{name}": name for number, name in enumerate(names)}).values())


@pytest.mark.parametrize("separator", "-_. ")
def test_the_word_may_stand_at_either_end(separator: str) -> None:
    names = ("hopper", "noether", f"hopper{separator}inspekt", f"noether{separator}inspekt")
    assert join(*names) == ["hopper", "noether"] * 2
    names = ("hopper", "noether", f"protokoll{separator}hopper", f"protokoll{separator}noether")
    assert join(*names) == ["hopper", "noether"] * 2


def test_numbered_words_may_stand_before_the_machines() -> None:
    assert join("hop-a5", "noe-3t", "bert-0_hop-a5", "bert-1_noe-3t") == ["hop-a5", "noe-3t"] * 2


@pytest.mark.parametrize(
    "names",
    [
        ("bert", "bert.alpha", "bert.beta"),  # two writers of one job
        ("n", "n-1", "n-2"),
        ("worker-1", "worker-1-7", "worker-2", "worker-2-7"),
        ("hopper-a", "hopper-b", "noether-a", "noether-b"),  # machines or kinds: nobody can tell
        ("hopper", "hopper-a"),
    ],
)
def test_other_names_are_left_alone(names: tuple[str, ...]) -> None:
    assert join(*names) == list(names)


def test_it_takes_linear_time_in_the_number_of_names() -> None:
    names = [name for number in range(5_000) for name in (f"n{number}", f"n{number}.dump")]
    assert set(join(*names)) == {f"n{number}" for number in range(5_000)}
