"""What an analysis knows before it judges, of each hit: its rule's signal, its time, its node and its captures.

`scan.py INPUT [PROCESSES]`
"""

from __future__ import annotations

import gc
import sys
from pathlib import Path

from analyzer.assembly.assemble import assemble
from analyzer.cli import SELDOM
from analyzer.paths import cache_dir
from analyzer.pipeline import Options, read_all
from analyzer.reading import build_plan
from analyzer.rules.cache import load_packs


def main(given: str, processes: str = "1") -> None:
    gc.set_threshold(SELDOM)
    packs = load_packs((), cache_dir())
    intake = read_all([Path(given)], build_plan(packs, cache_dir()), Options(jobs=int(processes)), packs)
    assembly = assemble(intake.results, intake.cores, intake.others, packs)
    sys.stdout.write(f"{len(assembly.timeline.events)} events\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
