"""Write a slim crash as a tar archive, with holes in the form of GNU tar and libarchive (PAX, sparse format 1.0)."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import zstandard

from analyzer.cores.slim.modules import TAR_BLOCK_BYTES, FilePiece, SlimFile
from analyzer.errors import InputError, UsageError
from analyzer.paths import open_atomic

COMPRESSION_BY_SUFFIX = {".tar": "", ".tar.gz": "gz", ".tgz": "gz", ".tar.xz": "xz", ".tar.zst": "zst"}


def write_slim_archive(target: Path, files: Sequence[SlimFile]) -> int:
    """Write the archive and return its size in bytes.

    Raises UsageError for an unknown suffix, and InputError if the file cannot be written.
    """
    kind = next(
        (
            COMPRESSION_BY_SUFFIX[s]
            for s in sorted(COMPRESSION_BY_SUFFIX, key=len, reverse=True)
            if target.name.endswith(s)
        ),
        None,
    )
    if kind is None:
        raise UsageError(
            f"{target} has no known archive suffix", f"end the name in one of {', '.join(COMPRESSION_BY_SUFFIX)}"
        )
    try:
        with open_atomic(target) as raw:
            if kind == "zst":
                with zstandard.ZstdCompressor(level=10).stream_writer(raw, closefd=False) as packed:
                    _write_tar(packed, "", files)
            else:
                _write_tar(raw, kind, files)
        return target.stat().st_size
    except OSError as error:
        raise InputError(
            f"{target} cannot be written: {error.strerror or error}", "is there room, and may you write there?"
        ) from error


def _write_tar(raw: BinaryIO, kind: str, files: Sequence[SlimFile]) -> None:
    with tarfile.open(fileobj=raw, mode=f"w|{kind}", format=tarfile.PAX_FORMAT) as archive:  # type: ignore[call-overload]
        for file in files:
            _add_file(archive, file)


def _add_file(archive: tarfile.TarFile, file: SlimFile) -> None:
    body = b"".join(content for _, content in file.pieces)
    member = tarfile.TarInfo(file.name)
    member.mode = 0o600
    if len(body) < file.size:
        body = _sparse_map(file.pieces, file.size) + body
        member.pax_headers = {
            "GNU.sparse.major": "1",
            "GNU.sparse.minor": "0",
            "GNU.sparse.name": file.name,
            "GNU.sparse.realsize": str(file.size),
        }
    member.size = len(body)
    archive.addfile(member, io.BytesIO(body))


def _sparse_map(pieces: Sequence[FilePiece], size: int) -> bytes:
    """Return the sparse map: count, then offset and length of each piece, one number per line, padded to a block."""
    rows = [(offset, len(content)) for offset, content in pieces]
    rows += [(size, 0)] if rows and sum(rows[-1]) < size else []
    text = "".join(f"{number}\n" for number in (len(rows), *(n for row in rows for n in row))).encode()
    return text + bytes(-len(text) % TAR_BLOCK_BYTES)
