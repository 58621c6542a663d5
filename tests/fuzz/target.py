"""What is fuzzed: seeds that are right, a way to spoil them, and what must hold for any bytes at all."""

from __future__ import annotations

import os
import random
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SECONDS = 10.0  # CPU time of one small input: far more than the slowest takes, far less than for ever
MEMORY = 512 << 20  # bytes that one small input may take beyond all before it
LONGEST = 1 << 18  # bytes of an input
BUILT = 0.75  # of the changes, those that know how the input is built
EVIL = [0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 1 << 40, 1 << 47, (1 << 63) - 1, (1 << 64) - 1]
WORDS = [b"\n", b"\r", b"\0", b"\x1b[", b'"', b"{", b"[", b"]}", b"../", b"-1", b"1e999", b"NaN", b"\xff", b"\xe2\x80"]


Change = Callable[[bytes, random.Random, Sequence[bytes]], bytes]


@dataclass(frozen=True, slots=True)
class Target:
    """`check` raises where a promise is broken. `seeds` makes its inputs when it is first asked.

    `changes` know how the inputs are built: what they give is right but for one thing, and so gets past the first door.
    """

    name: str
    seeds: Callable[[], Sequence[bytes]]
    check: Callable[[bytes], None]
    changes: tuple[Change, ...] = ()

    def run(self, data: bytes) -> None:
        started, before = time.process_time(), _peak()
        self.check(data)
        spent, grown = time.process_time() - started, _peak() - before
        assert spent < SECONDS, f"{spent:.1f} s of CPU time for {len(data)} bytes"
        assert grown < MEMORY, f"{grown >> 20} MiB more than ever before for {len(data)} bytes"

    def spoil(self, data: bytes, chance: random.Random) -> bytes:
        """A few things changed: near enough to right to get far into a parser."""
        seeds = self.seeds()
        for _ in range(chance.choice((1, 1, 1, 2, 4))):
            change = chance.choice(self.changes) if self.changes and chance.random() < BUILT else disturb
            data = change(data, chance, seeds)[:LONGEST]
        return data

    def draw(self, chance: random.Random) -> bytes:
        return self.spoil(chance.choice(self.seeds()), chance)


@cache
def _room() -> tempfile.TemporaryDirectory[str]:
    """One for all inputs: to make a folder takes longer than most checks. In memory where that can be had."""
    memory = Path("/dev/shm")
    return tempfile.TemporaryDirectory(prefix="fuzz-", dir=memory if os.access(memory, os.W_OK) else None)


def workplace() -> Path:
    """An empty folder."""
    folder = Path(_room().name)
    for left in folder.iterdir():
        shutil.rmtree(left) if left.is_dir() and not left.is_symlink() else left.unlink()
    return folder


def _peak() -> int:
    """Bytes of memory that this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def disturb(seed: bytes, chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    """A few numbers, pieces or ends of any bytes changed."""
    data = bytearray(seed)
    for _ in range(chance.choice((1, 1, 1, 2, 4, 16))):
        chance.choice(_DISTURBANCES)(data, chance, seeds)
    return bytes(data)


def _place(data: bytearray, chance: random.Random) -> int:
    """Anywhere, and half of the time among the first bytes, where formats say what they are."""
    return chance.randrange(min(len(data), chance.choice((64, 1 << 30))) + 1)


def _overwrite(data: bytearray, chance: random.Random, _seeds: Sequence[bytes]) -> None:
    at, size = _place(data, chance), chance.choice((1, 2, 4, 8))
    old = int.from_bytes(data[at : at + size], "little")
    value = chance.choice((chance.choice(EVIL), old + chance.choice((-1, 1, 8, 512)), chance.getrandbits(8 * size)))
    data[at : at + size] = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")[: len(data) - at]


def _flip(data: bytearray, chance: random.Random, _seeds: Sequence[bytes]) -> None:
    if data:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def _cut(data: bytearray, chance: random.Random, _seeds: Sequence[bytes]) -> None:
    del data[_place(data, chance) :]


def _remove(data: bytearray, chance: random.Random, _seeds: Sequence[bytes]) -> None:
    at = _place(data, chance)
    del data[at : at + chance.choice((1, 4, 100, 512))]


def _insert(data: bytearray, chance: random.Random, _seeds: Sequence[bytes]) -> None:
    at = _place(data, chance)
    data[at:at] = chance.choice(WORDS) * chance.choice((1, 1, 3, 50))


def _number(data: bytearray, chance: random.Random, _seeds: Sequence[bytes]) -> None:
    """Another number in the place of a digit of text."""
    at = _place(data, chance)
    while at < len(data) and not 48 <= data[at] <= 57:
        at += 1
    data[at : at + 1] = chance.choice((b"", b"-1", b"9" * 30, b"1e400", str(chance.choice(EVIL)).encode()))


def _copy(data: bytearray, chance: random.Random, seeds: Sequence[bytes]) -> None:
    """A piece of another seed, or of itself again."""
    other = chance.choice((bytes(data), chance.choice(seeds)))
    start, at = chance.randrange(len(other) + 1), _place(data, chance)
    piece = other[start : start + chance.choice((4, 40, 512, 4096))]
    data[at : at + chance.choice((0, len(piece)))] = piece


_DISTURBANCES: tuple[Callable[[bytearray, random.Random, Sequence[bytes]], None], ...] = (
    _overwrite,
    _flip,
    _cut,
    _remove,
    _insert,
    _number,
    _copy,
    _copy,
)
