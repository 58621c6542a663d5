"""Visit every string of an incident's JSON object.

Under most keys the bundle may have brought the strings. PROGRAM_KEYS hold words of the program or of rule packs, never
of the bundle. That does not hold inside BUNDLE_KEYED objects: their keys come from the bundle or from a rule's
captures, and every value is the bundle's.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from analyzer.redact.settings import read_pairs

T = TypeVar("T")
EditText = Callable[[str], str]

CHANGE_CACHE_SIZE = 4096  # strings whose replacement is cached
PROGRAM_KEYS = frozenset(
    """
    schema_version tool verdict rule pack cause role severity status kind method signature signatures signal blame
    count_is references explains explained_by finding id causes how stop time corrected first_time last_time
    silent_since start end points
    """.split()  # noqa: SIM905
)
BUNDLE_KEYED = frozenset({"captures", "settings", "values", "environment", "locals"})  # objects with keys of the bundle
RENAMED_KEYS = BUNDLE_KEYED - {"captures"}  # of these, where a key may be anybody's name; captures are named by rules
LINE_LISTS = frozenset({"lines", "block"})  # lists of consecutive lines


def bundle_strings(value: object, free: bool = False) -> Iterator[str]:
    """Yield every string that the bundle may have brought in. Settings come as `NAME=value` too, because the name says
    what the value is.
    """
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inside in value.items():
            if free:
                yield f"{key}={inside}" if isinstance(inside, str) else str(key)
            if free or key not in PROGRAM_KEYS:
                yield from bundle_strings(inside, key in BUNDLE_KEYED)
            if key in LINE_LISTS and isinstance(inside, (list, tuple)):  # a name, and what it names below it
                yield from (pair for two in zip(inside, inside[1:]) for pair in read_pairs("\n".join(map(str, two))))
        if isinstance(values := value.get("values"), Mapping):  # a setting that differs, and who has which value
            yield from (f"{value.get('key')}={item}" for item in values)
    elif isinstance(value, (list, tuple)):
        for inside in value:
            yield from bundle_strings(inside)


def replace_strings(
    value: T,
    change: EditText,
    change_setting: Callable[[str, str], str] = lambda _, value: value,
    change_lines: Callable[[Sequence[str]], list[str]] = list,
) -> T:
    """Return the object with every such string changed by `change`.

    `change_setting(name, value)` is asked first for the value of a setting, `change_lines` first for a list of
    consecutive lines.
    """
    change = functools.lru_cache(CHANGE_CACHE_SIZE)(change)  # the same few names stand in ten thousand objects
    return _StringReplacer(change, change_setting, change_lines).replace_value(value)  # type: ignore[return-value]


class _StringReplacer:
    def __init__(
        self,
        change: EditText,
        change_setting: Callable[[str, str], str],
        change_lines: Callable[[Sequence[str]], list[str]],
    ) -> None:
        self.change, self.change_setting, self.change_lines = change, change_setting, change_lines

    def replace_value(self, value: object) -> object:
        if isinstance(value, str):
            return self.change(value)
        if isinstance(value, Mapping):
            return {key: self.replace_member(str(key), inside) for key, inside in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.replace_value(inside) for inside in value]
        return value

    def replace_member(self, key: str, value: object) -> object:
        if key in BUNDLE_KEYED and isinstance(value, Mapping):
            return self.replace_bundle_keyed(key, value)
        if key in PROGRAM_KEYS:
            return value
        if key in LINE_LISTS and isinstance(value, (list, tuple)) and all(isinstance(line, str) for line in value):
            return [self.change(line) for line in self.change_lines(value)]
        return self.replace_value(value)

    def replace_bundle_keyed(self, name: str, value: Mapping[object, object]) -> dict[str, object]:
        changed: dict[str, object] = {}
        for key, inside in value.items():
            new = self.change(str(key)) if name in RENAMED_KEYS else str(key)
            while new in changed:  # two that are one now stay two
                new += "'"
            replaced = self.change_setting(str(key), inside) if isinstance(inside, str) else inside
            changed[new] = self.replace_value(replaced)
        return changed
