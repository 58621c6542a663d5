"""Unpacks what an H100 wrote; fixtures/make/gpu has the maker."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import zstandard

FIXTURES = Path(__file__).with_name("fixtures")


def unpack_cores(target: Path) -> Path:
    """Unpack GPU cores, each in a folder that is called after its case, with what cuda-gdb says of it."""
    return _unpack("gpu-h100-cores.tar.zst", target)


def unpack_jobs(target: Path) -> Path:
    """Unpack the files of jobs of two processes, each in a folder that is called after its fault."""
    return _unpack("gpu-h100-jobs.tar.zst", target)


def _unpack(name: str, target: Path) -> Path:
    with (
        (FIXTURES / name).open("rb") as packed,
        zstandard.ZstdDecompressor().stream_reader(packed) as stream,
        tarfile.open(fileobj=io.BytesIO(stream.read())) as archive,
    ):
        archive.extractall(target, filter="data")
    return target
