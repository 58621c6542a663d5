"""Overwrite secrets in memory that is handed on: whole ones, and the fragments that functions leave behind when they
move text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

WINDOW_BYTES, STRIDE_BYTES = 6, 3  # every fragment of at least WINDOW_BYTES + STRIDE_BYTES - 1 bytes holds a window
MAX_SECRET_BYTES = 1 << 14
MASK_BYTE = ord("*")


def list_secret_values(pairs: Sequence[tuple[str, str]]) -> list[bytes]:
    """Return the bytes to overwrite. A pair is (text as it is, text as it is shown): the value behind `=`, or else all
    of it.
    """
    values = []
    for raw, shown in pairs:
        name, equals, value = raw.partition("=")
        named = equals and shown.startswith(f"{name}=")
        values.append((value if named else raw).encode("utf-8", "surrogateescape")[:MAX_SECRET_BYTES])
    return [value for value in values if value]


def mask_memory(body: bytes, values: Sequence[bytes]) -> bytes:
    """Return the bytes with asterisks where a secret is. One shorter than WINDOW_BYTES + STRIDE_BYTES - 1 is masked
    only as a whole value.
    """
    return _overwrite_ranges(body, [spot for value in values for spot in _find_fragments(body, value)])


def mask_stream(chunks: Iterable[bytes], values: Sequence[bytes]) -> Iterator[bytes]:
    """Yield the same for a stream, whose chunks may be cut anywhere. It holds no more than a chunk and the longest
    secret.
    """
    held_bytes = max(map(len, values), default=0) + 2  # and the bytes around a short secret
    pending = b""
    for chunk in chunks:
        pending += chunk
        spots = sorted(spot for value in values for spot in _find_fragments(pending, value))
        cut = max(0, len(pending) - held_bytes)
        for start, end in reversed(spots):  # a match that may continue is searched again, with the byte before it
            if start <= cut < end:
                cut = max(0, start - 1)
        yield _overwrite_ranges(pending[:cut], [(start, end) for start, end in spots if start < cut])
        pending = pending[cut:]
    yield mask_memory(pending, values)


def _overwrite_ranges(body: bytes, spots: Sequence[tuple[int, int]]) -> bytes:
    if not spots:
        return body
    masked = bytearray(body)
    for start, end in spots:
        masked[start:end] = bytes([MASK_BYTE]) * (end - start)
    return bytes(masked)


def _find_fragments(body: bytes, value: bytes) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of the fragments of a secret, each extended as far as it matches."""
    if len(value) < WINDOW_BYTES + STRIDE_BYTES - 1:
        needle = b"=" + value + b"\0"
        at = body.find(needle)
        while at >= 0:
            yield at + 1, at + 1 + len(value)
            at = body.find(needle, at + 1)
        return
    for offset in range(0, len(value) - WINDOW_BYTES + 1, STRIDE_BYTES):
        at = body.find(value[offset : offset + WINDOW_BYTES])
        while at >= 0:
            start, end = _extend_match(body, at, value, offset)
            yield start, end
            at = body.find(value[offset : offset + WINDOW_BYTES], end)


def _extend_match(body: bytes, at: int, value: bytes, offset: int) -> tuple[int, int]:
    low, high = 0, WINDOW_BYTES
    while offset - low > 0 and at - low > 0 and body[at - low - 1] == value[offset - low - 1]:
        low += 1
    while offset + high < len(value) and at + high < len(body) and body[at + high] == value[offset + high]:
        high += 1
    return at - low, at + high
