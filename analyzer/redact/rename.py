"""Replace names by stable ones: the same incident gets the same names in every output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from analyzer.redact.finders import choose_finders
from analyzer.redact.identifiers import Identifier
from analyzer.redact.matcher import NameMatcher
from analyzer.redact.name_variants import list_variants, uncoloured_views, unescaped_views
from analyzer.redact.walk import replace_strings

T = TypeVar("T")
PREFIXES_BY_KIND = {"node": ("node", "machine", "anonymous-node"), "user": ("user", "person", "anonymous-user")}


@dataclass(frozen=True)
class Renaming:
    """Which name replaces which. `name_by_variant`: variant in lower case → stable name; `identifiers`: as they were
    written.
    """

    name_by_variant: Mapping[str, str]
    identifiers: tuple[Identifier, ...]

    def find_originals(self, text: str) -> list[str]:
        """Return the originals that `text` holds in any variant, ordinary words excepted."""
        lines = text.splitlines()
        return [line[start:end] for line in lines for start, end, _ in self._matcher.find_names(line)]

    def replace_names(self, text: str) -> str:
        """Return the text with stable names in the place of originals."""
        text = self._matcher.replace_names(text)
        views = [next(uncoloured_views(view)) for view in unescaped_views(text)]
        for view in views[::-1]:  # a name with escapes in it: the text is shown as it reads
            if view != text and any(self._matcher.find_names(view)):
                text = self._matcher.replace_names(view)
                break
        return self._replace_in_certain_places(text) if self._ordinary_words else text

    def replace_in_setting(self, name: str, value: str) -> str:
        """Return the value of a setting with its names replaced; the setting's name may say what the value is."""
        begin = f"{name}="
        hidden = self._replace_in_certain_places(begin + value)
        return hidden.removeprefix(begin) if hidden.startswith(begin) else value

    def _replace_in_certain_places(self, text: str) -> str:
        lower = text.lower()
        if not any(word in lower for word in self._ordinary_words):
            return text
        for finder in choose_finders(text):
            if finder.is_certain:
                for start, end in reversed(list(finder.find_names(text))):
                    text = (
                        text[:start] + self._ordinary_words.get(text[start:end].lower(), text[start:end]) + text[end:]
                    )
        return text

    @cached_property
    def _ordinary_words(self) -> Mapping[str, str]:
        return {
            key: self.name_by_variant[key]
            for identifier in self.identifiers
            if not identifier.everywhere and (key := identifier.text.lower())
        }

    @cached_property
    def _matcher(self) -> NameMatcher:
        """Return the matcher of all names.

        Some Unicode letters do not survive a change of case and back, so a name also counts as it was written.
        """
        written = {
            identifier.text: self.name_by_variant[identifier.text.lower()]
            for identifier in self.identifiers
            if identifier.everywhere
        }
        return NameMatcher(
            {form: name for form, name in self.name_by_variant.items() if form not in self._ordinary_words} | written
        )


def assign_stable_names(identifiers: Sequence[Identifier]) -> Renaming:
    """Number each kind of name from 1 in the order given: node-01, addr-3. No stable name is or holds an original."""
    taken = {identifier.text.lower() for identifier in identifiers}
    originals = NameMatcher(dict.fromkeys(taken, ""))
    names: dict[str, str] = {}
    for name_kind in dict.fromkeys(identifier.name_kind for identifier in identifiers):
        identifiers_of_kind = [identifier for identifier in identifiers if identifier.name_kind == name_kind]
        width = max(2, len(str(len(identifiers_of_kind)))) if name_kind == "node" else 1
        for prefix in (
            *PREFIXES_BY_KIND.get(name_kind, (name_kind,)),
            f"anonymous-{name_kind}",
            f"renamed-{name_kind}",
            f"renamed{name_kind}",  # holds no original such as host-1
        ):
            stable_names = [f"{prefix}-{number:0{width}d}" for number in range(1, len(identifiers_of_kind) + 1)]
            if not any(any(originals.find_names(name)) for name in stable_names):
                break
        names.update(zip((identifier.text.lower() for identifier in identifiers_of_kind), stable_names, strict=True))
    stable = set(names.values())
    for identifier in identifiers:
        for form in list_variants(identifier.name_kind, identifier.text) if identifier.everywhere else ():
            if form not in stable:
                names.setdefault(form, names[identifier.text.lower()])
    return Renaming(names, tuple(identifiers))


def rename(incident: T, renaming: Renaming) -> T:
    """Return the JSON object with every original replaced, in values and in keys that the bundle chose."""
    return (
        replace_strings(incident, renaming.replace_names, renaming.replace_in_setting)
        if renaming.name_by_variant
        else incident
    )


def original_by_name(renaming: Renaming) -> dict[str, str]:
    """Return stable name → original, with which the owner reads a redacted report backwards."""
    return {renaming.name_by_variant[identifier.text.lower()]: identifier.text for identifier in renaming.identifiers}
