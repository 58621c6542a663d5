"""What signals are good for, whatever their names: which accuse, which tell of progress (docs/rules.md, `feeds`)."""

from __future__ import annotations

from collections.abc import Mapping

from analyzer.model import Event

_NOTHING: frozenset[str] = frozenset()


class Feeds:
    """{signal: what it feeds}, asked by event."""

    def __init__(self, words: Mapping[str, frozenset[str]]) -> None:
        self._words = words

    def of(self, event: Event) -> frozenset[str]:
        return self._words.get(event.signal, _NOTHING)

    def says(self, word: str, event: Event) -> bool:
        return word in self._words.get(event.signal, _NOTHING)

    def signals(self, *words: str) -> frozenset[str]:
        """Names of those that feed any of the words."""
        return frozenset(name for name, fed in self._words.items() if not fed.isdisjoint(words))
