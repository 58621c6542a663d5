"""`make written`: prints how often the answers about the incidents of benchmarks/written are right, set by set."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from accuracy.corpus import measure_corpus
from accuracy.score import TOTALS, Score, add_up

SETS = Path(__file__).parents[1] / "written"


def main() -> None:
    parser = argparse.ArgumentParser(prog="accuracy.written", description=__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    for folder in sorted(path for path in SETS.iterdir() if path.is_dir()):
        sys.stdout.write(f"{folder.name}: {describe(list(measure_corpus(folder, options.jobs)))}\n")


def describe(scores: Sequence[Score]) -> str:
    """Return the totals of a set in one line, those that nothing was asked for left out."""
    totals = add_up(scores)
    shares = [f"{name} {totals[name][0]}/{totals[name][1]}" for name in TOTALS if totals[name][1]]
    return f"{len(scores)} incidents, " + ", ".join(shares)


if __name__ == "__main__":
    main()
