"""What an analysis knows before it judges, of each hit: its rule's signal, its time, its node and its captures.

`scan.py INPUT [PROCESSES]`
"""

from __future__ import annotations

import gc
import sys
from pathlib import Path

from analyzer.assembly.assemble import assemble
from analyzer.cli import GC_THRESHOLD_OBJECTS
from analyzer.paths import cache_dir
from analyzer.pipeline import Options, read_inputs
from analyzer.reading import build_plan
from analyzer.rules.packs.cache import load_packs


def main(given: str, processes: str = "1") -> None:
    gc.set_threshold(GC_THRESHOLD_OBJECTS)
    packs = load_packs((), cache_dir())
    intake = read_inputs([Path(given)], build_plan(packs, cache_dir()), Options(jobs=int(processes)), packs)
    assembly = assemble(intake.results, intake.cores, intake.other_sources, packs)
    sys.stdout.write(f"{len(assembly.timeline.events)} events\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
