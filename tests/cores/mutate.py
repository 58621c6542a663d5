"""Changes real cores and the binaries beside them, and holds what every answer must be: given, small, and soon.

    python tests/cores/mutate.py CORE... --seconds 1800 --keep FOLDER [--binary FILE]

writes every input that broke a promise to FOLDER. The suite runs the same changes under hypothesis for a while.
"""

from __future__ import annotations

import argparse
import gc
import io
import json
import random
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from core_rows import read_core_row

from analyzer.core_dump import CoreDetail, core_from_json
from analyzer.cores import describe_core, extract_core, list_missing_binaries
from analyzer.cores.elf.headers import count_segments, read_header, read_segments

# Numbers at which counts, sizes and pointers break.
EVIL = [0, 1, 2, 7, 0xFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 40, 1 << 47, (1 << 63) - 1, (1 << 64) - 1]
SECONDS = 5.0  # CPU time of one reading
SETTLED = 100  # inputs after which every cache has something


class BrokenPromiseError(Exception):
    """The answer came too late or was too large."""


def places(data: bytes) -> list[tuple[int, int]]:
    """Ranges of a core where changes tell most: headers, notes, each writable segment."""
    header = read_header(data)
    if header is None:
        return [(0, len(data))]
    segments = read_segments(data, header, count=count_segments(data, header))
    ranges = [(0, 64), (header.phoff, header.phoff + len(segments) * header.program_header_size)]
    ranges += [(s.offset, s.offset + s.filesz) for s in segments if s.type == 4]
    ranges += [(s.offset, s.offset + s.filesz) for s in segments if s.type == 1 and s.flags & 2 and s.filesz]
    return [(low, min(high, len(data))) for low, high in ranges if low < min(high, len(data))]


def mutate(data: bytearray, ranges: list[tuple[int, int]], chance: random.Random) -> None:
    """A few numbers become others: evil ones, copies from elsewhere, near misses."""
    for _ in range(chance.choice([1, 1, 2, 4, 16, 64])):
        low, high = chance.choice(ranges)
        size = chance.choice([1, 2, 4, 8])
        at = chance.randrange(low, high)
        at = at - at % size if chance.random() < 0.8 else at
        old = int.from_bytes(data[at : at + size], "little")
        value = chance.choice(
            [
                chance.choice(EVIL),
                old + chance.choice([-1, 1, 8, -8, 4096]),
                chance.getrandbits(8 * size),
                int.from_bytes(data[(other := chance.randrange(low, high)) : other + size], "little"),
            ]
        )
        data[at : at + size] = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")[: len(data) - at]


def hold_promises(path: Path, sysroot: Path | None = None) -> None:
    """Raises whatever reading raises, and BrokenPromiseError where it took too long."""
    started = time.process_time()
    core = read_core_row(path, sysroots=[sysroot] if sysroot else [], detail=CoreDetail(locals=True))
    spent = time.process_time() - started
    json.dumps(core)
    list(describe_core(core_from_json(core)))
    list(list_missing_binaries(core_from_json(core)))
    if spent > SECONDS:
        raise BrokenPromiseError(f"{spent:.1f} s of CPU time")


def run(seeds: list[Path], binary: Path | None, seconds: float, keep: Path, seed: int) -> Iterator[str]:
    chance, end, rounds = random.Random(seed), time.monotonic() + seconds, 0
    contents = [(path.read_bytes(), path) for path in seeds]
    ranges = [places(data) for data, _ in contents]
    slowest, base = 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "sysroot")
        root.mkdir()
        while time.monotonic() < end:
            rounds += 1
            index = chance.randrange(len(contents))
            data = bytearray(contents[index][0])
            path = Path(folder, "core")
            sysroot = None
            if binary is not None and chance.random() < 0.3:
                sysroot = root
                program = bytearray(binary.read_bytes())
                mutate(program, [(0, len(program)), (0, 1024), (len(program) // 2, len(program))], chance)
                (root / binary.name).write_bytes(program)
            else:
                mutate(data, ranges[index], chance)
            if chance.random() < 0.2:
                del data[chance.randrange(len(data)) :]
            path.write_bytes(data)
            started = time.process_time()
            try:
                hold_promises(path, sysroot)
                if chance.random() < 0.1:
                    kept = extract_core(
                        io.BytesIO(bytes(data)), Path(folder, "kept"), chance.choice([0, 20_000, 1 << 30])
                    )
                    hold_promises(kept.path, sysroot)
            except Exception as error:  # noqa: BLE001  whatever it is, it is what is looked for
                name = f"{seed}-{rounds}"
                shutil.copy(path, keep / f"{name}.core")
                if sysroot and binary:
                    shutil.copy(root / binary.name, keep / f"{name}.{binary.name}")
                yield f"{name} ({contents[index][1].name}): {type(error).__name__}: {error}"
            slowest = max(slowest, time.process_time() - started)
            if rounds == SETTLED:
                base = held_memory()
    held = held_memory() - base if base else 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    yield f"{rounds} inputs, slowest {slowest:.2f} s, at most {peak} MiB, {held / 1024:.1f} MiB of them held at the end"


def held_memory() -> int:
    """KiB that are the process's own now. The peak tells of the greediest input, this of what was not given back."""
    gc.collect()
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon:"))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("cores", nargs="+", type=Path)
    parser.add_argument("--binary", type=Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--keep", type=Path, default=Path("fuzz-found"))
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    given.keep.mkdir(parents=True, exist_ok=True)
    for line in run(given.cores, given.binary, given.seconds, given.keep, given.seed):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
