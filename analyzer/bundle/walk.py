"""Archives through which one gets faster than one could read what is in them."""

from __future__ import annotations

import io
from pathlib import Path

from analyzer.bundle.compression import decompress, detect_compression
from analyzer.bundle.disk import open_file
from analyzer.bundle.folder import open_regular
from analyzer.bundle.meter import Meter
from analyzer.bundle.tar_header import BLOCK, is_header, shows_tar
from analyzer.bundle.types import DEFAULT_LIMITS
from analyzer.bundle.zip_archive import is_zip

_SLOW = ("xz", "bzip2")  # which take longer to decompress than their logs to be read


def is_quick_to_walk(path: Path, follow: bool) -> bool:
    """Whether it is a zip, or a tar archive that is not compressed or by gzip, zstd or lz4."""
    meter = Meter(DEFAULT_LIMITS)
    try:
        descriptor, status = open_regular(path, follow)
    except OSError:
        return False
    with io.FileIO(descriptor) as file, open_file(file, status.st_size, meter.take, sparse=False) as stream:
        compression = detect_compression(stream.peek(16))
        if compression in _SLOW:
            return False
        head = (decompress(compression, stream, meter) if compression else stream).peek(BLOCK)
        return is_header(head) or shows_tar(head) or (is_zip(head) and not compression)
