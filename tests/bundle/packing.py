"""Archives made in memory, for tests."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import lz4.frame
import zstandard

from analyzer.bundle import DEFAULT_LIMITS, BundleLimits, DamageError, Loss, open_bundle

COMPRESSORS: Mapping[str, Callable[[bytes], bytes]] = {
    "gz": lambda data: gzip.compress(data, mtime=0),
    "zst": zstandard.ZstdCompressor().compress,
    "zst-unsized": zstandard.ZstdCompressor(write_content_size=False, write_checksum=True).compress,
    "xz": lzma.compress,
    "bz2": bz2.compress,
    "lz4": lz4.frame.compress,
}
CONTENT = {
    "node-0/worker.log": b"step 1 loss 0.5\n" * 20_000,
    "node-0/empty.log": b"",
    "node-1/" + "long/" * 60 + "worker.log": bytes(range(256)) * 300,
    "node-1/größe.txt": b"odd\0bytes\xff",
}


def pack_tar(files: Mapping[str, bytes], form: int = tarfile.GNU_FORMAT, mtime: int = 1_700_000_000) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(data), mtime
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def pack_special(*infos: tarfile.TarInfo, form: int = tarfile.GNU_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for info in infos:
            archive.addfile(info, io.BytesIO(bytes(info.size)))
    return out.getvalue()


def pack_zip(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED, seekable: bool = True) -> bytes:
    out = io.BytesIO()
    target = out if seekable else _Pipe(out)
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


class _Pipe(io.RawIOBase):
    """Cannot seek, so zipfile writes sizes behind the data."""

    def __init__(self, out: io.BytesIO) -> None:
        self._out = out

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        return self._out.write(data)


def write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def read_all(
    inputs: Iterable[Path] | Path, limits: BundleLimits = DEFAULT_LIMITS, scratch: Path | None = None
) -> tuple[dict[str, bytes], dict[str, Loss], dict[str, str]]:
    """(what each member gave, losses by path, the sentence of each member that broke)."""
    good: dict[str, bytes] = {}
    losses: dict[str, Loss] = {}
    broken: dict[str, str] = {}
    for item in open_bundle([inputs] if isinstance(inputs, Path) else list(inputs), limits, scratch):
        assert item.path not in good and item.path not in losses, "paths are unique"
        if isinstance(item, Loss):
            losses[item.path] = item
            continue
        good[item.path] = b""
        try:
            while block := item.stream.read(10_000):
                good[item.path] += block
        except DamageError as damage:
            broken[item.path] = str(damage)
    return good, losses, broken
