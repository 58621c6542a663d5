"""Compress the archive: with zstandard if this Python or this node has it, else with gzip."""

from __future__ import annotations

import gzip
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, NamedTuple, cast

STDOUT = Path("-")
ZSTD_LEVEL = 3  # of zstd; about 200 MB/s on one core


class Compression(NamedTuple):
    """How an archive is written. `path` differs from the requested one if the wanted compression is not available."""

    path: Path
    compress: Callable[[IO[bytes]], IO[bytes]]
    note: str = ""


def choose_compression(wanted: Path) -> Compression:
    """Return the compression that the file name asks for, or gzip with a note if zstandard is missing."""
    name = wanted.name
    if wanted != STDOUT and name.endswith((".zst", ".zstd", ".tzst")):
        zstd = _find_zstd()
        if zstd is not None:
            return Compression(wanted, zstd)
        gzip_path = wanted.with_name(name[: name.rindex(".")] + (".gz" if ".tar." in name else ".tgz"))
        return Compression(
            gzip_path, _gzip, f"this Python has no zstandard module: wrote {gzip_path.name} instead of {name}"
        )
    return Compression(wanted, _uncompressed if name.endswith(".tar") else _gzip)


def _uncompressed(file: IO[bytes]) -> IO[bytes]:
    return file


def _gzip(file: IO[bytes]) -> IO[bytes]:
    return cast(IO[bytes], gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=4, mtime=0))


def _find_zstd() -> Callable[[IO[bytes]], IO[bytes]] | None:
    try:
        zstd = importlib.import_module("compression.zstd")  # Python 3.14
        return lambda file: cast(IO[bytes], zstd.open(file, "wb", level=ZSTD_LEVEL))
    except ImportError:
        pass
    try:
        zstandard = importlib.import_module("zstandard")
    except ImportError:
        return None
    return lambda file: cast(
        IO[bytes], zstandard.open(file, "wb", cctx=zstandard.ZstdCompressor(level=ZSTD_LEVEL), closefd=False)
    )
