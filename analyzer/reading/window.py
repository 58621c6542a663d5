"""Cuts a stream into overlapping windows of whole lines, so that the lines around a hit are in sight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from analyzer.bundle.peek import SupportsRead
from analyzer.formats.unwrap import Unwrapper
from analyzer.redact.key_blocks import KeyBlockMasker
from analyzer.redact.split_settings import SplitSettingMasker
from analyzer.scan.scanner import BLOCK_BYTES

LOOKAROUND_BYTES = 64 * 1024  # searched before a hit for its time, and after it for its block
MAX_LINE_BYTES = 4 * 1024 * 1024  # a longer line is cut into pieces, which the source's notes say


@dataclass(slots=True)
class TextWindow:
    """A part of a stream: data[fresh_start:fresh_end] is new in this window and ends at a line end.

    `base_offset` is the offset of data[0] in the stream. `has_cut_line` says that a line was too long to be whole.
    """

    data: bytes
    base_offset: int
    fresh_start: int
    fresh_end: int
    is_last: bool
    has_cut_line: bool


def read_windows(stream: SupportsRead, unwrapper: Unwrapper | None = None) -> Iterator[TextWindow]:
    """Yield the windows of a stream, or of what `unwrapper` makes of it.

    Each byte is fresh in exactly one window. A window repeats up to twice LOOKAROUND_BYTES of earlier data: hits in the
    last LOOKAROUND_BYTES wait for the next window and look back from there. Private keys, and values on the line behind
    the name of a secret, are overwritten with asterisks here, because single lines of them cannot be recognized later.

    An OSError of the stream is raised after everything before it was yielded.
    """
    data, base, cut = b"", 0, 0
    keys, settings = KeyBlockMasker(), SplitSettingMasker()
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
        masked = settings.mask(keys.mask(new := data[fresh:cut]))
        if masked is not new:
            data = b"".join((data[:fresh], masked, data[cut:]))
        yield TextWindow(
            data=data, base_offset=base, fresh_start=fresh, fresh_end=cut, is_last=last, has_cut_line=long_line
        )
        if last:
            break
    if failure is not None:
        raise failure
