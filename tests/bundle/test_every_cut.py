"""Small archives of every kind, cut at every byte: what stands before the cut is read, and nothing is lost unsaid."""

from __future__ import annotations

import bz2
import io
import lzma
import random
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import lz4.frame
import pytest
import zstandard
from packing import COMPRESSORS, pack_tar, pack_zip, read_all, write

from analyzer.bundle import BundleLimits, DamageError
from analyzer.bundle.compression import decompress, detect_compression
from analyzer.bundle.disk import open_disk_file
from analyzer.bundle.meter import Meter, ReadObserver
from analyzer.errors import InputError

FILES = {"a": random.Random(1).randbytes(90), "b": b"B" * 1100, "c": random.Random(2).randbytes(60)}
TAR = pack_tar(FILES)[: 512 * 8]  # less tar's padding to ten kilobytes
SPANS = [(512, 602), (1536, 2636), (3584, 3644)]  # of the members' data
BEFORE = 64  # bytes of plain data in front of a cut that a decompressor may hold back

DECODERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": lambda data: zlib.decompressobj(31).decompress(data),
    "bz2": lambda data: bz2.BZ2Decompressor().decompress(data),
    "xz": lambda data: lzma.LZMADecompressor().decompress(data),
    "zst": lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data),
    "zst-unsized": lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data),
    "lz4": lambda data: lz4.frame.LZ4FrameDecompressor().decompress(data),
}


def beside(tmp_path: Path, data: bytes) -> Path:
    """A folder with the cut file and a healthy one."""
    folder = tmp_path / "in"
    write(folder / "fine.log", b"fine\n")
    write(folder / "x", data)
    return folder


def unpack(kind: str, data: bytes) -> int:
    """How many bytes our own decompressor gives of a cut stream, whatever they are."""
    meter = Meter(BundleLimits(), ReadObserver())
    stream = open_disk_file(io.BytesIO(data), len(data), meter.count_read)
    plain, out = decompress(detect_compression(stream.peek(16)), stream, meter), 0
    try:
        while block := plain.read(10_000):
            out += len(block)
    except DamageError:
        pass
    return out


@pytest.mark.parametrize("kind", sorted(DECODERS))
def test_a_compressed_tar_gives_what_stands_before_the_cut(kind: str, tmp_path: Path) -> None:
    data = COMPRESSORS[kind](TAR)
    for cut in range(1, len(data)):
        good, losses, broken = read_all(beside(tmp_path, data[:cut]))
        assert good["fine.log"] == b"fine\n"
        plain = len(DECODERS[kind](data[:cut]))
        readable_bytes = sum(max(0, min(plain - BEFORE, end) - start) for start, end in SPANS)
        members = {path.rpartition("/")[2]: content for path, content in good.items() if path.startswith("x/")}
        lost = sum(loss.size or 0 for loss in losses.values())  # what is not there is not unread
        assert lost == 0 or (lost == cut and len(good) == 1), cut  # nothing came out at all
        if members:
            assert all(FILES[name].startswith(content) for name, content in members.items())
            assert sum(map(len, members.values())) >= readable_bytes, cut
            came_out = unpack(kind, data[:cut])
            assert sum(map(len, members.values())) == sum(max(0, min(came_out, end) - start) for start, end in SPANS)
        else:  # so little that nothing shows what it was
            assert plain < 512 or readable_bytes == 0
        assert losses or broken or cut > len(data) - 16 or plain < 512, cut  # a checksum's last bytes
        assert all(loss.reason and (loss.size or 0) <= len(data) for loss in losses.values())


@pytest.mark.parametrize("kind", sorted(DECODERS))
def test_a_compressed_log_gives_what_stands_before_the_cut(kind: str, tmp_path: Path) -> None:
    text = b"".join(b"%d: step %d took %d ms\n" % (n * 7919 % 613, n, n * n % 97) for n in range(60))
    data = COMPRESSORS[kind](text)
    for cut in range(1, len(data)):
        good, losses, broken = read_all(beside(tmp_path, data[:cut]))
        assert good["fine.log"] == b"fine\n"
        plain = DECODERS[kind](data[:cut])
        [read] = [content for path, content in good.items() if path != "fine.log"] or [b""]
        if plain:
            assert text.startswith(read) and len(read) >= len(plain) - BEFORE, cut
        assert losses or broken or read in (text, data[:cut]), cut


@pytest.mark.parametrize("name", ["zip", "zip-stored", "zip-piped"])
def test_a_cut_zip_gives_every_byte_in_front_of_the_cut(name: str, tmp_path: Path) -> None:
    """Bytes of members in front of the cut are bytes read; none is said to be unread, for none is there."""
    files = {**FILES, "b": b"B" * 150}
    data = pack_zip(files, 0 if name == "zip-stored" else 8, seekable=name != "zip-piped")
    infos = zipfile.ZipFile(io.BytesIO(data)).infolist()
    starts = {info.filename: info.header_offset + 30 + len(info.filename) for info in infos}
    for cut in range(31, len(data)):
        good, losses, broken = read_all(beside(tmp_path, data[:cut]))
        assert good.pop("fine.log") == b"fine\n"
        in_header = any(info.header_offset < cut < starts[info.filename] for info in infos)
        lost = sum(loss.size or 0 for loss in losses.values())
        assert "x" in losses and (lost < 31 if in_header else lost == 0), cut
        for info in infos:
            start = starts[info.filename]
            stored = data[start : min(cut, start + info.compress_size)] if start <= cut else b""
            plain = zlib.decompressobj(-15).decompress(stored) if info.compress_type else stored
            path = f"x/{info.filename}"
            assert good.get(path, b"") == plain, cut
            is_complete = cut >= start + info.compress_size
            assert is_complete or start > cut or path in broken or path in losses, cut


@pytest.mark.parametrize("outer", ["tar", "zip"])
@pytest.mark.parametrize("kind", ["gz", "zst", "xz"])
def test_an_inner_archive_that_was_cut_costs_nothing_beside_it(outer: str, kind: str, tmp_path: Path) -> None:
    inner = COMPRESSORS[kind](TAR)
    for cut in range(1, len(inner), 3):
        files = {"in": inner[:cut], "z.log": b"fine\n"}
        path = write(tmp_path / "x", pack_tar(files) if outer == "tar" else pack_zip(files))
        good, losses, broken = read_all(path)
        assert good["z.log"] == b"fine\n"
        assert losses or broken or "in" in good or cut > len(inner) - 16


@pytest.mark.parametrize("pack", [pack_tar, pack_zip, lambda files: COMPRESSORS["gz"](pack_tar(files))])
def test_an_archive_twelve_deep_is_bounded_and_said(pack: Callable[..., bytes], tmp_path: Path) -> None:
    data = b"the innermost\n"
    for depth in range(12, 0, -1):
        data = pack({f"deep-{depth}.bin": data, f"log-{depth}.log": b"log of level %d\n" % depth})
    good, losses, broken = read_all(beside(tmp_path, data))
    assert good["fine.log"] == b"fine\n" and not broken
    read = {path.rpartition("/")[2] for path in good}
    limit = BundleLimits().depth
    assert {f"log-{depth}.log" for depth in range(1, limit + 1)} <= read
    assert "log-12.log" not in read
    assert any("nested" in loss.reason or "depth" in loss.reason for loss in losses.values())


def test_cut_to_nothing_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        read_all(write(tmp_path / "x", b""))
