"""`core` beside what else reads a core: pystack, eu-stack and gdb, in turns, in one run, as ratios.

    PYTHONPATH=.:benchmarks python benchmarks/crashes.py CORE... [--runs 7] [--slow 1]

The executables are those that the cores name. What is not on PATH or fails is left out. gdb takes most of a minute for
a core of TensorFlow, and eu-stack longer for a deep recursion: they have fewer runs, and a minute each.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from results import machine

from analyzer.core_dump import CoreDetail
from analyzer.cores import read_core
from benchmarks.cores.peers import ToolRun, run_tool

GDB = ["gdb", "-q", "-nx", "-batch", "-ex", "set pagination off", "-ex", "thread apply all bt"]


@dataclass(slots=True)
class CoreReader:
    """A program that reads one core, with its runs; the first reader of each core is ours."""

    core: Path
    name: str
    command: Sequence[str]
    runs: list[ToolRun] = field(default_factory=list)

    @property
    def cpu(self) -> float:
        return statistics.median(run.cpu for run in self.runs)

    @property
    def memory(self) -> float:
        return statistics.median(run.memory for run in self.runs)


def list_readers(core: Path) -> list[CoreReader]:
    program = str(read_core(core, detail=CoreDetail(threads="crashing")).executable)
    commands = {
        "ours": ["tf-postmortem", "core", str(core)],
        "ours, --json -": ["tf-postmortem", "core", str(core), "--json", "-"],
        "pystack --native-all": ["pystack", "core", "--native-all", str(core), program],
        "pystack": ["pystack", "core", str(core), program],
        "eu-stack": ["eu-stack", "-n", "0", "--core", str(core)],
        "gdb": [*GDB, program, str(core)],
    }
    return [CoreReader(core, name, command) for name, command in commands.items()]


def print_table(readers: Sequence[CoreReader]) -> None:
    sys.stdout.write("| core | MB | who | CPU s | CPU, theirs / ours | memory, MB |\n|---|---:|---|---:|---:|---:|\n")
    for reader in readers:
        ours = next(other for other in readers if other.core == reader.core)
        ratio = reader.cpu / ours.cpu if ours.cpu else float("nan")
        size = reader.core.stat().st_size / 1e6
        sys.stdout.write(
            f"| {reader.core.parent.name} | {size:,.0f} | {reader.name} | {reader.cpu:.2f} | {ratio:.1f} "
            f"| {reader.memory:,.0f} |\n"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cores", type=Path, nargs="+", help="each in a folder that names it")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--slow", type=int, default=1, help="runs of gdb and eu-stack")
    chosen = parser.parse_args()
    # What is installed has its bytecode; a checkout has it from here on.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    readers = [reader for core in chosen.cores for reader in list_readers(core)]
    for turn in range(chosen.runs):
        for reader in readers:
            if reader.name not in ("gdb", "eu-stack") or turn < chosen.slow:
                reader.runs.append(run_tool(reader.command))
    sys.stdout.write(f"{machine()}; medians of {chosen.runs} runs in turns.\n\n")
    print_table([reader for reader in readers if any(run.output for run in reader.runs)])


if __name__ == "__main__":
    main()
