"""`core` beside what else reads a core: pystack, eu-stack and gdb, in turns, in one run, as ratios.

    PYTHONPATH=benchmarks python benchmarks/crashes.py CORE... [--runs 7] [--slow 1]

The executables are those that the cores name. What is not on PATH is left out. gdb takes most of a minute for a core
of TensorFlow, and eu-stack longer for a deep recursion: they have fewer runs, and a minute each.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench import Contender, machine

from analyzer.core_dump import CoreDetail
from analyzer.cores import read_core

GDB = ["gdb", "-q", "-nx", "-batch", "-ex", "set pagination off", "-ex", "thread apply all bt"]


def contenders(core: Path) -> Iterator[Contender]:
    name, size = core.parent.name, core.stat().st_size
    program = str(read_core(core, detail=CoreDetail(threads="crashing")).executable)
    commands = {
        "ours": ["tf-postmortem", "core", str(core)],
        "ours, --json -": ["tf-postmortem", "core", str(core), "--json", "-"],
        "pystack --native-all": ["pystack", "core", "--native-all", str(core), program],
        "pystack": ["pystack", "core", str(core), program],
        "eu-stack": ["eu-stack", "-n", "0", "--core", str(core)],
        "gdb": [*GDB, program, str(core)],
    }
    for who, command in commands.items():
        if shutil.which(command[0]):
            yield Contender(name, who, ["timeout", "60", *command], size)


def table(found: Sequence[Contender]) -> str:
    lines = ["| core | MB | who | CPU, theirs / ours | wall clock, theirs / ours |", "|---|---:|---|---:|---:|"]
    for one in found:
        ours = next(other for other in found if other.corpus == one.corpus)
        cpu = statistics.median(one.cpu) / statistics.median(ours.cpu)
        wall = statistics.median(one.wall) / statistics.median(ours.wall)
        lines.append(f"| {one.corpus} | {one.size / 1e6:,.0f} | {one.name} | {cpu:.2f} | {wall:.2f} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cores", type=Path, nargs="+", help="each in a folder that names it")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--slow", type=int, default=1, help="runs of gdb and eu-stack")
    chosen = parser.parse_args()
    os.environ.pop(
        "PYTHONDONTWRITEBYTECODE", None
    )  # what is installed has its bytecode; a checkout has it from here on
    found = [one for core in chosen.cores for one in contenders(core)]
    for turn in range(chosen.runs):
        for one in found:
            if one.name not in ("gdb", "eu-stack") or turn < chosen.slow:
                one.run()
    sys.stdout.write(f"{machine()}; medians of {chosen.runs} runs in turns.\n\n{table([o for o in found if o.cpu])}")


if __name__ == "__main__":
    main()
