"""Sentences about what the sources cannot show because they begin late, end early or were not read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analyzer.model import Basis, Kind, Source
from analyzer.reading.source_result import SourceResult
from analyzer.wording import join_names

LATE_UPTIME_S = 60.0  # a kernel log that begins later than this lacks the lines of the boot
MIN_LOG_LINES = 20  # a smaller file is often written without a final line feed
MAX_NAMED_FILES = 5


def describe_coverage_gaps(results: Iterable[SourceResult]) -> Iterator[str]:
    """Yield a sentence about kernel logs that begin long after boot and one about logs that end in mid-line."""
    late, cut = [], []
    for result in results:
        uptime = next((stamp.value for stamp in result.first_stamps if stamp.basis is Basis.UPTIME), None)
        if result.kind is Kind.KERNEL and uptime is not None and uptime > LATE_UPTIME_S:
            late.append(f"{result.file} (at uptime {uptime:.0f} s)")
        if (
            result.ends_mid_line
            and not result.problem
            and result.lines > MIN_LOG_LINES
            and result.kind in (Kind.WORKER, Kind.KERNEL, Kind.SCHEDULER, Kind.SYSTEM)
        ):
            cut.append(result.file)
    if late:
        yield (
            f"{join_names(late, MAX_NAMED_FILES)} begins long after boot: earlier kernel messages were overwritten or "
            "not collected, so an OOM kill or a hardware error before that cannot be ruled out"
        )
    if cut:
        yield (
            f"{join_names(cut, MAX_NAMED_FILES)} ends in the middle of a line: it was truncated, copied while it was "
            "being written, or its writer died; what followed is not known"
        )


def describe_unread_files(sources: Iterable[Source]) -> Iterator[str]:
    """Yield a sentence about the files that were not read, or not to their end; binary files are not counted."""
    lost = [
        source for source in sources if source.status in ("partly-read", "failed", "skipped") and _is_unread(source)
    ]
    if lost:
        known_bytes = sum(source.unread or 0 for source in lost)
        files_of_unknown_size = sum(source.unread is None for source in lost)
        unknown_part = f", plus {files_of_unknown_size} of unknown size" if files_of_unknown_size else ""
        yield (
            f"files that were not read, or not to their end: {len(lost)} "
            f"({known_bytes:,} bytes as stored{unknown_part}): "
            f"{join_names([source.file for source in lost], MAX_NAMED_FILES)}; "
            "their contents are not part of this analysis"
        )


def _is_unread(source: Source) -> bool:
    return source.unread != 0 or source.status != "skipped"
