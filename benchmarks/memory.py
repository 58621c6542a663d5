"""Peak memory over inputs that are large in different ways: bytes, hits, members, ranks, one line, kinds of errors.

The inputs are compressed repetitions, so that 50 GB of log need no disk. Each is read by a process of its own, whose
peak of resident memory the kernel tells at its end.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import zstandard
from corpus import TELLING, lines
from results import write_section

MB, GB = 1_000_000, 1_000_000_000
CHUNK = 4 << 20  # bytes that are repeated: less than the compressor's window
PROMISED = 400 * MB
Pieces = Iterator[bytes]


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    pieces: Callable[[], Pieces]
    suffix: str = "log"

    def write(self, folder: Path) -> tuple[Path, int]:
        """The compressed file and how many bytes are in it."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name.replace(' ', '-').replace(',', '')}.{self.suffix}.zst"
        size = 0
        with path.open("wb") as file, zstandard.ZstdCompressor(1).stream_writer(file) as packed:
            for piece in self.pieces():
                size += len(piece)
                packed.write(piece)
        return path, size


def repeated(size: int, share: float) -> Pieces:
    """`size` bytes of log of which `share` of the lines matter."""
    chunk = "".join(lines(CHUNK, share, seed=3)).encode()
    for _ in range(-(-size // len(chunk))):
        yield chunk


def hits(count: int) -> Pieces:
    """So many lines of which each is an error."""
    form = TELLING[0].format(stamp="2026-03-01 10:00:00.000000", n=0) + "\n"
    for _ in range(count // 10_000):
        yield (form * 10_000).encode()


def ranks(count: int) -> Pieces:
    """A launcher's log in which every line is another rank's error."""
    for first in range(0, count, 10_000):
        yield "".join(
            f"[1,{rank}]<stderr>:" + TELLING[0].format(stamp="2026-03-01 10:00:00.000000", n=rank) + "\n"
            for rank in range(first, first + 10_000)
        ).encode()


def kinds_of_errors(count: int) -> Pieces:
    """Errors that nobody knows, each in other words."""
    letters = str.maketrans("0123456789", "abcdefghij")
    for first in range(0, count, 10_000):
        numbers = (str(number).translate(letters) for number in range(first, first + 10_000))
        stamp = "2026-03-01 10:00:00.000000"
        yield "".join(f"{stamp}: E some/file.cc:1] the {word} could not {word}ify\n" for word in numbers).encode()


def one_line(size: int) -> Pieces:
    for _ in range(size // CHUNK):
        yield b"a line without an end " * (CHUNK // 22)
    yield b"\n"


def members(count: int) -> Pieces:
    """A tar archive of small logs of 1,000 nodes."""
    for number in range(count):
        node = f"node{number % 1000:04d}"
        text = "".join(lines(400, 0.2, number, node)).encode()
        header = tarfile.TarInfo(f"{node}/rank-{number:06d}.log")
        header.size, header.mtime = len(text), 1_772_323_200
        yield header.tobuf() + text + bytes(-len(text) % 512)
    yield bytes(1024)


CASES = (
    Case("1 GB", lambda: repeated(GB, 0.001)),
    Case("10 GB", lambda: repeated(10 * GB, 0.001)),
    Case("50 GB", lambda: repeated(50 * GB, 0.001)),
    Case("10 million hits", lambda: hits(10_000_000)),
    Case("one line of 1 GB", lambda: one_line(GB)),
    Case("200,000 members", lambda: members(199_999), "tar"),
    Case("a million ranks", lambda: ranks(1_000_000)),
    Case("a million kinds of errors", lambda: kinds_of_errors(1_000_000)),
)


def measure(path: Path) -> tuple[int, float]:
    """Peak of resident memory in bytes, seconds of CPU."""
    command = [sys.executable, "-m", "analyzer", "analyze", "-q", "--jobs", "1", "--limit", "ratio=1000000000"]
    process = subprocess.Popen([*command, "--json", f"{path}.json", str(path)])
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{path}: the analysis ended with {process.returncode}")
    return used.ru_maxrss * 1024, used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("cases", nargs="*", help="parts of the names of cases; all of them if none is given")
    chosen = parser.parse_args()
    said = "| input | uncompressed | peak memory | CPU | |\n|---|---:|---:|---:|---|\n"
    sys.stdout.write(said)
    for case in CASES:
        if chosen.cases and not any(name in case.name for name in chosen.cases):
            continue
        path, size = case.write(chosen.folder)
        peak, cpu = measure(path)
        path.unlink()
        verdict = "" if peak < PROMISED else "above 400 MB"
        row = f"| {case.name} | {size / MB:,.0f} MB | {peak / MB:,.0f} MB | {cpu:,.0f} s | {verdict} |\n"
        sys.stdout.write(row)
        sys.stdout.flush()
        said += row
    if not chosen.cases:
        write_section("Memory", f"One process; peak of its resident memory, and its CPU time.\n\n{said}")


if __name__ == "__main__":
    main()
