"""The compressor of the archive: zstandard where this Python or this node has it, else gzip."""

from __future__ import annotations

import gzip
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, NamedTuple, cast

STDOUT = Path("-")
LEVEL = 3  # of zstd; about 200 MB/s on one core


class Form(NamedTuple):
    """How an archive is written. `path` differs from what was asked for where the compression is not to be had."""

    path: Path
    squeeze: Callable[[IO[bytes]], IO[bytes]]
    note: str = ""


def choose_form(wanted: Path) -> Form:
    """Compressed as the name says."""
    name = wanted.name
    if wanted != STDOUT and name.endswith((".zst", ".zstd", ".tzst")):
        zstd = _find_zstd()
        if zstd is not None:
            return Form(wanted, zstd)
        other = wanted.with_name(name[: name.rindex(".")] + (".gz" if ".tar." in name else ".tgz"))
        return Form(other, _gzip, f"no zstandard module here: wrote {other.name} instead of {name}")
    return Form(wanted, _plain if name.endswith(".tar") else _gzip)


def _plain(file: IO[bytes]) -> IO[bytes]:
    return file


def _gzip(file: IO[bytes]) -> IO[bytes]:
    return cast(IO[bytes], gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=4, mtime=0))


def _find_zstd() -> Callable[[IO[bytes]], IO[bytes]] | None:
    try:
        zstd = importlib.import_module("compression.zstd")  # Python 3.14
        return lambda file: cast(IO[bytes], zstd.open(file, "wb", level=LEVEL))
    except ImportError:
        pass
    try:
        zstandard = importlib.import_module("zstandard")
    except ImportError:
        return None
    return lambda file: cast(
        IO[bytes], zstandard.open(file, "wb", cctx=zstandard.ZstdCompressor(level=LEVEL), closefd=False)
    )
