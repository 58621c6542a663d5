"""What it costs to get through an archive without reading what is in it."""

from __future__ import annotations

import io
import math
from pathlib import Path

from analyzer.bundle.compression import decompress, detect_compression
from analyzer.bundle.disk import open_disk_file
from analyzer.bundle.folder import open_regular_file
from analyzer.bundle.meter import Meter
from analyzer.bundle.tar.header import BLOCK_BYTES, has_magic, is_header
from analyzer.bundle.types import DEFAULT_LIMITS
from analyzer.bundle.zip.archive import is_zip

# Of the time that it takes to read logs, about: what decompression takes of it, measured on one core.
_DECOMPRESSION_COST = {"gzip": 0.3, "zstd": 0.3, "lz4": 0.25, "bzip2": 10.0, "xz": 5.0}


def relative_walk_cost(path: Path, follow_link: bool) -> float:
    """As a part of the time to read it; nothing for a zip and a bare tar, and infinite for what is no archive."""
    meter = Meter(DEFAULT_LIMITS)
    try:
        descriptor, status = open_regular_file(path, follow_link)
    except OSError:
        return math.inf
    with io.FileIO(descriptor) as file, open_disk_file(file, status.st_size, meter.count_read) as stream:
        compression = detect_compression(stream.peek(16))
        if compression is None:
            head = stream.peek(BLOCK_BYTES)
            return 0.0 if is_zip(head) or is_header(head) or has_magic(head) else math.inf
        head = decompress(compression, stream, meter).peek(BLOCK_BYTES)
        return _DECOMPRESSION_COST[compression] if is_header(head) or has_magic(head) else math.inf
