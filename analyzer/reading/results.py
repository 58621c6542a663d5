"""All sources that were read, in the order of reading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analyzer.reading.quiet import Quiet, is_quiet
from analyzer.reading.result import SourceResult

MANY = 4096  # sources that are held as they are before it is worth looking whether some have become quiet


class Results:
    """Those that left events or the like are objects (`loud`), which may be changed. The others are rows, and what
    iteration gives of them are copies."""

    def __init__(self, results: Iterable[SourceResult] = ()) -> None:
        self.loud: list[SourceResult] = []
        self._quiet = Quiet()
        self._order = bytearray()  # of each source whether it is loud
        self._many = MANY
        self.extend(results)

    def append(self, result: SourceResult) -> bool:
        """Whether it is loud."""
        loud = not is_quiet(result)
        self._order.append(loud)
        if loud:
            self.loud.append(result)
        else:
            self._quiet.add(result)
        return loud

    def extend(self, results: Iterable[SourceResult]) -> None:
        for result in results:
            self.append(result)

    def quieten(self) -> None:
        """Sources whose events had no room become rows, where they may be many."""
        if len(self.loud) < self._many:
            return
        now = Results(self)
        self.loud, self._quiet, self._order = now.loud, now._quiet, now._order
        self._many = max(MANY, 2 * len(self.loud))

    def files(self) -> Iterator[str]:
        """Their names alone, which costs less."""
        loud, quiet = iter(self.loud), iter(self._quiet.files)
        return (next(loud).file if is_loud else next(quiet) for is_loud in self._order)

    def hosts(self) -> set[str]:
        """The names that prefixes of lines give to machines."""
        return {*self._quiet.hosts(), *(host for result in self.loud for host in result.hosts)}

    def __iter__(self) -> Iterator[SourceResult]:
        loud, quiet = iter(self.loud), iter(self._quiet)
        return (next(loud) if is_loud else next(quiet) for is_loud in self._order)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Results) and list(self) == list(other)

    def __len__(self) -> int:
        return len(self._order)
