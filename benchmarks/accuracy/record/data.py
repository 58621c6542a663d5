"""The data that all tasks read from a shared folder, and what can be wrong with it.

TFRecord: https://www.tensorflow.org/tutorials/load_data/tfrecord#tfrecords_format_details
"""

from __future__ import annotations

import random
import re
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

SHARDS, RECORDS, WIDTH = 4, 96, 8  # of values: WIDTH features and a label
_POLYNOMIAL = 0x82F63B78  # CRC-32C, reflected


def _table() -> list[int]:
    numbers = []
    for number in range(256):
        for _ in range(8):
            number = number >> 1 ^ (_POLYNOMIAL if number & 1 else 0)
        numbers.append(number)
    return numbers


_TABLE = _table()


def masked_crc(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def record(data: bytes) -> bytes:
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", masked_crc(length)) + data + struct.pack("<I", masked_crc(data))


def sample(chance: random.Random, width: int = WIDTH) -> bytes:
    features = [chance.gauss(0, 1) for _ in range(width)]
    return struct.pack(f"<{width + 1}f", *features, sum(features) + chance.gauss(0, 0.1))


def png(chance: random.Random, size: int = 32) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + chance.randbytes(3 * size) for _ in range(size))
    head = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def newer_graph() -> bytes:
    """A SavedModel with one operation, for a TensorFlow of the future (saved_model.proto, graph.proto)."""

    def part(number: int, content: bytes) -> bytes:
        return bytes([number << 3 | 2, len(content)]) + content

    node = part(1, b"attention") + part(2, b"FusedPagedAttentionV3")
    graph = part(1, node) + part(4, b"\x08\x90\x4e\x10\x90\x4e")  # producer and min_consumer: 10000
    info = part(4, b"serve") + part(5, b"3.4.0")
    return b"\x08\x01" + part(2, part(1, info) + part(2, graph))


def make_data(folder: Path, wrong: str, seed: str) -> None:
    """train/part-*.tfrecord, images/*.png and table-*.csv, in which `wrong` is then done."""
    chance = random.Random(seed)
    for name in ("train", "images", "tables", "ckpt"):
        (folder / name).mkdir(parents=True)
        (folder / name).chmod(0o777)
    for shard in range(SHARDS):
        data = b"".join(record(sample(chance)) for _ in range(RECORDS))
        (folder / "train" / f"part-{shard:05}-of-{SHARDS:05}.tfrecord").write_bytes(data)
        rows = "".join(f"{chance.random():.4f},{chance.random():.4f},{chance.randrange(2)}\n" for _ in range(400))
        (folder / "tables" / f"clicks-{shard}.csv").write_text("age,price,label\n" + rows)
    for number in range(24):
        (folder / "images" / f"img_{number:04}.png").write_bytes(png(chance))
    for name, content in (("teacher-v1", b"\x00broken download\xff" * 9), ("teacher-v2", newer_graph())):
        (folder / name / "variables").mkdir(parents=True)
        (folder / name / "saved_model.pb").write_bytes(content)
    if wrong:
        WRONG[wrong](folder)


def shard(folder: Path, number: int = 1) -> Path:
    return sorted((folder / "train").glob("*.tfrecord"))[number]


def flip_byte(folder: Path) -> None:
    data = bytearray(shard(folder).read_bytes())
    data[len(data) // 2] ^= 0x40
    shard(folder).write_bytes(data)


def cut_records(folder: Path) -> None:
    path = shard(folder)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2 + 30])


def remove_shard(folder: Path) -> None:
    shard(folder).unlink()


def cut_image(folder: Path) -> None:
    path = folder / "images" / "img_0007.png"
    path.write_bytes(path.read_bytes()[:700])


def html_image(folder: Path) -> None:
    """What a download got instead of the picture."""
    (folder / "images" / "img_0007.png").write_text("<html><head><title>404 Not Found</title></head></html>\n")


def wide_records(folder: Path) -> None:
    chance = random.Random(1)
    shard(folder).write_bytes(b"".join(record(sample(chance, WIDTH + 3)) for _ in range(RECORDS)))


def text_column(folder: Path) -> None:
    path = folder / "tables" / "clicks-1.csv"
    path.write_text(re.sub(r"^0\.1\d*", "n/a", path.read_text(), count=4, flags=re.MULTILINE))


def forbid_shard(folder: Path) -> None:
    shard(folder).chmod(0)


def few_records(folder: Path) -> None:
    chance = random.Random(2)
    shard(folder).write_bytes(b"".join(record(sample(chance)) for _ in range(20)))


def big_shard(folder: Path) -> None:
    """Where others have some hundred records, this one has enough for ever."""
    chance = random.Random(3)
    for number in (0, 2, 3):
        shard(folder, number).write_bytes(b"".join(record(sample(chance)) for _ in range(2000)))


def nan_record(folder: Path) -> None:
    path, bad = shard(folder), record(struct.pack(f"<{WIDTH + 1}f", *[float("nan")] * (WIDTH + 1)))
    path.write_bytes(bad + path.read_bytes())


def empty_shards(folder: Path) -> None:
    for path in (folder / "train").iterdir():
        path.write_bytes(b"")


def swap_extension(folder: Path) -> None:
    """Compressed, and read as if it were not."""
    import gzip

    shard(folder).write_bytes(gzip.compress(shard(folder).read_bytes()))


WRONG: dict[str, Callable[[Path], None]] = {
    "big-shard": big_shard,
    "cut-image": cut_image,
    "cut-records": cut_records,
    "empty": empty_shards,
    "few-records": few_records,
    "flip-byte": flip_byte,
    "forbid": forbid_shard,
    "gzip": swap_extension,
    "html-image": html_image,
    "nan": nan_record,
    "remove": remove_shard,
    "text-column": text_column,
    "wide": wide_records,
}
