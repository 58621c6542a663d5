"""Values of a YAML document that know where they stand, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple


class At(NamedTuple):
    """A line and a column, both 1-based."""

    line: int = 1
    column: int = 1


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a pack, where, and what to do about it."""

    file: str
    at: At
    text: str
    advice: str

    def __str__(self) -> str:
        return f"{self.file}:{self.at.line}:{self.at.column}: {self.text}; {self.advice}"


class Place(dict[str, object]):
    """A YAML mapping that knows where it, its keys and their values stand."""

    __slots__ = ("_keys", "_values", "where")

    def __init__(self, where: At) -> None:
        super().__init__()
        self.where = where
        self._keys: dict[str, At] = {}
        self._values: dict[str, At] = {}

    def put(self, key: str, value: object, key_at: At, value_at: At) -> None:
        self[key], self._keys[key], self._values[key] = value, key_at, value_at

    def at(self, key: str, number: int | None = None) -> At:
        """Where the value stands, or the item of that number in it; itself where there is none."""
        items = self.get(key)
        if number is not None and isinstance(items, Items) and number < len(items.places):
            return items.places[number]
        return self._values.get(key, self.where)

    def key_at(self, key: str) -> At:
        return self._keys.get(key, self.where)

    def spots(self) -> Mapping[str, At]:
        """Every value's place by its key; its own by the empty one."""
        return {"": self.where, **self._values}


class Items(list[object]):
    """A YAML list that knows where its items stand."""

    __slots__ = ("places",)

    def __init__(self) -> None:
        super().__init__()
        self.places: list[At] = []
