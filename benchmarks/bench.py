"""`make bench`: this program beside what else could read the same bytes, in one run, as ratios.

Every command is run several times, in turns, so that a machine that slows down slows all of them. The figure is the
median of the CPU seconds (user and system, with children), which other people's load moves least, and of the clock on
the wall.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from corpus import pack, write_corpus, write_junk
from results import write_section

HERE = Path(__file__).parent
MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Contender:
    """`command` reads `size` bytes of uncompressed log; `stdin` feeds it from another command."""

    corpus: str
    name: str
    command: Sequence[str]
    size: int
    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    def run(self) -> None:
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.wall.append(time.perf_counter() - start)
        self.cpu.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)

    def rate(self, seconds: Sequence[float]) -> float:
        return self.size / MB / statistics.median(seconds)


def contenders(folder: Path, size: int) -> list[Contender]:
    ours = [sys.executable, "-m", "analyzer", "analyze", "-q"]
    scan = [sys.executable, str(HERE / "scan_only.py")]
    patterns = str(write_patterns(folder))
    rg = ["rg", "--no-unicode", "--regex-size-limit", "20G", "--dfa-size-limit", "20G", "-c", "-f", patterns]
    found: list[Contender] = []
    for name, share, part in (("clean", 0.001, size), ("noisy", 0.05, size // 4)):
        logs = write_corpus(folder / name, part, share)
        total = sum(path.stat().st_size for path in logs.rglob("*.log"))
        files = " ".join(str(path) for path in sorted(logs.rglob("*.log")))
        found += [
            Contender(name, "ours, whole analysis", [*ours, "--jobs", "1", str(logs)], total),
            Contender(name, "ours, two processes", [*ours, "--jobs", "2", str(logs)], total),
            Contender(name, "ours, scan only", [*scan, str(logs)], total),
            Contender(name, "ours, scan only, two processes", [*scan, str(logs), "2"], total),
            Contender(name, "ripgrep -j1, same patterns", [*rg, "-j1", str(logs)], total),
            Contender(name, "ripgrep -j2, same patterns", [*rg, "-j2", str(logs)], total),
            Contender(name, "limit: read", ["sh", "-c", f"cat {files}"], total),
            Contender(name, "limit: count newlines", ["sh", "-c", f"wc -l {files}"], total),
        ]
        if name == "clean":
            archives = pack(logs)
            gz, zst = archives["tar.gz"], archives["tar.zst"]
            found += [
                Contender("clean.tar", "ours", [*ours, str(archives["tar"])], total),
                Contender("clean.tar.gz", "ours", [*ours, str(gz)], total),
                Contender(
                    "clean.tar.gz", "limit: isal alone", [sys.executable, str(HERE / "inflate.py"), str(gz)], total
                ),
                Contender(
                    "clean.tar.gz",
                    "gzip -dc, piped into rg",
                    ["sh", "-c", f"gzip -dc {gz} | {' '.join(rg)} -j1 -"],
                    total,
                ),
                Contender("clean.tar.zst", "ours", [*ours, str(zst)], total),
                Contender("clean.tar.zst", "limit: zstd -dc", ["zstd", "-qdc", str(zst)], total),
            ]
    junk = write_junk(folder / "junk", size // 8)
    total = sum(path.stat().st_size for path in junk.iterdir())
    found.append(Contender("junk", "ours, whole analysis", [*ours, "--jobs", "1", str(junk)], total))
    found.append(
        Contender("junk", "ripgrep -j1 (given up after 60 s)", ["timeout", "60", *rg, "-a", "-j1", str(junk)], total)
    )
    return [one for one in found if shutil.which(one.command[0])]


def write_patterns(folder: Path) -> Path:
    """The built-in packs' patterns in the form that the automaton gets, which other engines understand too."""
    from analyzer.rules.load import load_packs
    from analyzer.scan.widen import widen

    folder.mkdir(parents=True, exist_ok=True)
    all_widened = (widen(pattern) for signal in load_packs().signals.values() for pattern in signal.match)
    texts = {f"(?i:{one.expression})" if one.caseless else one.expression for one in all_widened}
    path = folder / "patterns.txt"
    path.write_text("\n".join(sorted(text for text in texts if "\n" not in text)) + "\n")
    return path


def table(found: Sequence[Contender]) -> str:
    lines = ["| corpus | who | MB/s of CPU | MB/s of wall clock | against ours |", "|---|---|---:|---:|---:|"]
    for one in found:
        ours = next(other for other in found if other.corpus == one.corpus and other.name.startswith("ours"))
        ratio = statistics.median(ours.cpu) / statistics.median(one.cpu)
        lines.append(
            f"| {one.corpus} | {one.name} | {one.rate(one.cpu):,.0f} | {one.rate(one.wall):,.0f} | {ratio:.2f} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="Where the corpora are made; about three times --size.")
    parser.add_argument("--size", type=int, default=1000, help="MB of the clean corpus")
    parser.add_argument("--runs", type=int, default=5)
    chosen = parser.parse_args()
    found = contenders(chosen.folder, chosen.size * MB)
    for _ in range(chosen.runs):
        for one in found:
            one.run()
    said = table(found)
    sys.stdout.write(said)
    write_section(
        "Speed",
        f"{chosen.size} MB clean (0.1 % of the lines match), a quarter of that noisy (5 %); medians of {chosen.runs} "
        f"runs in turns. The last column is our CPU time over theirs: below 1, ours is faster.\n\n{said}",
    )
    figures = [
        {"corpus": one.corpus, "name": one.name, "bytes": one.size, "cpu_s": one.cpu, "wall_s": one.wall}
        for one in found
    ]
    (chosen.folder / "results.json").write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
