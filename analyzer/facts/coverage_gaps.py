"""What a source cannot tell because it begins late or ends early, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analyzer.model import Basis, Kind, Source
from analyzer.reading.source_result import SourceResult
from analyzer.wording import join_names

LATE_UPTIME_S = 60.0  # seconds of uptime at which a kernel that has just booted is long past its first line
MIN_LOG_LINES = 20  # lines; smaller files are often written without a last line feed
MAX_NAMED_FILES = 5


def describe_coverage_gaps(results: Iterable[SourceResult]) -> Iterator[str]:
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
            f"{join_names(late, MAX_NAMED_FILES)} begins long after boot: what the kernel said before was overwritten or not collected, so "
            "an OOM kill or a hardware error before that is not excluded"
        )
    if cut:
        yield (
            f"{join_names(cut, MAX_NAMED_FILES)} ends in the middle of a line: it was cut, copied while it was written, or its writer "
            "died; what came after is not known"
        )


def describe_unread_files(sources: Iterable[Source]) -> Iterator[str]:
    """Files that nobody read, or not to their end; what is no log at all is none of them."""
    lost = [
        source for source in sources if source.status in ("partly-read", "failed", "skipped") and _is_unread(source)
    ]
    if lost:
        known = sum(source.unread or 0 for source in lost)
        unknown = sum(source.unread is None for source in lost)
        beside = f", and of {unknown} nobody knows how many" if unknown else ""
        yield (
            f"{len(lost)} file(s) were not read, or not to their end ({known:,} bytes, as they are stored{beside}): "
            f"{join_names([source.file for source in lost], MAX_NAMED_FILES)}; what they hold is not part of this analysis"
        )


def _is_unread(source: Source) -> bool:
    return source.unread != 0 or source.status != "skipped"
