"""Where a tar archive goes on behind a header that is damaged: one wrong bit must not cost all that follows it.

GNU tar does the same ("Skipping to next header"). Headers of v7 tar have no magic to look for.
"""

from __future__ import annotations

from analyzer.bundle.stream import ForwardStream
from analyzer.bundle.tar.header import BLOCK_BYTES, MAGIC, MAGIC_OFFSET, is_header
from analyzer.bundle.types import DamageError

_CHUNK_BYTES = 512 * BLOCK_BYTES


def skip_to_next_header(source: ForwardStream) -> int:
    """Goes on to the next header or to the end; says how many bytes that was. Whoever reads on meets a break."""
    start = source.position
    kept = b""
    try:
        while read := source.read(_CHUNK_BYTES):
            chunk = kept + read
            at = _find_header(chunk)
            if at is not None:
                source.push_back(chunk[at:])
                break
            kept = chunk[1 - BLOCK_BYTES :]
    except DamageError:
        pass
    return source.position - start


def _find_header(chunk: bytes) -> int | None:
    """Anywhere: behind damage to a compressed stream that decodes on, a few bytes more or fewer came out."""
    found = chunk.find(MAGIC, MAGIC_OFFSET)
    while found >= 0:
        at = found - MAGIC_OFFSET
        if at + BLOCK_BYTES <= len(chunk) and is_header(chunk[at : at + BLOCK_BYTES]):
            return at
        found = chunk.find(MAGIC, found + 1)
    return None
