"""What was read of the parts of a bundle, put together as one process would have read it."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter

from analyzer.bundle import STOPPED_REASON
from analyzer.engine.ingest import IngestResult
from analyzer.engine.parts import Part, unread_source
from analyzer.reading import SourceResult
from analyzer.reading.source_results import SourceResults

LOST_REASON = "the process that read it was ended twice, perhaps for memory"


def merge_shards(
    parts: Sequence[Part], intakes: Mapping[int, IngestResult], stopped: bool = False
) -> Iterator[IngestResult]:
    """Of each part what was read of it, or why it was not; the shares of an archive as one.

    `stopped`: before their end.
    """
    for indexes in _group_by_archive(parts, range(len(parts))):
        found = [intakes.get(index) for index in indexes]
        yield (
            (found[0] or _mark_lost(parts[indexes[0]]))
            if len(found) == 1
            else _join_shards(parts[indexes[0]], found, stopped)
        )


def results_with_events(parts: Sequence[Part], intakes: Mapping[int, IngestResult]) -> list[SourceResult]:
    """All results with events, in the order of the files."""
    archives = _group_by_archive(parts, sorted(intakes))
    return [
        result
        for indexes in archives
        for _, result in _merge_by_position([intakes[index] for index in indexes])
        if result.events
    ]


def _group_by_archive(parts: Sequence[Part], indexes: Iterable[int]) -> Iterator[list[int]]:
    return (list(group) for _, group in groupby(indexes, lambda index: id(parts[index].items)))


def _merge_by_position(intakes: Iterable[IngestResult]) -> Iterator[tuple[int, SourceResult]]:
    """Results by their place in the archive; of a part that was not shared as they are."""
    return heapq.merge(
        *(zip(one.walk_log.positions or range(len(one.results)), one.results, strict=True) for one in intakes),
        key=itemgetter(0),
    )


def _join_shards(part: Part, found: Sequence[IngestResult | None], stopped: bool) -> IngestResult:
    """The first walker says all but what the others read; what one of them left unread is lost."""
    there = [one for one in found if one is not None]
    whole = found[0] or _mark_lost(part)
    results, read = SourceResults(), set[int]()
    for place, result in _merge_by_position(there):
        results.append(result)
        read.add(place)
    unread = (loss for place, loss in whole.walk_log.left_to_others.items() if place not in read)
    if None in found:
        unread = (replace(loss, reason=LOST_REASON) for loss in unread)
    elif stopped:
        unread = (replace(loss, reason=STOPPED_REASON, status="skipped") for loss in unread)
    whole.other_sources += map(unread_source, unread)
    whole.results = results
    whole.event_budget.level = max((one.event_budget.level for one in there), default=0)
    return whole


def _mark_lost(part: Part) -> IngestResult:
    return IngestResult(other_sources=[unread_source(item, LOST_REASON) for item in part.items])
