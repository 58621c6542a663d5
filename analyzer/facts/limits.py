"""What a source cannot tell because it begins late or ends early, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analyzer.model import Basis, Kind, Source
from analyzer.reading.result import SourceResult

LATE = 60.0  # seconds of uptime at which a kernel that has just booted is long past its first line
LOG = 20  # lines; smaller files are often written without a last line feed
NAMED = 5


def tell_limits(results: Iterable[SourceResult]) -> Iterator[str]:
    late, cut = [], []
    for result in results:
        uptime = next((stamp.value for stamp in result.first if stamp.basis is Basis.UPTIME), None)
        if result.kind is Kind.KERNEL and uptime is not None and uptime > LATE:
            late.append(f"{result.file} (at uptime {uptime:.0f} s)")
        if (
            result.cut
            and not result.problem
            and result.lines > LOG
            and result.kind in (Kind.WORKER, Kind.KERNEL, Kind.SCHEDULER, Kind.SYSTEM)
        ):
            cut.append(result.file)
    if late:
        yield (
            f"{_listed(late)} begins long after boot: what the kernel said before was overwritten or not collected, so "
            "an OOM kill or a hardware error before that is not excluded"
        )
    if cut:
        yield (
            f"{_listed(cut)} ends in the middle of a line: it was cut, copied while it was written, or its writer "
            "died; what came after is not known"
        )


def tell_losses(sources: Iterable[Source]) -> Iterator[str]:
    """Files that nobody read, or not to their end; what is no log at all is none of them."""
    lost = [source for source in sources if source.status in ("partly-read", "failed", "skipped") and _lacks(source)]
    if lost:
        known = sum(source.unread or 0 for source in lost)
        unknown = sum(source.unread is None for source in lost)
        beside = f", and of {unknown} nobody knows how many" if unknown else ""
        yield (
            f"{len(lost)} file(s) were not read, or not to their end ({known:,} bytes, as they are stored{beside}): "
            f"{_listed([source.file for source in lost])}; what they hold is not part of this analysis"
        )


def _lacks(source: Source) -> bool:
    return source.unread != 0 or source.status != "skipped"


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
