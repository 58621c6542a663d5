"""What signals are good for, whatever their names: which accuse, which tell of progress (docs/rules.md, `feeds`)."""

from __future__ import annotations

from collections.abc import Mapping

from analyzer.model import Event

_NOTHING: frozenset[str] = frozenset()


class SignalSemantics:
    """{signal: what it feeds}, asked by event."""

    def __init__(self, meanings: Mapping[str, frozenset[str]]) -> None:
        self._meanings = meanings

    def meanings_of(self, event: Event) -> frozenset[str]:
        return self._meanings.get(event.signal, _NOTHING)

    def has_meaning(self, meaning: str, event: Event) -> bool:
        return meaning in self._meanings.get(event.signal, _NOTHING)

    def signals_with(self, *meanings: str) -> frozenset[str]:
        """Names of those that feed any of the words."""
        return frozenset(name for name, fed in self._meanings.items() if not fed.isdisjoint(meanings))
