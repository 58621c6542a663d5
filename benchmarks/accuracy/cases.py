"""From a draw to the files of a bundle, and what can still be told from them."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from accuracy.collectors import Files, load_collectors
from accuracy.disturbances import Case, load_disturbances
from accuracy.identities import Identities
from accuracy.runs import Run, Scope
from accuracy.sampling import Draw
from accuracy.tellable import find_tellable


@dataclass(frozen=True, slots=True)
class Bundle:
    files: Files
    tellable: frozenset[Scope]
    culprits: frozenset[str]  # by every name that hosts, tasks and the bundle give to them


def build(draw: Draw, runs: Mapping[str, Run]) -> Bundle:
    """Raises KeyError for a name that nothing has."""
    chance = random.Random(str(draw))
    case = Case(runs[draw.run], load_collectors()[draw.collector])
    changes = [load_disturbances()[name] for name in draw.disturbances]
    for disturbance in changes:
        if disturbance.change:
            case = disturbance.change(case, chance)
    identities = Identities(case.run)
    files = case.collector.render(case.hand_in(), identities, chance)
    for disturbance in changes:
        if disturbance.spoil:
            files = disturbance.spoil(files, case, chance)
    spoilt = any(disturbance.spoil for disturbance in changes)
    return Bundle(files, find_tellable(case, files if spoilt else None), _names(case, identities))


def _names(case: Case, identities: Identities) -> frozenset[str]:
    names: set[str] = set()
    for process in case.run.tasks:
        if process.task in case.run.truth.culprits:
            names |= {process.host, process.task, process.name, *case.collector.names(identities, process)}
    return frozenset(names)


def write(files: Files, folder: Path) -> None:
    """Names that are no UTF-8 stand in `files` as Python's file names do (PEP 383)."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
