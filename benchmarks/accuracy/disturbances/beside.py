"""Files beside the logs that have nothing to do with them."""

from __future__ import annotations

import random
import struct
import zlib

from accuracy.collectors import Files
from accuracy.disturbances import Case, Disturbance
from accuracy.disturbances._files import find_free

HUGE_BYTES = (6_000_000, 12_000_000)


def add_huge(files: Files, case: Case, chance: random.Random) -> Files:
    """A table of data or the log of a download, larger than all the rest."""
    size = chance.randint(*HUGE_BYTES)
    name, block = chance.choice([("data/train.csv", _write_table(chance)), ("wget-log", _write_download(chance))])
    return {**files, find_free(files, name): (block * (size // len(block) + 1))[:size]}


def add_empty_and_binary(files: Files, case: Case, chance: random.Random) -> Files:
    """What lies in folders: empty files, images, byte code, a desktop's databases, HDF5 weights."""
    noise = chance.randbytes(4096)
    beside = {
        "stdin": b"",
        "logs/empty.log": b"",
        ".DS_Store": b"\0\0\0\x01Bud1" + noise[:600],
        "Thumbs.db": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + noise[:1500],
        "loss.png": _write_png(chance),
        "__pycache__/train.cpython-311.pyc": b"\xa7\r\r\n" + b"\0" * 4 + noise[:2000],
        "model.weights.h5": b"\x89HDF\r\n\x1a\n" + noise,
        ".train.py.swp": b"b0VIM 9.0\0" + noise[:1000],
    }
    chosen = chance.sample(sorted(beside), chance.randint(3, len(beside)))
    return {**files, **{find_free(files, name): beside[name] for name in chosen}}


def _write_table(chance: random.Random) -> bytes:
    return b"".join(
        b"%d,%.6f,%s,%d\n"
        % (chance.randrange(10**8), chance.random(), chance.choice((b"a", b"b")), chance.randrange(2))
        for _ in range(2000)
    )


def _write_download(chance: random.Random) -> bytes:
    """Dots of wget (https://www.gnu.org/software/wget/manual/wget.html, --progress=dot)."""
    rows = [
        f"{number * 50:>6}K {' '.join(['.' * 10] * 5)} {number % 100:>2}% {chance.uniform(1, 90):.1f}M {number % 60}s"
        for number in range(1500)
    ]
    return ("\n".join(rows) + "\n").encode()


def _write_png(chance: random.Random) -> bytes:
    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = b"".join(b"\0" + chance.randbytes(64) for _ in range(64))
    header = struct.pack(">IIBBBBB", 64, 64, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


DISTURBANCES = (
    Disturbance("huge-file-beside", "beside", spoil=add_huge),
    Disturbance("junk-beside", "beside", spoil=add_empty_and_binary),
)
