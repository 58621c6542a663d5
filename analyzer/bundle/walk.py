"""What it costs to get through an archive without reading what is in it."""

from __future__ import annotations

import io
import math
from pathlib import Path

from analyzer.bundle.compression import decompress, detect_compression
from analyzer.bundle.disk import open_file
from analyzer.bundle.folder import open_regular
from analyzer.bundle.meter import Meter
from analyzer.bundle.tar_header import BLOCK, is_header, shows_tar
from analyzer.bundle.types import DEFAULT_LIMITS
from analyzer.bundle.zip_archive import is_zip

# Of the time that it takes to read logs, about: what decompression takes of it, measured on one core.
_COSTS = {"gzip": 0.3, "zstd": 0.3, "lz4": 0.25, "bzip2": 10.0, "xz": 5.0}


def cost_of_walking(path: Path, follow: bool) -> float:
    """As a part of the time to read it; nothing for a zip and a bare tar, and infinite for what is no archive."""
    meter = Meter(DEFAULT_LIMITS)
    try:
        descriptor, status = open_regular(path, follow)
    except OSError:
        return math.inf
    with io.FileIO(descriptor) as file, open_file(file, status.st_size, meter.take) as stream:
        compression = detect_compression(stream.peek(16))
        if compression is None:
            head = stream.peek(BLOCK)
            return 0.0 if is_zip(head) or is_header(head) or shows_tar(head) else math.inf
        head = decompress(compression, stream, meter).peek(BLOCK)
        return _COSTS[compression] if is_header(head) or shows_tar(head) else math.inf
