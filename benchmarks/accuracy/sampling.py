"""Draws cases: every fault, run and collector equally often, with as many disturbances as real bundles have."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from accuracy.collectors import Collector
from accuracy.disturbances import KINDS, Case, Disturbance
from accuracy.runs import Run

HEALTHY_SHARE = 1 / 6  # of all cases
DISTURBED = (0.3, 0.4, 0.3)  # with none, one, two disturbances
MAX_DISTURBANCE_TRIES = 20  # to find a disturbance that fits


@dataclass(frozen=True, slots=True)
class Draw:
    """All that makes a bundle: the same draw gives the same bytes."""

    run: str
    collector: str
    disturbances: tuple[str, ...]
    seed: int

    def __str__(self) -> str:
        return f"{self.run}/{self.collector}/{'+'.join(self.disturbances) or 'plain'}/{self.seed}"


def parse_draw(text: str) -> Draw:
    """Of what `str` gives. Raises ValueError."""
    run, collector, disturbances, seed = text.split("/")
    return Draw(run, collector, () if disturbances == "plain" else tuple(disturbances.split("+")), int(seed))


class Bag:
    """Draws names without putting back until all were drawn."""

    def __init__(self, names: Sequence[str], chance: random.Random) -> None:
        self._names, self._chance, self._left = names, chance, list[str]()

    def draw(self) -> str:
        if not self._left:
            self._left = self._chance.sample(self._names, len(self._names))
        return self._left.pop()


def draw_cases(
    runs: Mapping[str, Run],
    collectors: Mapping[str, Collector],
    disturbances: Mapping[str, Disturbance],
    number: int,
    seed: int,
) -> Iterator[Draw]:
    chance = random.Random(seed)
    by_fault: dict[str, list[str]] = {}
    for recorded_run in runs.values():
        by_fault.setdefault(recorded_run.fault, []).append(recorded_run.name)
    bags = {fault: Bag(sorted(names), chance) for fault, names in by_fault.items()}
    faults = Bag(sorted(by_fault.keys() - {"none"}) or ["none"], chance)
    platforms = Bag(sorted(collectors), chance)
    changes = Bag(sorted(disturbances), chance) if disturbances else None
    for _ in range(number):
        fault = "none" if "none" in by_fault and chance.random() < HEALTHY_SHARE else faults.draw()
        run, collector = bags[fault].draw(), platforms.draw()
        wanted = chance.choices(range(len(DISTURBED)), DISTURBED)[0] if changes else 0
        case = Case(runs[run], collectors[collector])
        chosen = _choose(case, disturbances, changes.draw, wanted) if changes else ()
        yield Draw(run, collector, chosen, chance.randrange(10**6))


def _choose(
    case: Case, disturbances: Mapping[str, Disturbance], draw: Callable[[], str], wanted: int
) -> tuple[str, ...]:
    """Of different kinds, in the order in which they happen."""
    chosen: dict[str, str] = {}
    for _ in range(MAX_DISTURBANCE_TRIES):
        if len(chosen) == wanted:
            break
        name = draw()
        if disturbances[name].fits(case):
            chosen.setdefault(disturbances[name].kind, name)
    return tuple(chosen[kind] for kind in sorted(chosen, key=KINDS.index))
