"""All patterns over what an analysis reads of a folder or an archive: `patterns_only.py INPUT [PROCESSES]`."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from analyzer.bundle import Member, Readable, open_bundle
from analyzer.model import Kind
from analyzer.paths import cache_dir
from analyzer.rules.packs.cache import load_packs
from analyzer.scan import Scanner, build_scanner
from analyzer.scan.scanner import BLOCK_BYTES


@functools.cache
def ready() -> Scanner:
    """The scanner of an analysis, with the same cache."""
    signals = load_packs((), cache_dir()).signals.values()
    asked = [signal for signal in signals if not (signal.kinds and signal.kinds <= {Kind.DERIVED, Kind.CORE})]
    return build_scanner([pattern for signal in asked for pattern in signal.match], cache_dir())


def scan(inputs: Sequence[Path]) -> int:
    """How many hits there are, in any line."""
    streams = (item.stream for item in open_bundle(inputs) if isinstance(item, Member)) if inputs else ()
    return sum(len(ready().scan(data, 0, cut)) for stream in streams for data, cut in blocks(stream))


def blocks(stream: Readable) -> Iterator[tuple[bytes, int]]:
    """Bytes, and how many of them are whole lines."""
    incomplete_line = b""
    while chunk := stream.read(BLOCK_BYTES):
        data = incomplete_line + chunk
        cut = data.rfind(b"\n") + 1 or len(data)
        yield data, cut
        incomplete_line = data[cut:]
    yield incomplete_line, len(incomplete_line)


def main(given: str, processes: str = "1") -> None:
    path = Path(given)
    parts = (
        [sorted(path.iterdir())[first :: int(processes)] for first in range(int(processes))] if path.is_dir() else []
    )
    ready()
    if len(parts) > 1:
        from concurrent.futures import ProcessPoolExecutor

        with ProcessPoolExecutor(len(parts)) as pool:  # forked, with the scanner that is there
            hits = sum(pool.map(scan, parts))
    else:
        hits = scan([path])
    sys.stdout.write(f"{hits} hits\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
