"""How the cost of a whole analysis grows with bytes, nodes, hits and rules, in CPU seconds of a process of its own.

A start costs what it costs whatever the input, so that of an empty input is taken off. Each row is the median of
several runs, taken in turns.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from corpus import write_corpus
from results import write_section

MB = 1_000_000
ALL_RULES = 1000
HEAD = ("input", "bytes", "nodes", "hits", "CPU", "without the start", "against clean")


@dataclass(slots=True)
class GrowthMeasurement:
    name: str
    logs: Path
    size: int  # bytes
    nodes: int
    hits: int
    rules: Sequence[str] = ()
    cpu: list[float] = field(default_factory=list)

    def run(self) -> None:
        command = [sys.executable, "-m", "analyzer", "analyze", "-q", "--jobs", "1", *self.rules, str(self.logs)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{' '.join(command)}: ended with {process.returncode}")
        self.cpu.append(used.ru_utime + used.ru_stime)


def corpus(folder: Path, name: str, size: int, share: float, nodes: int) -> GrowthMeasurement:
    shutil.rmtree(folder / name, ignore_errors=True)
    logs = write_corpus(folder / name, size, share, nodes)
    files = list(logs.rglob("*.log"))
    lines = sum(path.read_bytes().count(b"\n") for path in files)
    return GrowthMeasurement(name, logs, sum(path.stat().st_size for path in files), nodes, round(lines * share))


def write_rules(folder: Path) -> Path:
    """A pack that makes the rules ALL_RULES in all; each looks for words of its own and catches a path."""
    from analyzer.rules.load import load_packs

    chance, names = random.Random(5), set[str]()
    while len(names) < ALL_RULES - len(load_packs(trust=True).rules):
        names.add("".join(chance.choice("bdfgklmnprstvz") + chance.choice("aeiou") for _ in range(4)))
    rules = [
        f"  - id: {name}\n    cause: grown.{name}\n    role: cause\n    severity: error\n"
        f"    match: '{name} (?:refused|could not open) (?P<path>[^ ]+) after \\d+ s'\n    title: {name} failed\n"
        for name in sorted(names)
    ]
    file = folder / "grown.yaml"
    file.write_text("pack: grown\nversion: 1.0.0\nrules:\n" + "".join(rules))
    return file


def rows(folder: Path, size: int) -> list[GrowthMeasurement]:
    folder.mkdir(parents=True, exist_ok=True)
    empty = corpus(folder, "a start", 1000, 0.0, 1)
    base = corpus(folder, "clean", size, 0.001, 16)
    more = GrowthMeasurement(
        "clean, 1,000 rules", base.logs, base.size, 16, base.hits, ("--rules", str(write_rules(folder)))
    )
    start = GrowthMeasurement("a start, 1,000 rules", empty.logs, empty.size, 1, 0, more.rules)
    return [
        empty,
        base,
        corpus(folder, "twice the bytes", 2 * size, 0.001, 16),
        corpus(folder, "four times the bytes", 4 * size, 0.001, 16),
        corpus(folder, "four times the nodes", size, 0.001, 64),
        corpus(folder, "sixteen times the nodes", size, 0.001, 256),
        corpus(folder, "5 % of the lines match", size, 0.05, 16),
        start,
        more,
    ]


def table(measurements: Sequence[GrowthMeasurement]) -> str:
    starts = {bool(row.rules): statistics.median(row.cpu) for row in measurements if row.name.startswith("a start")}
    base = next(row for row in measurements if row.name == "clean")
    unit = statistics.median(base.cpu) - starts[False]
    text = f"{_cells(*HEAD)}{_cells('---', *['---:'] * (len(HEAD) - 1))}"
    for row in measurements:
        cpu = statistics.median(row.cpu)
        net = cpu - starts[bool(row.rules)]
        figures = ("", "") if row.name.startswith("a start") else (f"{net:.2f} s", f"{net / unit:.2f}")
        text += _cells(row.name, f"{row.size / MB:,.0f} MB", str(row.nodes), f"{row.hits:,}", f"{cpu:.2f} s", *figures)
    noisy = next(row for row in measurements if row.name.startswith("5 %"))
    hit_cost_s = (statistics.median(noisy.cpu) - statistics.median(base.cpu)) / (noisy.hits - base.hits)
    return f"{text}\nA hit costs {hit_cost_s * 1e6:.1f} µs, a clean megabyte {unit / base.size * MB * 1e3:.1f} ms.\n"


def _cells(*texts: str) -> str:
    return f"| {' | '.join(texts)} |\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--size", type=int, default=100, help="MB of the clean corpus")
    parser.add_argument("--runs", type=int, default=3)
    chosen = parser.parse_args()
    measurements = rows(chosen.folder, chosen.size * MB)
    for row in measurements:
        row.run()  # fills the caches
        row.cpu.clear()
    for _ in range(chosen.runs):
        for row in measurements:
            row.run()
    section = table(measurements)
    sys.stdout.write(section)
    write_section(
        "Growth", f"CPU of a whole analysis in one process, medians of {chosen.runs} runs in turns.\n\n{section}"
    )


if __name__ == "__main__":
    main()
