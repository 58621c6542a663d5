"""All patterns over all blocks of a folder's files, and nothing else: `scan_only.py FOLDER [PROCESSES]`."""

from __future__ import annotations

import sys
from pathlib import Path

from analyzer.model import Kind
from analyzer.paths import cache_dir
from analyzer.rules.cache import load_packs
from analyzer.scan import Scanner, build_scanner
from analyzer.scan.scanner import BLOCK


def ready() -> Scanner:
    """The scanner of an analysis, with the same cache."""
    signals = load_packs((), cache_dir()).signals.values()
    asked = [signal for signal in signals if not (signal.kinds and signal.kinds <= {Kind.DERIVED, Kind.CORE})]
    return build_scanner([pattern for signal in asked for pattern in signal.match], cache_dir())


def scan(paths: list[Path]) -> int:
    scanner, hits = ready(), 0
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                hits += len(scanner.scan(block))
    return hits


def main(folder: str, processes: str = "1") -> None:
    paths = sorted(Path(folder).rglob("*.log"))
    parts = [paths[first :: int(processes)] for first in range(int(processes))]
    if len(parts) == 1:
        hits = scan(paths)
    else:
        from concurrent.futures import ProcessPoolExecutor

        with ProcessPoolExecutor(len(parts)) as pool:
            hits = sum(pool.map(scan, parts))
    sys.stdout.write(f"{hits} hits\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
