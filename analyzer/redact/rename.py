"""Stable names in the place of the originals: the same incident gets the same names, in every output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from analyzer.redact.finders import choose_finders
from analyzer.redact.forms import plain_views, write_forms
from analyzer.redact.matcher import Matcher
from analyzer.redact.originals import Original
from analyzer.redact.walk import replace

T = TypeVar("T")
PREFIXES = {"node": ("node", "machine", "anonymous-node"), "user": ("user", "person", "anonymous-user")}


@dataclass(frozen=True)
class Renaming:
    """`names`: each form of an original, in lower case → stable name; `originals`: as they were written."""

    names: Mapping[str, str]
    originals: tuple[Original, ...]

    def find(self, text: str) -> list[str]:
        """Originals that stand in `text` in any of their forms, less ordinary words."""
        lines = text.splitlines()
        return [line[start:end] for line in lines for start, end, _ in self._matcher.find(line)]

    def hide(self, text: str) -> str:
        """`text` with stable names in the place of originals."""
        text = self._matcher.replace(text)
        for view in [*plain_views(text)][:0:-1]:  # a name with escapes in it: the text is shown as it reads
            if any(self._matcher.find(view)):
                text = self._matcher.replace(view)
                break
        return self._hide_in_places(text) if self._ordinary else text

    def hide_value(self, name: str, value: str) -> str:
        """The value of a setting whose name may tell what it is."""
        begin = f"{name}="
        hidden = self._hide_in_places(begin + value)
        return hidden.removeprefix(begin) if hidden.startswith(begin) else value

    def _hide_in_places(self, text: str) -> str:
        lower = text.lower()
        if not any(word in lower for word in self._ordinary):
            return text
        for finder in choose_finders(text):
            if finder.sure:
                for start, end in reversed(list(finder.find(text))):
                    text = text[:start] + self._ordinary.get(text[start:end].lower(), text[start:end]) + text[end:]
        return text

    @cached_property
    def _ordinary(self) -> Mapping[str, str]:
        return {key: self.names[key] for one in self.originals if not one.everywhere and (key := one.text.lower())}

    @cached_property
    def _matcher(self) -> Matcher:
        """Of Unicode's letters the cases do not always lead back and forth, so a name counts as it was written too."""
        written = {one.text: self.names[one.text.lower()] for one in self.originals if one.everywhere}
        return Matcher({form: name for form, name in self.names.items() if form not in self._ordinary} | written)


def name_stably(originals: Sequence[Original]) -> Renaming:
    """Counts each sort from 1 in the order given: node-01, addr-3. No stable name is somebody's own name."""
    taken = {one.text.lower() for one in originals}
    names: dict[str, str] = {}
    for sort in dict.fromkeys(one.sort for one in originals):
        mine = [one for one in originals if one.sort == sort]
        wide = max(2, len(str(len(mine)))) if sort == "node" else 1
        for prefix in (*PREFIXES.get(sort, (sort,)), f"anonymous-{sort}", f"renamed-{sort}"):
            given = [f"{prefix}-{number:0{wide}d}" for number in range(1, len(mine) + 1)]
            if taken.isdisjoint(given):
                break
        names.update(zip((one.text.lower() for one in mine), given, strict=True))
    stable = set(names.values())
    for one in originals:
        for form in write_forms(one.sort, one.text) if one.everywhere else ():
            if form not in stable:
                names.setdefault(form, names[one.text.lower()])
    return Renaming(names, tuple(originals))


def rename(incident: T, renaming: Renaming) -> T:
    """The same JSON object with every original replaced, in values and in the keys that the bundle chose."""
    return replace(incident, renaming.hide, renaming.hide_value) if renaming.names else incident


def as_map(renaming: Renaming) -> dict[str, str]:
    """Stable name → original: for the owner, who reads a redacted report backwards."""
    return {renaming.names[one.text.lower()]: one.text for one in renaming.originals}
