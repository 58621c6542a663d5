"""How many bundles keep their answer under each transformation.

    python -m tests.metamorphic.stress BUNDLE... [--seed N] [--seeds N] [--only NAME]

A bundle's right answer is read from `expected.json` or `NAME.truth.yaml` beside it; without either, what the unchanged
bundle gives must stay. A bundle whose unchanged answer is wrong is named and takes no part. Exits 1 below `--floor`.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from .case import Case, Transformation
from .clocks import CLOCKS
from .judge import Analyzer, Wanted, answer_of, describe, find_wrong, load, read_wanted
from .members import MEMBERS
from .names import NAMES
from .wraps import WRAPS

TRANSFORMATIONS = (*CLOCKS, *NAMES, *WRAPS, *MEMBERS)


@dataclass(frozen=True, slots=True)
class Trial:
    """One transformation of one bundle; `wrong` says in words what changed, None where the answer survived."""

    bundle: str
    transformation: str
    wrong: str | None


def prepare(bundle: Path, analyzer: Analyzer) -> tuple[Case, Wanted, str | None]:
    """The case, its right answer, and what is wrong with the unchanged one."""
    case = load(bundle)
    incident = analyzer.analyze(case)
    answer = answer_of(incident)
    wanted = read_wanted(bundle) or Wanted(frozenset({answer.cause} if answer.cause else ()), frozenset({answer.node}))
    case = describe(case, incident, wanted)
    return case, wanted, find_wrong(answer, wanted, case)


def attempt(
    name: str, case: Case, wanted: Wanted, change: Transformation, seed: int, analyzer: Analyzer
) -> Trial | None:
    """None where the transformation does not apply. The same seed gives the same change."""
    changed = change(case, Random(f"{name} {change.__name__} {seed}"))
    if changed is None:
        return None
    wrong = find_wrong(answer_of(analyzer.analyze(changed)), wanted, changed)
    return Trial(name, change.__name__, f"{wrong} (seed {seed}; {changed.extra})" if wrong else None)


def run(bundles: Iterable[Path], seeds: Iterable[int], only: str = "") -> Iterator[Trial]:
    analyzer = Analyzer()
    for bundle in bundles:
        name = bundle.parent.name if bundle.name == "bundle.tar.gz" else bundle.name
        case, wanted, wrong = prepare(bundle, analyzer)
        yield Trial(name, "unchanged", wrong)
        if wrong:
            continue
        for change in TRANSFORMATIONS:
            if only in change.__name__:
                for seed in seeds:
                    if trial := attempt(name, case, wanted, change, seed, analyzer):
                        yield trial


def summarize(trials: Iterable[Trial]) -> Iterator[str]:
    total, good = Counter[str](), Counter[str]()
    for trial in trials:
        total[trial.transformation] += 1
        good[trial.transformation] += trial.wrong is None
    for name in total:
        yield f"{name:28} {good[name]:5} of {total[name]:5}  {good[name] / total[name]:7.1%}"
    changed = [name for name in total if name != "unchanged"]
    survived, tried = sum(good[name] for name in changed), sum(total[name] for name in changed)
    yield f"{'all transformations':28} {survived:5} of {tried:5}  {survived / max(1, tried):7.1%}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundles", nargs="+", type=Path, metavar="BUNDLE")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--seeds", type=int, default=1, help="how many seeds each")
    parser.add_argument("--only", default="", help="transformations whose name holds this")
    parser.add_argument("--floor", type=float, default=0.0, help="least share of survivors, 0..1")
    options = parser.parse_args()
    trials: list[Trial] = []
    for trial in run(options.bundles, range(options.seed, options.seed + options.seeds), options.only):
        trials.append(trial)
        if trial.wrong:
            print(f"{trial.bundle}  {trial.transformation}: {trial.wrong}", flush=True)
    print(*summarize(trials), sep="\n")
    changed = [trial for trial in trials if trial.transformation != "unchanged"]
    return int(sum(trial.wrong is None for trial in changed) < options.floor * len(changed))


if __name__ == "__main__":
    sys.exit(main())
