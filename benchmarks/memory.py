"""Peak memory over inputs that are large in different ways: bytes, hits, members, nodes, one line, kinds of errors.

The inputs are compressed repetitions, so that 50 GB of log need no disk. Each is read by a process of its own, whose
peak of resident memory the kernel tells at its end; of several processes it is the largest one's.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import zstandard
from corpus import TELLING, lines
from isal import igzip
from results import write_section

MB, GB = 1_000_000, 1_000_000_000
CHUNK_BYTES = 4 << 20  # bytes that are repeated: less than the compressor's window
PROMISED_BYTES = 400 * MB
Pieces = Iterator[bytes]


Logs = Iterator[tuple[str, bytes]]  # paths in an archive, and what is in the files


@dataclass(frozen=True, slots=True)
class MemoryCase:
    name: str
    write: Callable[[Path], int]  # makes the input and returns how many bytes are in it
    suffix: str = "log.zst"
    more: tuple[str, ...] = ("--jobs", "1")

    def place(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{self.name.replace(' ', '-').replace(',', '')}.{self.suffix}"


def packed(pieces: Callable[[], Pieces]) -> Callable[[Path], int]:
    """By the compressor that the file's name tells."""

    def write(path: Path) -> int:
        size = 0
        with path.open("wb") as file, _compressor(path, file) as stream:
            for piece in pieces():
                size += len(piece)
                stream.write(piece)
        return size

    return write


def _compressor(path: Path, file: io.BufferedWriter) -> io.IOBase:
    if path.suffix == ".gz":
        return igzip.IGzipFile(fileobj=file, mode="wb", compresslevel=1)
    return zstandard.ZstdCompressor(1).stream_writer(file)


def zipped(logs: Callable[[], Logs]) -> Callable[[Path], int]:
    def write(path: Path) -> int:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name, text in logs():
                archive.writestr(name, text)
        with zipfile.ZipFile(path) as archive:
            return sum(info.file_size for info in archive.infolist())

    return write


def laid_out(logs: Callable[[], Logs]) -> Callable[[Path], int]:
    """As a folder."""

    def write(path: Path) -> int:
        size = 0
        for name, text in logs():
            place = path / name
            place.parent.mkdir(parents=True, exist_ok=True)
            size += place.write_bytes(text)
        return size

    return write


def repeated(size: int, share: float) -> Pieces:
    """`size` bytes of log of which `share` of the lines matter."""
    chunk = "".join(lines(CHUNK_BYTES, share, seed=3)).encode()
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
    for _ in range(size // CHUNK_BYTES):
        yield b"a line without an end " * (CHUNK_BYTES // 22)
    yield b"\n"


def small_logs(count: int, nodes: int = 1000) -> Logs:
    for number in range(count):
        node = f"node{number % nodes:05d}"
        yield f"{node}/rank-{number:06d}.log", "".join(lines(400, 0.2, number, node)).encode()


def settings(nodes: int) -> Logs:
    """What a collector states of each node, and logs by two clocks."""
    for number in range(nodes):
        node = f"node{number:05d}"
        kernel = "".join(f"net.ipv4.setting_{index} = {index}\n" for index in range(800))
        yield f"{node}/sysctl.txt", f"{kernel}vm.odd = {number % 7}\n".encode()
        packages = "".join(f"package-{index}=={index}.0.{number % 3}\n" for index in range(150))
        yield f"{node}/pip-freeze.txt", packages.encode()
        yield f"{node}/env.txt", f"HOSTNAME={node}\nNCCL_DEBUG=INFO\nTF_NUM={number % 5}\n".encode()
        yield f"{node}/worker.log", "".join(lines(40_000, 0.01, number, node)).encode()
        yield f"{node}/trainer.log", "".join(f"10:{m:02d}:00 INFO step {m}\n" for m in range(60)).encode()


def tar(logs: Logs) -> Pieces:
    for name, text in logs:
        header = tarfile.TarInfo(name)
        header.size, header.mtime = len(text), 1_772_323_200
        yield header.tobuf() + text + bytes(-len(text) % 512)
    yield bytes(1024)


def nested(logs: Logs, files_per_archive: int = 2000) -> Pieces:
    """An archive of archives of so many files each."""
    inner = iter(lambda: list(islice(logs, files_per_archive)), [])
    yield from tar((f"part-{number:03d}.tar", b"".join(tar(iter(some)))) for number, some in enumerate(inner))


MEMBER_COUNT = 199_999
CASES = (
    MemoryCase("1 GB", packed(lambda: repeated(GB, 0.001))),
    MemoryCase("10 GB", packed(lambda: repeated(10 * GB, 0.001))),
    MemoryCase("50 GB", packed(lambda: repeated(50 * GB, 0.001))),
    MemoryCase("10 million hits", packed(lambda: hits(10_000_000))),
    MemoryCase("one line of 1 GB", packed(lambda: one_line(GB))),
    MemoryCase("200,000 members", packed(lambda: tar(small_logs(MEMBER_COUNT))), "tar.zst"),
    MemoryCase("200,000 members, tar.gz", packed(lambda: tar(small_logs(MEMBER_COUNT))), "tar.gz"),
    MemoryCase("200,000 members, zip", zipped(lambda: small_logs(MEMBER_COUNT)), "zip"),
    MemoryCase("200,000 members, nested", packed(lambda: nested(small_logs(MEMBER_COUNT - 100))), "tar.zst"),
    MemoryCase("10,000 nodes of 20 files", packed(lambda: tar(small_logs(MEMBER_COUNT, 10_000))), "tar.zst"),
    MemoryCase("1,000 nodes with settings", packed(lambda: tar(settings(1000))), "tar.zst"),
    MemoryCase("folder, two processes", laid_out(lambda: small_logs(50_000)), "d", ("--jobs", "2")),
    MemoryCase("a million ranks", packed(lambda: ranks(1_000_000))),
    MemoryCase("a million kinds of errors", packed(lambda: kinds_of_errors(1_000_000))),
)


def measure(path: Path, more: tuple[str, ...]) -> tuple[int, float]:
    """Peak of resident memory in bytes, seconds of CPU."""
    command = [sys.executable, "-m", "analyzer", "analyze", "-q", "--limit", "ratio=1000000000", *more]
    process = subprocess.Popen([*command, "--json", f"{path}.json", "-o", f"{path}.html", str(path)])
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
    section = "| input | uncompressed | peak memory | CPU | |\n|---|---:|---:|---:|---|\n"
    sys.stdout.write(section)
    for case in CASES:
        if chosen.cases and not any(name in case.name for name in chosen.cases):
            continue
        path = case.place(chosen.folder)
        size = case.write(path)
        peak, cpu = measure(path, case.more)
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        verdict = "" if peak < PROMISED_BYTES else "above 400 MB"
        row = f"| {case.name} | {size / MB:,.0f} MB | {peak / MB:,.0f} MB | {cpu:,.0f} s | {verdict} |\n"
        sys.stdout.write(row)
        sys.stdout.flush()
        section += row
    if not chosen.cases:
        write_section("Memory", f"One process; peak of its resident memory, and its CPU time.\n\n{section}")


if __name__ == "__main__":
    main()
