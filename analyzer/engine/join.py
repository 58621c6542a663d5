"""What was read of the parts of a bundle, put together as one process would have read it."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter

from analyzer.bundle import STOPPED
from analyzer.engine.members import Intake
from analyzer.engine.parts import Part, lose
from analyzer.reading import SourceResult
from analyzer.reading.results import Results

LOST = "the process that read it was ended twice, perhaps for memory"


def in_order(parts: Sequence[Part], intakes: Mapping[int, Intake], stopped: bool = False) -> Iterator[Intake]:
    """Of each part what was read of it, or why it was not; the shares of an archive as one.

    `stopped`: before their end.
    """
    for indexes in _by_archive(parts, range(len(parts))):
        found = [intakes.get(index) for index in indexes]
        yield (found[0] or _lost(parts[indexes[0]])) if len(found) == 1 else _join(parts[indexes[0]], found, stopped)


def telling(parts: Sequence[Part], intakes: Mapping[int, Intake]) -> list[SourceResult]:
    """All results with events, in the order of the files."""
    archives = _by_archive(parts, sorted(intakes))
    return [
        result for indexes in archives for _, result in _merge([intakes[index] for index in indexes]) if result.events
    ]


def _by_archive(parts: Sequence[Part], indexes: Iterable[int]) -> Iterator[list[int]]:
    return (list(group) for _, group in groupby(indexes, lambda index: id(parts[index].items)))


def _merge(intakes: Iterable[Intake]) -> Iterator[tuple[int, SourceResult]]:
    """Results by their place in the archive; of a part that was not shared as they are."""
    return heapq.merge(
        *(zip(one.walked.places or range(len(one.results)), one.results, strict=True) for one in intakes),
        key=itemgetter(0),
    )


def _join(part: Part, found: Sequence[Intake | None], stopped: bool) -> Intake:
    """The first walker says all but what the others read; what one of them left unread is lost."""
    there = [one for one in found if one is not None]
    whole = found[0] or _lost(part)
    results, read = Results(), set[int]()
    for place, result in _merge(there):
        results.append(result)
        read.add(place)
    unread = (loss for place, loss in whole.walked.left.items() if place not in read)
    if None in found:
        unread = (replace(loss, reason=LOST) for loss in unread)
    elif stopped:
        unread = (replace(loss, reason=STOPPED, status="skipped") for loss in unread)
    whole.others += map(lose, unread)
    whole.results = results
    whole.room.level = max((one.room.level for one in there), default=0)
    return whole


def _lost(part: Part) -> Intake:
    return Intake(others=[lose(item, LOST) for item in part.items])
