"""`make bench`: this program beside what else could read the same bytes, in one run, as ratios.

Every command is run several times, in turns, so that a machine that slows down slows all of them. The figure is the
median of the CPU seconds (user and system, with children), which other people's load moves least, and of the clock on
the wall. Patterns are compiled before, as for every run of a user but his first, and so is the program, as it is
where it is installed: a checkout may not be, where PYTHONDONTWRITEBYTECODE is set.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from corpus import UNIFORM, pack, write_corpus, write_junk
from promises import ANALYSIS, BARE, BARE2, ISAL, PIPE, RG1, RG2, SCAN, SCAN2, Timed, judge
from results import write_section

HERE = Path(__file__).parent
MB = 1_000_000
OF_UNIFORM = (SCAN, SCAN2, BARE, BARE2, RG1, RG2, ISAL, PIPE)
SINGLE_RUN_S = 30  # seconds; what takes longer is run once
OURS = (sys.executable, "-m", "analyzer", "analyze", "-q")
PATTERNS_COMMAND = (sys.executable, str(HERE / "patterns_only.py"))
SCANNED = (sys.executable, str(HERE / "scan.py"))
RG = ("rg", "--no-unicode", "--regex-size-limit", "20G", "--dfa-size-limit", "20G", "-c", "-f")
REMARK = """\
gets the patterns in the form of the automaton (without captures, lookaround and anchors, in the same case) and
`--no-unicode`, and counts the lines that match any of them; "patterns only" says which pattern ends where, and "scan"
the signal, the time, the node and the captures of each hit that is kept. ripgrep builds the states of its automaton
while it reads, and these patterns have so many that a megabyte of text with many words costs it seconds; the uniform
logs are its best case.
"""
HEAD = ("corpus", "who", "MB/s of CPU", "MB/s of wall clock")


@dataclass(frozen=True, slots=True)
class Contender:
    """`command` reads what `timed` says of; `new` begins it with patterns compiled and nothing learnt of any log."""

    command: Sequence[str]
    timed: Timed
    new: bool = False

    def run(self, cache: Path) -> None:
        place = Path(f"{cache}-new") if self.new else cache
        if self.new:
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(f"{cache}-compiled", place)
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        ended = subprocess.run(
            self.command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, "XDG_CACHE_HOME": str(place)},
            check=False,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if ended.returncode not in (0, 124):  # timeout's own
            sys.exit(f"{' '.join(self.command)}: ended with {ended.returncode}: {ended.stderr.decode()}")
        self.timed.wall.append(time.perf_counter() - start)
        self.timed.cpu.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def contenders(folder: Path, size: int) -> Iterator[Contender]:
    rg = (*RG, str(write_patterns(folder)))
    for name, share, part in (("clean", 0.001, size), ("noisy", 0.05, size // 4)):
        logs = write_corpus(folder / name, part, share)
        yield from _of_folder(name, logs, rg)
        if name == "clean":
            yield from _of_archives("clean", logs, rg)
    logs = write_corpus(folder / "uniform", size // 4, 0.001, ordinary=UNIFORM)
    yield from (contender for contender in _of_folder("uniform", logs, rg) if contender.timed.name in OF_UNIFORM)
    yield from (contender for contender in _of_archives("uniform", logs, rg) if contender.timed.name in OF_UNIFORM)
    junk = write_junk(folder / "junk", size // 8)
    yield Contender((*OURS, "--jobs", "1", str(junk)), Timed("junk", ANALYSIS, _measure(junk)))
    given_up = Timed("junk", "ripgrep -j1 (given up after 60 s)", _measure(junk))
    yield Contender(("timeout", "60", *rg, "-a", "-j1", str(junk)), given_up)


def _of_folder(name: str, logs: Path, rg: Sequence[str]) -> Iterator[Contender]:
    total, given = _measure(logs), str(logs)
    files = " ".join(str(path) for path in sorted(logs.rglob("*.log")))
    yield Contender((*OURS, "--jobs", "1", given), Timed(name, ANALYSIS, total))
    yield Contender((*OURS, "--jobs", "2", given), Timed(name, "ours, two processes", total))
    yield Contender((*SCANNED, given), Timed(name, SCAN, total))
    yield Contender((*SCANNED, given, "2"), Timed(name, SCAN2, total))
    yield Contender((*PATTERNS_COMMAND, given), Timed(name, BARE, total))
    yield Contender((*PATTERNS_COMMAND, given), Timed(name, f"{BARE}, logs never seen before", total), new=True)
    yield Contender((*PATTERNS_COMMAND, given, "2"), Timed(name, BARE2, total))
    yield Contender((*rg, "-j1", given), Timed(name, RG1, total))
    yield Contender((*rg, "-j2", given), Timed(name, RG2, total))
    yield Contender(("sh", "-c", f"cat {files}"), Timed(name, "limit: read", total))
    yield Contender(("sh", "-c", f"wc -l {files}"), Timed(name, "limit: count newlines", total))


def _of_archives(name: str, logs: Path, rg: Sequence[str]) -> Iterator[Contender]:
    total = _measure(logs)
    for kind, path in pack(logs).items():
        corpus, given = f"{name}.{kind}", str(path)
        yield Contender((*OURS, given), Timed(corpus, ANALYSIS, total))
        yield Contender((*SCANNED, given, "2"), Timed(corpus, SCAN, total))
        yield Contender((*PATTERNS_COMMAND, given), Timed(corpus, BARE, total))
        if kind == "tar.gz":
            yield Contender((sys.executable, str(HERE / "inflate.py"), given), Timed(corpus, ISAL, total))
            pipe = f"gzip -dc {given} | {' '.join(rg)} -j1 -"
            yield Contender(("sh", "-c", pipe), Timed(corpus, PIPE, total))
        elif kind == "tar.zst":
            yield Contender(("zstd", "-qdc", given), Timed(corpus, "limit: zstd -dc", total))


def _measure(folder: Path) -> int:
    """Bytes."""
    return sum(path.stat().st_size for path in folder.rglob("*.log"))


def write_patterns(folder: Path) -> Path:
    """The built-in packs' patterns in the form that the automaton gets, which other engines understand too."""
    from analyzer.rules.load import load_packs
    from analyzer.scan.widen import widen

    all_widened = (widen(pattern) for signal in load_packs().signals.values() for pattern in signal.match)
    texts = {f"(?i:{pattern.expression})" if pattern.caseless else pattern.expression for pattern in all_widened}
    path = folder / "patterns.txt"
    path.write_text("\n".join(sorted(text for text in texts if "\n" not in text)) + "\n")
    return path


