"""What a source cannot tell because it begins late or ends early, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analyzer.model import Basis, Kind
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


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
