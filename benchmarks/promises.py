"""What is promised of speed, and whether the figures of this run keep it."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

RG1, RG2, PIPE = "ripgrep -j1, same patterns", "ripgrep -j2, same patterns", "gzip -dc, piped into rg"
ANALYSIS, BARE, BARE2 = "ours, whole analysis", "ours, patterns only", "ours, patterns only, two processes"
SCAN, SCAN2 = "ours, scan", "ours, scan, two processes"  # with signal, time, node and captures of each hit
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


FACTORS = {"clean": 1.3, "noisy": 1.2, "uniform": 1.3}
# The scan is held to each promise as it is asked for, with what it tells of each hit, and as the patterns alone.
# One process is held against one by CPU time, which other people's load moves least; what both cores may work at, as a
# pipe of two programs does, by the clock on the wall.
PROMISES = (
    *(Promise(corpus, ours, RG1, factor, "CPU") for corpus, factor in FACTORS.items() for ours in (SCAN, BARE)),
    *(Promise(corpus, ours, RG2, 1.2, "wall") for corpus in FACTORS for ours in (SCAN2, BARE2)),
    *(Promise("clean.tar.gz", ours, ISAL, 0.6, "wall") for ours in (SCAN, BARE)),
    *(
        Promise(corpus, ours, PIPE, 2.5, "wall")
        for corpus in ("clean.tar.gz", "uniform.tar.gz")
        for ours in (SCAN, BARE)
    ),
    *(Promise("clean", ANALYSIS, ours, 0.6, "CPU") for ours in (SCAN, BARE)),
)
ASIDE = (  # not promised, and worth to know
    Promise("clean.tar.gz", ANALYSIS, ISAL, 0.6, "wall"),
    Promise("clean.tar.gz", ANALYSIS, PIPE, 2.5, "wall"),
    Promise("noisy", ANALYSIS, SCAN, 0.6, "CPU"),
)


def judge(timings: Sequence[Timed]) -> str:
    """A table in Markdown; a promise whose rival is not installed is said not to be measured."""
    lines = ["| promise | by CPU | by the clock | asked | |", "|---|---:|---:|---:|---|"]
    lines += [_judge(promise, timings, promised=True) for promise in PROMISES]
    lines += [_judge(promise, timings, promised=False) for promise in ASIDE]
    return "\n".join(lines) + "\n"


def _judge(promise: Promise, timings: Sequence[Timed], promised: bool) -> str:
    by_name = {(timing.corpus, timing.name): timing for timing in timings}
    ours, theirs = (by_name.get((promise.corpus, name)) for name in (promise.ours, promise.theirs))
    text = f"| {promise.corpus}: {promise.ours.removeprefix('ours, ')} / {promise.theirs.removeprefix('ours, ')}"
    if ours is None or theirs is None:
        return f"{text} | | | {promise.factor} | not measured |"
    ratios: dict[Clock, float] = {clock: theirs.seconds(clock) / ours.seconds(clock) for clock in ("CPU", "wall")}
    met = "met" if ratios[promise.clock] >= promise.factor else "**not met**"
    cells = (f"**{ratio:.2f}**" if clock == promise.clock else f"{ratio:.2f}" for clock, ratio in ratios.items())
    return f"{text} | {' | '.join(cells)} | {f'{promise.factor} | {met}' if promised else '|'} |"
