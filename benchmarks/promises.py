"""What is promised of speed, and whether the figures of this run keep it."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

RG1, RG2, PIPE = "ripgrep -j1, same patterns", "ripgrep -j2, same patterns", "gzip -dc, piped into rg"
WHOLE, SCAN, SCAN2 = "ours, whole analysis", "ours, scan only", "ours, scan only, two processes"
ISAL = "limit: isal alone"
Clock = Literal["CPU", "wall"]


@dataclass(frozen=True, slots=True)
class Timed:
    """What one contender took, in seconds, a figure for each run."""

    corpus: str
    name: str
    size: int  # bytes, uncompressed
    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    def seconds(self, clock: Clock) -> float:
        return statistics.median(self.cpu if clock == "CPU" else self.wall)

    def rate(self, clock: Clock) -> float:
        """MB/s."""
        return self.size / 1e6 / self.seconds(clock)


@dataclass(frozen=True, slots=True)
class Promise:
    """`ours` is at least `factor` times as fast as `theirs` on the same bytes."""

    corpus: str
    ours: str
    theirs: str
    factor: float
    clock: Clock


# One process is held against one by CPU time, which other people's load moves least; what both cores may work at, as a
# pipe of two programs does, by the clock on the wall.
PROMISES = (
    Promise("clean", SCAN, RG1, 1.3, "CPU"),
    Promise("noisy", SCAN, RG1, 1.2, "CPU"),
    Promise("uniform", SCAN, RG1, 1.3, "CPU"),
    Promise("clean", SCAN2, RG2, 1.2, "wall"),
    Promise("noisy", SCAN2, RG2, 1.2, "wall"),
    Promise("uniform", SCAN2, RG2, 1.2, "wall"),
    Promise("clean.tar.gz", SCAN, ISAL, 0.6, "wall"),
    Promise("clean.tar.gz", SCAN, PIPE, 2.5, "wall"),
    Promise("uniform.tar.gz", SCAN, PIPE, 2.5, "wall"),
    Promise("clean", WHOLE, SCAN, 0.6, "CPU"),
)
ASIDE = (  # not promised, and worth to know
    Promise("clean.tar.gz", WHOLE, ISAL, 0.6, "wall"),
    Promise("clean.tar.gz", WHOLE, PIPE, 2.5, "wall"),
    Promise("noisy", WHOLE, SCAN, 0.6, "CPU"),
)


def judge(found: Sequence[Timed]) -> str:
    """A table in Markdown; a promise whose rival is not installed is said not to be measured."""
    lines = ["| promise | by CPU | by the clock | asked | |", "|---|---:|---:|---:|---|"]
    lines += [_judge(promise, found, promised=True) for promise in PROMISES]
    lines += [_judge(promise, found, promised=False) for promise in ASIDE]
    return "\n".join(lines) + "\n"


def _judge(promise: Promise, found: Sequence[Timed], promised: bool) -> str:
    by_name = {(one.corpus, one.name): one for one in found}
    ours, theirs = (by_name.get((promise.corpus, name)) for name in (promise.ours, promise.theirs))
    text = f"| {promise.corpus}: {promise.ours.removeprefix('ours, ')} / {promise.theirs.removeprefix('ours, ')}"
    if ours is None or theirs is None:
        return f"{text} | | | {promise.factor} | not measured |"
    ratios: dict[Clock, float] = {clock: theirs.seconds(clock) / ours.seconds(clock) for clock in ("CPU", "wall")}
    met = "met" if ratios[promise.clock] >= promise.factor else "**not met**"
    cells = (f"**{ratio:.2f}**" if clock == promise.clock else f"{ratio:.2f}" for clock, ratio in ratios.items())
    return f"{text} | {' | '.join(cells)} | {f'{promise.factor} | {met}' if promised else '|'} |"
