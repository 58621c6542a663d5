"""Where a tar archive goes on behind a header that is damaged: one wrong bit must not cost all that follows it.

GNU tar does the same ("Skipping to next header"). Headers of v7 tar have no magic to look for.
"""

from __future__ import annotations

from analyzer.bundle.stream import Stream
from analyzer.bundle.tar_header import BLOCK, MAGIC, MAGIC_AT, is_header
from analyzer.bundle.types import DamageError

_CHUNK = 512 * BLOCK


def skip_to_header(source: Stream) -> int:
    """Goes on to the next header or to the end; says how many bytes that was. Whoever reads on meets a break."""
    start = source.position
    try:
        source.skip(-start % BLOCK)
        while chunk := source.read(_CHUNK):
            at = _find_header(chunk)
            if at is not None:
                source.push_back(chunk[at:])
                break
    except DamageError:
        pass
    return source.position - start


def _find_header(chunk: bytes) -> int | None:
    """`chunk` begins where a block does."""
    found = chunk.find(MAGIC)
    while found >= 0:
        at = found - MAGIC_AT
        if at >= 0 and at % BLOCK == 0 and at + BLOCK <= len(chunk) and is_header(chunk[at : at + BLOCK]):
            return at
        found = chunk.find(MAGIC, found + 1)
    return None
