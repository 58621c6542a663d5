"""Messages folded into templates, after Drain (He, Zhu, Zheng, Lyu: ICWS 2017) with three changes.

What varies is masked before (numbers, addresses, paths …), so that most messages of one statement are equal already.
Lists of masked values count as one word, so that they may differ in length. And messages are folded in an order of
their own, not in that of the log: the same lines give the same templates however the files were read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

ALIKE = 0.5  # share of equal words from which two messages are of one statement
FIRST = 3  # of the words at the beginning must be equal at least one less
MOST = 2000  # groups; the rest joins the last of them
WIDEST = 60  # words of a message that are compared
ANY = "<*>"
_LIST = re.compile(r"(<\w+>)(?:[\s,;|/x:-]+<\w+>)+")
_QUOTED = re.compile(r"'[^'\n]{0,200}'|\"[^\"\n]{0,200}\"|`[^`\n]{0,200}`")
_BRACKETS = re.compile(r"\[(?:[^\[\]<]|<(?!\w+>))*+<\w+>[^\[\]]*+\]|\((?:<\w+>[\s,]*+)++\)|\{[^{}]{0,400}\}")


@dataclass(slots=True)
class Group:
    """Messages of one statement: `words` with ANY where they differ."""

    words: list[str]
    messages: list[str] = field(default_factory=list)

    @property
    def template(self) -> str:
        return " ".join(self.words)


def fold(messages: Iterable[str]) -> list[Group]:
    """Groups of masked messages. Each message is a member of exactly one group."""
    shapes: dict[tuple[str, ...], list[str]] = {}
    for message in messages:
        shapes.setdefault(words_of(message), []).append(message)
    groups: list[Group] = []
    buckets: dict[tuple[int, str], list[Group]] = {}
    for words in sorted(shapes):
        bucket = buckets.setdefault(_bucket(words), [])
        group = max(bucket, key=lambda one: likeness(one.words, words), default=None)
        if group is None or not is_alike(group.words, words):
            if len(groups) >= MOST:
                group = groups[-1]
            else:
                group = Group(list(words))
                groups.append(group)
                bucket.append(group)
        if len(group.words) == len(words):
            group.words = [mine if mine == other else ANY for mine, other in zip(group.words, words, strict=True)]
        group.messages += shapes[words]
    return groups


def words_of(masked: str) -> tuple[str, ...]:
    """The words that are compared: quoted parts, brackets with values in them, and lists of values are one word."""
    text = _BRACKETS.sub(ANY, _QUOTED.sub(ANY, masked))
    return tuple(_LIST.sub(ANY, text).split()[:WIDEST])


def likeness(template: list[str] | tuple[str, ...], words: tuple[str, ...]) -> float:
    """Share of equal words among those that say something."""
    telling = [(mine, other) for mine, other in zip(template, words, strict=True) if "<" not in mine or mine != other]
    return sum(mine == other for mine, other in telling) / len(telling) if telling else 1.0


def is_alike(template: list[str] | tuple[str, ...], words: tuple[str, ...]) -> bool:
    if len(template) != len(words) or likeness(template, words) < ALIKE:
        return False
    start = [mine == other or ANY in (mine, other) for mine, other in zip(template[:FIRST], words[:FIRST], strict=True)]
    return sum(start) >= len(start) - 1


class Known:
    """Templates of another run, to ask whether a message is one of theirs."""

    def __init__(self, templates: Iterable[str]) -> None:
        self._buckets: dict[tuple[int, str], list[tuple[str, ...]]] = {}
        for template in templates:
            words = words_of(template)
            self._buckets.setdefault(_bucket(words), []).append(words)

    def has(self, masked: str) -> bool:
        words = words_of(masked)
        return any(is_alike(one, words) for one in self._buckets.get(_bucket(words), ()))


def _bucket(words: tuple[str, ...]) -> tuple[int, str]:
    return len(words), words[0] if words else ""
