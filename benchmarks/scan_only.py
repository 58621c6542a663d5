"""All patterns over all blocks of a folder's files, and nothing else: `scan_only.py FOLDER [PROCESSES]`."""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from analyzer.paths import cache_dir
from analyzer.reading import build_plan
from analyzer.rules.cache import load_packs
from analyzer.scan.scanner import BLOCK


def scan(paths: list[Path]) -> int:
    scanner = build_plan(load_packs((), cache_dir()), cache_dir()).scanner
    hits = 0
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
        with ProcessPoolExecutor(len(parts)) as pool:
            hits = sum(pool.map(scan, parts))
    sys.stdout.write(f"{hits} hits\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
