"""A stream as overlapping windows of whole lines, so that a hit can look back and ahead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from analyzer.bundle.peek import SupportsRead
from analyzer.formats.unwrap import Unwrapper
from analyzer.redact.key_blocks import KeyBlockMasker
from analyzer.scan.scanner import BLOCK_BYTES

LOOKAROUND_BYTES = 64 * 1024  # bytes a hit may look back for its time and ahead for its block
MAX_LINE_BYTES = 4 * 1024 * 1024  # a longer line is cut here, and said


@dataclass(slots=True)
class TextWindow:
    """`data[fresh:cut]` is new in this window and ends at a line end; `base` is the offset of data[0] in the stream."""

    data: bytes
    base_offset: int
    fresh_start: int
    fresh_end: int
    is_last: bool
    has_cut_line: bool


def read_windows(stream: SupportsRead, unwrapper: Unwrapper | None = None) -> Iterator[TextWindow]:
    """Cuts a stream, or what the unwrapper makes of it, into windows. Each byte is fresh exactly once; up to twice LOOK
    bytes before it are kept: hits in the last LOOK bytes wait for the next window and look back from there. Private
    keys are overwritten with asterisks: who sees but a few lines of one cannot tell what they are.

    Errors of the stream pass through, after everything before them was given out in windows.
    """
    data, base, cut = b"", 0, 0
    keys = KeyBlockMasker()
    failure: Exception | None = None
    while True:
        try:
            chunk = stream.read(BLOCK_BYTES)
        except OSError as error:
            chunk, failure = b"", error
        last = not chunk
        if unwrapper:
            chunk = unwrapper.finish() if last else unwrapper.feed(chunk)
        keep = max(0, cut - 2 * LOOKAROUND_BYTES)
        data, base, fresh = data[keep:] + chunk, base + keep, cut - keep
        cut = len(data) if last else data.rfind(b"\n") + 1
        long_line = False
        if cut <= fresh and not last:
            if len(data) - fresh < MAX_LINE_BYTES:
                cut = fresh
                continue
            cut, long_line = len(data), True
        masked = keys.mask(new := data[fresh:cut])
        if masked is not new:
            data = b"".join((data[:fresh], masked, data[cut:]))
        yield TextWindow(data, base, fresh, cut, last, long_line)
        if last:
            break
    if failure is not None:
        raise failure
