"""`make bench-kinds`: the whole analysis beside ripgrep and grep, on each kind of log that a training job writes.

A ratio says how many times as fast this program reads as the other, in CPU seconds (user and system, of the process and
its children), which other people's load moves least. Ripgrep and grep get 192 patterns: `--patterns FILE`, or else as
many of ours, evenly spaced, in the form of the automaton. Each command runs several times, in turns; the least counts.
The worst kind comes first. `--quick` leaves out what takes most of the time; its cells are empty.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench import HERE, MB, OURS, RG, compile_patterns, write_patterns
from job_logs import KINDS, write_logs
from results import write_section

DEFAULT_PATTERN_COUNT = 192
LIMIT_S = 600  # of a run; what takes longer is stopped, and its figure is what it is at best
LONG_S = 30  # what takes longer runs once
HEAD = (
    "kind of log",
    "MB",
    "ours / rg, 192 patterns",
    "ours / rg, our patterns",
    "ours / grep, 192 patterns",
    "ours / limit",
    "ours, MB/s",
    "rg, 192 patterns, MB/s",
    "limit, MB/s",
    "our peak, MB",
)


@dataclass(slots=True)
class CommandRuns:
    """The CPU seconds of the runs of one command, and the largest peak of resident memory in bytes."""

    command: Sequence[str]
    seconds: list[float] = field(default_factory=list)
    peak: int = 0

    def run(self, cache: Path) -> None:
        environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "LC_ALL": "C"}
        process = subprocess.Popen(
            ("timeout", str(LIMIT_S * 5), *self.command),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
        )
        errors = process.stderr.read() if process.stderr else b""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1, 124):  # 1: no line matches; 124: `timeout` stopped it
            sys.exit(
                f"{' '.join(self.command)}: ended with {process.returncode}: {errors.decode(errors='replace')[-500:]}"
            )
        self.seconds.append(usage.ru_utime + usage.ru_stime)
        self.peak = max(self.peak, usage.ru_maxrss * 1024)

    @property
    def best(self) -> float:
        return min(self.seconds)


@dataclass(frozen=True, slots=True)
class KindComparison:
    """One kind of log, `size` bytes of it, and who reads it. `limit`: the bytes alone, from the page cache or gzip."""

    kind: str
    size: int
    ours: CommandRuns
    rg: CommandRuns
    rg_ours: CommandRuns | None
    grep: CommandRuns | None
    limit: CommandRuns

    @property
    def runs(self) -> tuple[CommandRuns, ...]:
        return tuple(runs for runs in (self.ours, self.rg, self.rg_ours, self.grep, self.limit) if runs)

    @property
    def ratio(self) -> float:
        return self.rg.best / self.ours.best

    def row(self) -> str:
        def ratio(other: CommandRuns | None) -> str:
            return "" if other is None else f"{other.best / self.ours.best:.2f}"

        rates = (f"{self.size / MB / runs.best:,.0f}" for runs in (self.ours, self.rg, self.limit))
        cells = (
            self.kind,
            f"{self.size / MB:,.0f}",
            f"**{ratio(self.rg)}**",
            ratio(self.rg_ours),
            ratio(self.grep),
            f"{self.limit.best / self.ours.best:.3f}",
            *rates,
            f"{self.ours.peak / MB:,.0f}",
        )
        return f"| {' | '.join(cells)} |"


def compare_folder(kind: str, logs: Path, patterns: Path, own_patterns: Path) -> KindComparison:
    given, size = str(logs), sum(path.stat().st_size for path in logs.rglob("*") if path.is_file())
    return KindComparison(
        kind,
        size,
        ours=CommandRuns((*OURS, "--jobs", "1", given)),
        rg=CommandRuns((*RG, str(patterns), "-a", "-j1", given)),
        rg_ours=CommandRuns((*RG, str(own_patterns), "-a", "-j1", given)),
        grep=CommandRuns(("grep", "-aEcr", "-f", str(patterns), given)),
        limit=CommandRuns(("sh", "-c", f"find {given} -type f -exec cat {{}} +")),
    )


def compare_archive(kind: str, logs: Path, patterns: Path, own_patterns: Path) -> KindComparison:
    archive = logs.with_suffix(".tar.gz")
    subprocess.run(f"tar -C {logs.parent} -cf - {logs.name} | gzip -3 > {archive}", shell=True, check=True)
    size = sum(path.stat().st_size for path in logs.rglob("*") if path.is_file())

    def piped(file: Path) -> CommandRuns:
        return CommandRuns(("sh", "-c", f"gzip -dc {archive} | {' '.join(RG)} {file} -a -j1 -"))

    return KindComparison(
        f"{kind}, tar.gz beside gzip and rg, limit isal",
        size,
        ours=CommandRuns((*OURS, "--jobs", "1", str(archive))),
        rg=piped(patterns),
        rg_ours=piped(own_patterns),
        grep=None,
        limit=CommandRuns((sys.executable, str(HERE / "inflate.py"), str(archive))),
    )


def choose_patterns(own_patterns: Path, number: int = DEFAULT_PATTERN_COUNT) -> Path:
    """Write `number` of the patterns, evenly spaced, to a file of their own."""
    patterns = own_patterns.read_text().splitlines()
    chosen = [patterns[index * len(patterns) // number] for index in range(number)]
    path = own_patterns.with_name("192-patterns.txt")
    path.write_text("\n".join(chosen) + "\n")
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="Where the logs are made.")
    parser.add_argument("--size", type=int, default=256, help="MB of each kind")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--patterns", type=Path, help="a file of patterns of the field, one a line")
    parser.add_argument("--given", type=Path, nargs="*", default=[], help="folders of logs that others made")
    parser.add_argument("--quick", action="store_true", help="without ripgrep with our patterns and without grep")
    parser.add_argument("--only", nargs="*", help="words of the kinds to run; then RESULTS.md stays as it is")
    chosen = parser.parse_args()
    folder = chosen.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    cache = compile_patterns(folder)
    own_patterns = write_patterns(folder)
    patterns = chosen.patterns.resolve() if chosen.patterns else choose_patterns(own_patterns)
    compared: list[KindComparison] = []
    folders = [(path.name, path.resolve()) for path in chosen.given]
    for number, kind in enumerate(KINDS):
        if not chosen.only or any(word in kind for word in chosen.only):
            folders.append((kind, write_logs(folder / f"kind-{number}", kind, chosen.size * MB)))
    for kind, logs in folders:
        pairs = [compare_folder(kind, logs, patterns, own_patterns)]
        if logs.parent == folder and kind.startswith("mixed"):
            pairs.append(compare_archive(kind, logs, patterns, own_patterns))
        if chosen.quick:
            pairs = [replace(pair, rg_ours=None, grep=None) for pair in pairs]
        for comparison in pairs:
            for turn in range(chosen.runs):
                for runs in comparison.runs:
                    if not turn or runs.best < LONG_S:
                        runs.run(cache)
            sys.stdout.write(comparison.row() + "\n")
            sys.stdout.flush()
        compared += pairs
        if logs.parent == folder:
            shutil.rmtree(logs)
    compared.sort(key=lambda comparison: comparison.ratio)
    rows = "\n".join(comparison.row() for comparison in compared)
    table = f"| {' | '.join(HEAD)} |\n|---|{'---:|' * (len(HEAD) - 1)}\n{rows}\n"
    whose = "given ones" if chosen.patterns else "of ours, evenly spaced"
    if not chosen.only:
        text = (
            f"{chosen.size} MB of each kind. The 192 patterns are {whose}. {(__doc__ or '').partition(chr(10) * 2)[2]}"
        )
        write_section("Speed by kind of log", f"{text.strip()}\n\n{table}")


if __name__ == "__main__":
    main()
