"""Each module does to runs or bundles what happens to real ones on their way; it is found by its name in this folder.

A module has `DISTURBANCES`, a tuple of `Disturbance`.
"""

from __future__ import annotations

import importlib
import pkgutil
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from accuracy.collectors import Collector, Files
from accuracy.runs import Run

# The kinds in the order in which they happen to a run and then to its files.
KINDS = (
    *("attempts", "neighbours", "herrings", "losses", "clocks", "zones", "stamps"),
    *("copies", "contents", "names", "beside", "packing"),
)


@dataclass(frozen=True)
class Case:
    """A run on its way into a bundle. `missing`: processes whose lines, end, core and all are not handed in."""

    run: Run
    collector: Collector
    missing: frozenset[str] = frozenset()

    def hand_in(self) -> Run:
        """What a collector gets to render: the run without what is missing and hosts that have nothing left."""
        if not self.missing:
            return self.run
        processes = tuple(process for process in self.run.processes if process.name not in self.missing)
        hosts = {process.host for process in processes}
        return self.run.replace(
            processes=processes,
            hosts=tuple(host for host in self.run.hosts if host.name in hosts),
            lines=tuple(line for line in self.run.lines if line.process not in self.missing),
            cores={name: core for name, core in self.run.cores.items() if name not in self.missing},
            samples=tuple(sample for sample in self.run.samples if sample.process not in self.missing),
        )


def _always(case: Case) -> bool:
    return True


@dataclass(frozen=True)
class Disturbance:
    """What happens to a run before it is collected (`change`), or to the files of its bundle afterwards (`spoil`).

    Neither edits the truth. What it takes away takes proofs away: a cause or culprit of which no proof is left in the
    bundle cannot be told (accuracy.tellable). `fits` says to which cases it can happen; `kind` keeps two of the same
    kind from being drawn together.
    """

    name: str
    kind: str
    change: Callable[[Case, random.Random], Case] | None = None
    spoil: Callable[[Files, Case, random.Random], Files] | None = None
    fits: Callable[[Case], bool] = _always


@cache
def load_disturbances() -> Mapping[str, Disturbance]:
    """By name."""
    disturbances: dict[str, Disturbance] = {}
    for module in sorted(info.name for info in pkgutil.iter_modules(__path__)):
        for disturbance in getattr(importlib.import_module(f"{__name__}.{module}"), "DISTURBANCES", ()):
            if disturbance.name in disturbances:
                raise ValueError(f"two disturbances are called {disturbance.name}")
            disturbances[disturbance.name] = disturbance
    return disturbances
