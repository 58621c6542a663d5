"""What damaged archives take of memory is given back, whatever lies in what: a bundle may hold thousands of them."""

from __future__ import annotations

import gc
import gzip
import lzma
from pathlib import Path

import zstandard

from analyzer.bundle import open_bundle
from analyzer.bundle.stream import ForwardStream
from analyzer.errors import InputError


def _streams() -> list[ForwardStream]:
    gc.collect()
    return [stream for stream in gc.get_objects() if isinstance(stream, ForwardStream)]


def test_no_stream_outlives_its_archive(tmp_path: Path) -> None:
    """zstandard's reader is no object that Python's collector sees: a circle through it would stay."""
    others = _streams()  # held, so that no address of theirs is given to one of this test's own
    packed = lzma.compress(gzip.compress(zstandard.compress(b"nothing of note\n" * 900)))
    for cut in range(1, len(packed)):
        path = tmp_path / "worker.log"
        path.write_bytes(packed[:cut])
        try:
            for member in open_bundle([path]):
                assert member.path
        except InputError:
            pass
        del path
    assert all(any(stream is other for other in others) for stream in _streams())
