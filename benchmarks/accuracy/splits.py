"""What may be fitted on, and what only measures: decided once by a hash of the name, so that nobody chooses.

A fault, a program or a collector is held out by its name. A case of which any of the three is held out only measures.
"""

from __future__ import annotations

import hashlib
from typing import Literal

from accuracy.runs import Run

Part = Literal["develop", "measure"]
ONE_IN = 4  # of each is held out, so that some 40 % of all cases are there to develop on


def is_held_out(sort: Literal["fault", "program", "collector"], name: str) -> bool:
    return int(hashlib.sha256(f"{sort}:{name}".encode()).hexdigest(), 16) % ONE_IN == 0


def part_of(run: Run, collector: str) -> Part:
    held = is_held_out("fault", run.fault) and run.fault != "none"
    held = held or is_held_out("program", run.program) or is_held_out("collector", collector)
    return "measure" if held else "develop"
