"""Merging what processes read of the parts of a bundle into what one process would have read."""

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

LOST_REASON = "the process that read it was killed twice, perhaps for lack of memory"


def merge_shards(
    parts: Sequence[Part], results: Mapping[int, IngestResult], stopped: bool = False
) -> Iterator[IngestResult]:
    """Yield what was read of each part, or a loss for each of its files; the shards of an archive are joined.

    `stopped`: the user stopped the reading before its end.
    """
    for indexes in _group_by_archive(parts, range(len(parts))):
        part, shards = parts[indexes[0]], [results.get(index) for index in indexes]
        yield (shards[0] or _mark_lost(part)) if len(shards) == 1 else _join_shards(part, shards, stopped)


def results_with_events(parts: Sequence[Part], results: Mapping[int, IngestResult]) -> list[SourceResult]:
    """Return all results that have events, in the order of the files."""
    archives = _group_by_archive(parts, sorted(results))
    return [
        result
        for indexes in archives
        for _, result in _merge_by_position([results[index] for index in indexes])
        if result.events
    ]


def _group_by_archive(parts: Sequence[Part], indexes: Iterable[int]) -> Iterator[list[int]]:
    return (list(group) for _, group in groupby(indexes, lambda index: id(parts[index].items)))


def _merge_by_position(shards: Iterable[IngestResult]) -> Iterator[tuple[int, SourceResult]]:
    """Yield results with their position in the archive; of a part that is no shard, in their own order."""
    return heapq.merge(
        *(zip(shard.walk_log.positions or range(len(shard.results)), shard.results, strict=True) for shard in shards),
        key=itemgetter(0),
    )


def _join_shards(part: Part, shards: Sequence[IngestResult | None], stopped: bool) -> IngestResult:
    """Join the shards of one archive. The first shard's result covers all but what it left to the others."""
    present = [shard for shard in shards if shard is not None]
    joined = shards[0] or _mark_lost(part)
    results, read = SourceResults(), set[int]()
    for position, result in _merge_by_position(present):
        results.append(result)
        read.add(position)
    unread = (loss for position, loss in joined.walk_log.left_to_others.items() if position not in read)
    if None in shards:
        unread = (replace(loss, reason=LOST_REASON) for loss in unread)
    elif stopped:
        unread = (replace(loss, reason=STOPPED_REASON, status="skipped") for loss in unread)
    joined.other_sources += map(unread_source, unread)
    joined.results = results
    joined.event_budget.level = max((shard.event_budget.level for shard in present), default=0)
    return joined


def _mark_lost(part: Part) -> IngestResult:
    return IngestResult(other_sources=[unread_source(item, LOST_REASON) for item in part.items])
