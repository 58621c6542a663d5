"""Innocent changes of the fixtures do not change their answers. `make stress` tries all; here is a third for each."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from .case import Case
from .judge import Analyzer
from .stamps import read, remove, shift
from .stress import TRANSFORMATIONS, attempt, prepare

FIXTURES = Path(__file__).parents[2] / "fixtures"
NAMES = sorted(path.parent.name for path in FIXTURES.glob("*/bundle.tar.gz"))
SHARE = 3  # every so manyth transformation of a fixture; which of them goes round
FLOOR = 0.97


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    return Analyzer()


def test_answers_survive(analyzer: Analyzer) -> None:
    wrong, tried = [], 0
    for number, name in enumerate(NAMES):
        case, wanted, unchanged = prepare(FIXTURES / name / "bundle.tar.gz", analyzer)
        if unchanged:
            continue  # the fixtures' own test says so
        for change in TRANSFORMATIONS[number % SHARE :: SHARE]:
            if trial := attempt(name, case, wanted, change, 0, analyzer):
                tried += 1
                wrong += [f"{trial.bundle}  {trial.transformation}: {trial.wrong}"] if trial.wrong else []
    assert tried > 5 * len(NAMES)
    assert len(wrong) <= (1 - FLOOR) * tried, "\n".join(wrong)


@pytest.mark.parametrize("change", TRANSFORMATIONS, ids=lambda change: change.__name__)
def test_a_change_is_the_same_for_the_same_seed_and_leaves_the_case_alone(change) -> None:  # type: ignore[no-untyped-def]
    log = b"".join(b"2026-11-21 08:00:%02d,500 INFO train: step %d on a-1\n" % (second, second) for second in range(20))
    kinds = {"worker.log": log, "dmesg.txt": b"[ 1.0] x\n"}
    files = {f"c/a-{n}/{name}": data for n in (1, 2, 3) for name, data in kinds.items()}
    nodes = ("a-1", "a-2", "a-3")
    case = Case(
        dict(files),
        {path: path.split("/")[1] for path in files},
        {path: "kernel" if "dmesg" in path else "worker" for path in files},
        frozenset({"a-1"}),
        ranks=nodes,
    )
    first, other = change(case, Random(7)), change(case, Random(7))
    assert first is not None
    assert first == other
    assert case.files == files
    assert change.__name__ == "shuffle_members" or first.files != files


STAMPED = [
    ("2026-11-21 08:00:59,500 INFO x", "2026-11-21 08:01:09,500 INFO x"),
    ("2026-11-21T23:59:59.123456789Z stderr F x", "2026-11-22T00:00:09.123456789Z stderr F x"),
    ("E0000 00:00:1795246669.918172   22 c.cc:1] x", "E0000 00:00:1795246679.918172   22 c.cc:1] x"),
    ("I1121 08:00:59.123456 7 c.cc:1] x", "I1121 08:01:09.123456 7 c.cc:1] x"),
    ("Sat Nov  7 23:59:59 2026<stderr>:x", "Sun Nov  8 00:00:09 2026<stderr>:x"),
    ("Nov  9 23:59:59 n-3 sshd[1]: x", "Nov 10 00:00:09 n-3 sshd[1]: x"),
    ("[08:00:59] x", "[08:01:09] x"),
    ("[  812.123456] x took 10:00:00", "[  812.123456] x took 10:00:00"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "later"), STAMPED)
def test_stamps_move_in_their_own_form(line: str, later: str) -> None:
    assert shift(line, 10) == later
    assert shift(later, -10) == line
    if (time := read(line)) is not None:
        assert read(later) == pytest.approx(time + 10)
        assert read(remove(line)) is None
