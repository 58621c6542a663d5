"""What has to be said of the material: times that nothing tells, clocks that were set, and what is not there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from analyzer.facts.limits import tell_limits, tell_losses
from analyzer.facts.times import Times, pick, set_clocks
from analyzer.model import Basis, Source
from analyzer.reading.result import SourceResult
from analyzer.reading.results import Results

MOST = 20  # clocks that were set


def note(results: Results, times: Times, unzoned: Sequence[str], sources: Sequence[Source]) -> Iterator[str]:
    for result in results.loud:
        yield from (f"{result.file}: {said}" for said in dict.fromkeys(result.notes))
    yield from islice(set_clocks(results.loud, times), MOST)
    yield from tell_limits(results)
    if unzoned:
        yield (
            f"Local times without a zone are taken as UTC in {_files(unzoned)}: "
            "until clocks are aligned, their distance to others may be off by whole hours"
        )
    if undated := [result.file for result in results if result.first and pick(result.first, times.of(result)) is None]:
        yield (
            f"Nothing says when the machine was booted in {_files(undated)}: "
            "they count time since boot, so their lines have no time"
        )
    yield from tell_losses(sources)


def find_unzoned(results: Iterable[SourceResult], times: Times) -> list[str]:
    """Files whose local times have no zone."""
    return [
        result.file
        for result in results
        if result.first
        and times.zone(result.file) is None
        and all(stamp.basis in (Basis.LOCAL, Basis.YEARLESS, Basis.DAYTIME) for stamp in result.first)
    ]


def _files(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names):,} files (for example {names[0]})"
