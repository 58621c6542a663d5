"""Going through every string of an incident's JSON object.

Some keys hold words of the program or of rule packs, never of the bundle (OURS), but not everywhere: under FREE the
bundle chose the keys, or a rule's captures did, and there every value is the bundle's.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from analyzer.redact.settings import read_pairs

T = TypeVar("T")
Edit = Callable[[str], str]

RECENT = 4096  # strings whose change is known
OURS = frozenset(
    """
    schema_version tool verdict rule pack cause role severity status kind method signature signatures signal blame
    references explains explained_by finding id causes how stop time corrected first_time last_time
    silent_since start end points
    """.split()  # noqa: SIM905
)
FREE = frozenset({"captures", "settings", "values", "environment"})  # objects with keys of the bundle
KEYED = FREE - {"captures"}  # of these, where a key may be anybody's name; captures are named by rules
LINES = frozenset({"lines", "block"})  # lists of consecutive lines


def walk(value: object, free: bool = False) -> Iterator[str]:
    """Every string that the bundle may have brought in; settings as `NAME=value` too: the name tells what it is."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inside in value.items():
            if free:
                yield f"{key}={inside}" if isinstance(inside, str) else str(key)
            if free or key not in OURS:
                yield from walk(inside, key in FREE)
            if key in LINES and isinstance(inside, (list, tuple)):  # a name, and what it names below it
                yield from (pair for two in zip(inside, inside[1:]) for pair in read_pairs("\n".join(map(str, two))))
        if isinstance(values := value.get("values"), Mapping):  # a setting that differs, and who has which value
            yield from (f"{value.get('key')}={each}" for each in values)
    elif isinstance(value, (list, tuple)):
        for inside in value:
            yield from walk(inside)


def replace(
    value: T,
    change: Edit,
    of_setting: Callable[[str, str], str] = lambda _, value: value,
    of_lines: Callable[[Sequence[str]], list[str]] = list,
) -> T:
    """The same object with every such string changed.

    `of_setting` is asked first about the value of a setting, by its name, and `of_lines` about consecutive lines.
    """
    change = functools.lru_cache(RECENT)(change)  # the same few names stand in ten thousand objects
    return _Replacing(change, of_setting, of_lines).whole(value)  # type: ignore[return-value]


class _Replacing:
    def __init__(
        self, change: Edit, of_setting: Callable[[str, str], str], of_lines: Callable[[Sequence[str]], list[str]]
    ) -> None:
        self.change, self.of_setting, self.of_lines = change, of_setting, of_lines

    def whole(self, value: object) -> object:
        if isinstance(value, str):
            return self.change(value)
        if isinstance(value, Mapping):
            return {key: self.member(str(key), inside) for key, inside in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.whole(inside) for inside in value]
        return value

    def member(self, key: str, value: object) -> object:
        if key in FREE and isinstance(value, Mapping):
            return self.free(key, value)
        if key in OURS:
            return value
        if key in LINES and isinstance(value, (list, tuple)) and all(isinstance(line, str) for line in value):
            return [self.change(line) for line in self.of_lines(value)]
        return self.whole(value)

    def free(self, name: str, value: Mapping[object, object]) -> dict[str, object]:
        changed: dict[str, object] = {}
        for key, inside in value.items():
            new = self.change(str(key)) if name in KEYED else str(key)
            while new in changed:  # two that are one now stay two
                new += "'"
            known = self.of_setting(str(key), inside) if isinstance(inside, str) else inside
            changed[new] = self.whole(known)
        return changed
