"""All sources that were read, in the order of reading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analyzer.reading.eventless_sources import EventlessSources, is_eventless
from analyzer.reading.source_result import SourceResult

MIN_SOURCES_TO_COMPACT = (
    4096  # sources that are held as they are before it is worth looking whether some have become quiet
)


class SourceResults:
    """Those that left events or the like are objects (`loud`), which may be changed. The others are rows, and what
    iteration gives of them are copies."""

    def __init__(self, results: Iterable[SourceResult] = ()) -> None:
        self.with_events: list[SourceResult] = []
        self._quiet = EventlessSources()
        self._order = bytearray()  # of each source whether it is loud
        self._many = MIN_SOURCES_TO_COMPACT
        self.extend(results)

    def append(self, result: SourceResult) -> bool:
        """Whether it is loud."""
        loud = not is_eventless(result)
        self._order.append(loud)
        if loud:
            self.with_events.append(result)
        else:
            self._quiet.add(result)
        return loud

    def extend(self, results: Iterable[SourceResult]) -> None:
        for result in results:
            self.append(result)

    def compact(self) -> None:
        """Sources whose events had no room become rows, where they may be many."""
        if len(self.with_events) < self._many:
            return
        now = SourceResults(self)
        self.with_events, self._quiet, self._order = now.with_events, now._quiet, now._order
        self._many = max(MIN_SOURCES_TO_COMPACT, 2 * len(self.with_events))

    def files(self) -> Iterator[str]:
        """Their names alone, which costs less."""
        loud, quiet = iter(self.with_events), iter(self._quiet.files)
        return (next(loud).file if is_loud else next(quiet) for is_loud in self._order)

    def hosts(self) -> set[str]:
        """The names that prefixes of lines give to machines."""
        return {*self._quiet.hosts(), *(host for result in self.with_events for host in result.hosts)}

    def __iter__(self) -> Iterator[SourceResult]:
        loud, quiet = iter(self.with_events), iter(self._quiet)
        return (next(loud) if is_loud else next(quiet) for is_loud in self._order)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SourceResults) and list(self) == list(other)

    def __len__(self) -> int:
        return len(self._order)
