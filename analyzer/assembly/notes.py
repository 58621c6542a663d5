"""Notes on the material for the report: local times without a zone, clocks that were set, and what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from analyzer.facts.coverage_gaps import describe_coverage_gaps, describe_unread_files
from analyzer.facts.time_resolution import TimeResolver, describe_clock_steps, resolve_line_time
from analyzer.model import Basis, Source
from analyzer.reading.source_result import SourceResult
from analyzer.reading.source_results import SourceResults

MAX_CLOCK_NOTES = 20  # of clocks that were set


def list_notes(
    results: SourceResults, times: TimeResolver, zoneless: Sequence[str], sources: Sequence[Source]
) -> Iterator[str]:
    """Yield all notes, as sentences. `zoneless`: files whose local times have no zone."""
    for result in results:
        yield from (f"{result.file}: {sentence}" for sentence in dict.fromkeys(result.notes))
    yield from islice(describe_clock_steps(results, times), MAX_CLOCK_NOTES)
    yield from describe_coverage_gaps(results)
    if zoneless:
        yield (
            f"Local times without a zone are taken as UTC in {_name_files(zoneless)}: "
            "unless clock alignment corrects them, they may be off by whole hours"
        )
    if undated := [
        result.file
        for result in results
        if result.first_stamps and resolve_line_time(result.first_stamps, times.context_of(result)) is None
    ]:
        yield (
            f"The time of boot is unknown for {_name_files(undated)}: their stamps count from boot, "
            "so their lines have no time"
        )
    yield from describe_unread_files(sources)


def find_zoneless(results: Iterable[SourceResult], times: TimeResolver) -> list[str]:
    """Return the files whose local times have no zone."""
    return [
        result.file
        for result in results
        if result.first_stamps
        and times.zone_of(result.file) is None
        and all(stamp.basis in (Basis.LOCAL, Basis.YEARLESS, Basis.DAYTIME) for stamp in result.first_stamps)
    ]


def _name_files(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names):,} files (for example {names[0]})"
