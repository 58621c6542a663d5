"""YAML mappings and lists that know the positions of their values, and problems with positions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from analyzer.signals.types import SourcePosition


@dataclass(frozen=True, slots=True)
class PackProblem:
    """One error in a pack: where it is, what is wrong, and what to do about it."""

    file: str
    position: SourcePosition
    text: str
    advice: str

    def __str__(self) -> str:
        return f"{self.file}:{self.position.line}:{self.position.column}: {self.text}; {self.advice}"


class YamlMapping(dict[str, object]):
    """A YAML mapping that knows the positions of itself, its keys and its values."""

    __slots__ = ("_key_positions", "_value_positions", "position")

    def __init__(self, position: SourcePosition) -> None:
        super().__init__()
        self.position = position
        self._key_positions: dict[str, SourcePosition] = {}
        self._value_positions: dict[str, SourcePosition] = {}

    def set_value(self, key: str, value: object, key_position: SourcePosition, value_position: SourcePosition) -> None:
        """Set the value of a key, with the positions of both in the file."""
        self[key], self._key_positions[key], self._value_positions[key] = value, key_position, value_position

    def position_of(self, key: str, index: int | None = None) -> SourcePosition:
        """Return the position of the value, or of its item `index`; of the mapping itself if there is no such key."""
        items = self.get(key)
        if index is not None and isinstance(items, YamlList) and index < len(items.positions):
            return items.positions[index]
        return self._value_positions.get(key, self.position)

    def key_position(self, key: str) -> SourcePosition:
        return self._key_positions.get(key, self.position)

    def all_positions(self) -> Mapping[str, SourcePosition]:
        """Return the position of each value by its key, and the position of the mapping by the empty key."""
        return {"": self.position, **self._value_positions}


class YamlList(list[object]):
    """A YAML list that knows the positions of its items."""

    __slots__ = ("positions",)

    def __init__(self) -> None:
        super().__init__()
        self.positions: list[SourcePosition] = []
