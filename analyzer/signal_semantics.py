"""What signals mean, whatever their names: which accuse, which state progress (docs/rules.md, `feeds`)."""

from __future__ import annotations

from collections.abc import Mapping

from analyzer.model import Event

_NOTHING: frozenset[str] = frozenset()


class SignalSemantics:
    """The meanings of each signal, looked up by event."""

    def __init__(self, meanings: Mapping[str, frozenset[str]]) -> None:
        self._meanings = meanings

    def meanings_of(self, event: Event) -> frozenset[str]:
        """Return all meanings of the signal of `event`."""
        return self._meanings.get(event.signal, _NOTHING)

    def has_meaning(self, meaning: str, event: Event) -> bool:
        """Return whether the signal of `event` has this meaning."""
        return meaning in self._meanings.get(event.signal, _NOTHING)

    def signals_with(self, *meanings: str) -> frozenset[str]:
        """Return the names of all signals that have any of these meanings."""
        return frozenset(name for name, fed in self._meanings.items() if not fed.isdisjoint(meanings))