def compile_patterns(folder: Path) -> Path:
    """A cache as the first run of a user leaves it, and a copy beside it that stays so."""
    compileall.compile_dir(HERE.parent / "analyzer", quiet=1)
    cache, nothing = folder / "cache", folder / "nothing.log"
    for path in (cache, Path(f"{cache}-compiled")):
        shutil.rmtree(path, ignore_errors=True)
    nothing.write_text("\n")
    subprocess.run(
        [*PATTERNS_COMMAND, str(nothing)],
        stdout=subprocess.DEVNULL,
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
        check=True,
    )
    shutil.copytree(cache, f"{cache}-compiled")
    return cache


def table(timings: Sequence[Timed]) -> str:
    lines = [f"| {' | '.join(HEAD)} |", "|---|---|---:|---:|"]
    lines += [
        f"| {timing.corpus} | {timing.name} | {timing.rate('CPU'):,.0f} | {timing.rate('wall'):,.0f} |"
        for timing in timings
    ]
    return "\n".join(lines) + "\n"


def say(timings: Sequence[Timed], folder: Path, size: int, runs: int) -> str:
    total = next(timing.size for timing in timings if timing.corpus == "clean.tar.gz")
    ratio = total / (folder / "clean.tar.gz").stat().st_size
    return (
        f"{size} MB clean (0.1 % of the lines match), a quarter of that noisy (5 %), and as much uniform (0.1 %, few "
        f"words); gzip makes the clean ones {ratio:.1f} times smaller. Medians of {runs} runs in turns, starts "
        f"included, or one run of more than {SINGLE_RUN_S} s. How many times as fast as the other, by the time that "
        f"decides in bold; rows without a promise are there for comparison:\n\n{judge(timings)}\n{table(timings)}\n"
        f"{_version()} {REMARK}"
    )


def _version() -> str:
    """Of ripgrep, as it calls itself."""
    path = shutil.which("rg")
    return subprocess.check_output([path, "--version"], text=True).split("\n")[0] if path else "ripgrep"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="Where the corpora are made; about three times --size.")
    parser.add_argument("--size", type=int, default=1000, help="MB of the clean corpus")
    parser.add_argument("--runs", type=int, default=5)
    chosen = parser.parse_args()
    folder = chosen.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    cache = compile_patterns(folder)
    runnable = [contender for contender in contenders(folder, chosen.size * MB) if shutil.which(contender.command[0])]
    for _ in range(chosen.runs):
        for contender in runnable:
            if max(contender.timed.wall, default=0) < SINGLE_RUN_S:
                contender.run(cache)
    timed = [contender.timed for contender in runnable]
    section = say(timed, folder, chosen.size, chosen.runs)
    sys.stdout.write(section)
    write_section("Speed", section)
    (folder / "results.json").write_text(json.dumps([asdict(timing) for timing in timed], indent=1))


if __name__ == "__main__":
    main()
