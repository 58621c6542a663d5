"""The compressor of the archive: zstandard where this Python or this node has it, else gzip."""

from __future__ import annotations

import gzip
import importlib
import sys
from pathlib import Path
from typing import IO, NamedTuple, cast

STDOUT = Path("-")
LEVEL = 3  # of zstd; about 200 MB/s on one core


class Archive(NamedTuple):
    """`path` differs from what was asked for where the compression is not to be had."""

    path: Path
    stream: IO[bytes]
    note: str = ""


def open_archive(wanted: Path, partial: Path) -> Archive:
    """A stream into `partial`, compressed as the name `wanted` says. OSError where it cannot be made."""
    name = wanted.name
    if wanted == STDOUT:
        return Archive(
            wanted, cast(IO[bytes], gzip.GzipFile(fileobj=sys.stdout.buffer, mode="wb", compresslevel=4, mtime=0))
        )
    if name.endswith((".zst", ".zstd", ".tzst")):
        opened = _open_zstd(partial)
        if opened is not None:
            return Archive(wanted, opened)
        other = wanted.with_name(name[: name.rindex(".")] + (".gz" if ".tar." in name else ".tgz"))
        return Archive(other, _open_gzip(partial), f"no zstandard module here: wrote {other.name} instead of {name}")
    return Archive(wanted, partial.open("wb") if name.endswith(".tar") else _open_gzip(partial))


def _open_gzip(path: Path) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(path, "wb", compresslevel=4))


def _open_zstd(path: Path) -> IO[bytes] | None:
    try:
        zstd = importlib.import_module("compression.zstd")  # Python 3.14
        return cast(IO[bytes], zstd.open(path, "wb", level=LEVEL))
    except ImportError:
        pass
    try:
        zstandard = importlib.import_module("zstandard")
    except ImportError:
        return None
    return cast(IO[bytes], zstandard.open(path, "wb", cctx=zstandard.ZstdCompressor(level=LEVEL)))
