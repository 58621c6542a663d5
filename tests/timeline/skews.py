"""Clusters whose clocks are known to be wrong, as their logs would show them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

EPOCH = 1_700_000_000.0


@dataclass(frozen=True, slots=True)
class Cluster:
    """`step` is the step time in seconds, `noise` the deviation of a line's writing, `lost` the share of lost lines.

    A clock shows `true + lead(true)`: its offset, its drift, and from `set_at` (0..1 of the run) on what it was set by.
    """

    nodes: tuple[str, ...]
    steps: int = 60
    step: float = 1.7
    noise: float = 0.02
    lost: float = 0.2
    offsets: dict[str, float] = field(default_factory=dict)
    drifts: dict[str, float] = field(default_factory=dict)
    set_by: dict[str, float] = field(default_factory=dict)
    set_at: float = 0.5

    @property
    def end(self) -> float:
        return self.steps * self.step

    def lead(self, node: str, true: float) -> float:
        was_set = self.set_by.get(node, 0.0) if true >= self.set_at * self.end else 0.0
        return self.offsets.get(node, 0.0) + self.drifts.get(node, 0.0) * true + was_set

    def shows(self, node: str, true: float) -> float:
        return EPOCH + true + self.lead(node, true)

    def readings(self, random: Random) -> dict[str, dict[str, float]]:
        """Steps that all pass together. Some lines are late (stragglers), one in a hundred is far off, one node is late
        often."""
        tardy = random.choice(self.nodes)
        return {
            f"step {step}": {
                node: self.shows(node, step * self.step) + self._late(node == tardy, random)
                for node in self.nodes
                if random.random() >= self.lost
            }
            for step in range(self.steps)
        }

    def _late(self, tardy: bool, random: Random) -> float:
        late = random.gauss(0, self.noise)
        if random.random() < (0.2 if tardy else 0.05):
            late += random.expovariate(1)
        return late + (random.uniform(-60, 60) if random.random() < 0.01 else 0.0)


def draw(random: Random) -> Cluster:
    """Two to twelve nodes; clocks up to an hour off and drifting up to 200 parts per million, or right."""
    nodes = tuple(f"n{number}" for number in range(random.randint(2, 12)))
    return Cluster(
        nodes,
        steps=random.randint(8, 200),
        step=random.choice([0.1, 1.7, 30.0]),
        noise=random.choice([0.002, 0.02, 0.2]),
        offsets={node: random.uniform(-3600, 3600) for node in nodes if random.random() < 0.4},
        drifts={node: random.uniform(-200e-6, 200e-6) for node in nodes if random.random() < 0.5},
    )


Lead = Callable[[float], float]


def apart(cluster: Cluster, leads: tuple[Lead, Lead], node: str, other: str, true: float) -> float:
    """How far the found difference of two clocks is from the true one, in seconds, at a true time."""
    lead = leads[0](cluster.shows(node, true)) - leads[1](cluster.shows(other, true))
    return abs(lead - (cluster.lead(node, true) - cluster.lead(other, true)))
