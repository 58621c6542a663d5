"""Sound data that takes more memory than the limit is not called damaged: the limit is named."""

from __future__ import annotations

import io
import lzma
import zipfile
import zlib
from pathlib import Path

import pytest
import zstandard
from packing import COMPRESSORS, pack_tar, read_all, write

from analyzer.bundle import BundleLimits

MIB = 1 << 20
TEXT = b"step 1 loss 0.5\n" * 20_000


def zstd(window_log: int) -> bytes:
    """A frame that asks for a larger window than it uses, as `zstd --long` writes it."""
    frame = bytearray(zstandard.ZstdCompressor(write_content_size=False).compress(TEXT))
    assert not frame[4] >> 5 & 1
    frame[5] = (window_log - 10) << 3
    return bytes(frame)


def zipped(data: bytes, method: int) -> bytes:
    """`data`, compressed by `method`, as the one member of a zip."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("w.log", data)
    packed = bytearray(out.getvalue())
    entry = packed.index(b"PK\1\2")
    for at, size in ((8, 22), (entry + 10, entry + 24)):
        packed[at : at + 2] = method.to_bytes(2, "little")
        packed[size : size + 4] = len(TEXT).to_bytes(4, "little")
    for at in (14, entry + 16):
        packed[at : at + 4] = zlib.crc32(TEXT).to_bytes(4, "little")
    return bytes(packed)


def complaint(data: bytes, limits: BundleLimits, folder: Path) -> str:
    """What is said of it beside a sound file."""
    write(folder / "sound.log", TEXT)
    write(folder / "packed", data)
    good, losses, broken = read_all(folder, limits)
    assert good["sound.log"] == TEXT
    [reason] = [*(loss.reason for loss in losses.values()), *broken.values()]
    return reason


@pytest.mark.parametrize(
    ("data", "window", "needed"),
    [
        (zstd(31), 128 * MIB, f"{1 << 31:,}"),
        (zstd(27), 128 * MIB - 1, f"{1 << 27:,}"),
        (zstandard.ZstdCompressor().compress(TEXT), 1 << 10, f"{len(TEXT):,}"),
        (zstandard.ZstdCompressor().compress(b"a\n") + zstd(30), 64 * MIB, f"{1 << 30:,}"),
        (lzma.compress(TEXT), 1 * MIB, f"more than {1 * MIB:,}"),
        (zipped(zstd(31), 93), 128 * MIB, f"{1 << 31:,}"),
        (zipped(lzma.compress(TEXT), 95), 1 * MIB, f"more than {1 * MIB:,}"),
    ],
    ids=["zstd", "just", "single-segment", "second frame", "xz", "zstd in zip", "xz in zip"],
)
def test_the_limit_is_named(data: bytes, window: int, needed: str, tmp_path: Path) -> None:
    reason = complaint(data, BundleLimits(window=window), tmp_path)
    assert f"takes {needed} bytes of memory (limit: window)" in reason
    assert "damaged" not in reason


@pytest.mark.parametrize("data", [zstd(27), zstd(31), lzma.compress(TEXT)], ids=["zstd", "zstd --long", "xz"])
@pytest.mark.parametrize("window", [1 << 31, 1 << 40])
def test_a_larger_window_reads_it(data: bytes, window: int, tmp_path: Path) -> None:
    good, losses, broken = read_all(write(tmp_path / "w.log", data), BundleLimits(window=window))
    assert ([*good.values()], losses, broken) == ([TEXT], {}, {})


def test_a_window_beyond_what_zstd_knows_is_no_damage(tmp_path: Path) -> None:
    reason = complaint(zstd(35), BundleLimits(window=1 << 40), tmp_path)
    assert reason == f"the zstd data takes {1 << 35:,} bytes of memory, more than zstd allows"


def test_damage_is_still_damage(tmp_path: Path) -> None:
    data = bytearray(zstd(20))
    data[40:60] = bytes(20)
    assert "damaged" in complaint(bytes(data), BundleLimits(), tmp_path)


def test_the_deepest_nesting_that_may_be_asked_for_is_read(tmp_path: Path) -> None:
    from analyzer.bundle import LIMIT_RANGES

    data = TEXT
    for _ in range(LIMIT_RANGES["depth"].maximum):
        data = COMPRESSORS["gz"](pack_tar({"in": data}))
    good, losses, broken = read_all(
        write(tmp_path / "o.tar.gz", data), BundleLimits(depth=LIMIT_RANGES["depth"].maximum)
    )
    assert ([*good.values()], losses, broken) == ([TEXT], {}, {})
