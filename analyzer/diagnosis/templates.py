"""Fold messages into templates, after Drain (He, Zhu, Zheng, Lyu: ICWS 2017) with three changes.

1. Varying parts (numbers, addresses, paths …) are masked first, so that most messages of one statement are equal.
2. A list of masked values counts as one word, so lists may differ in length.
3. Messages are folded in a fixed order instead of the order of the log, so the same lines always give the same
   templates, however the files were read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

MIN_LIKENESS = 0.5  # two messages with this share of equal words come from one statement …
COMPARED_FIRST_WORDS = 3  # … if at most one of this many first words differs
MAX_GROUPS = 2000  # further messages join the last group
MAX_COMPARED_WORDS = 60  # of a message
ANY_WORD = "<*>"
_LIST = re.compile(r"(<\w+>)(?:[\s,;|/x:-]+<\w+>)+")
_QUOTED = re.compile(r"'[^'\n]{0,200}'|\"[^\"\n]{0,200}\"|`[^`\n]{0,200}`")
_BRACKETS = re.compile(r"\[(?:[^\[\]<]|<(?!\w+>))*+<\w+>[^\[\]]*+\]|\((?:<\w+>[\s,]*+)++\)|\{[^{}]{0,400}\}")


@dataclass(slots=True)
class MessageGroup:
    """Messages of one statement; `words` holds ANY_WORD where they differ."""

    words: list[str]
    messages: list[str] = field(default_factory=list)

    @property
    def template(self) -> str:
        return " ".join(self.words)


def fold_messages(messages: Iterable[str]) -> list[MessageGroup]:
    """Return groups of masked messages. Each message is a member of exactly one group."""
    shapes: dict[tuple[str, ...], list[str]] = {}
    for message in messages:
        shapes.setdefault(split_words(message), []).append(message)
    groups: list[MessageGroup] = []
    buckets: dict[tuple[int, str], list[MessageGroup]] = {}
    for words in sorted(shapes):
        bucket = buckets.setdefault(_bucket_key(words), [])
        group = max(bucket, key=lambda template_group: likeness(template_group.words, words), default=None)
        if group is None or not is_alike(group.words, words):
            if len(groups) >= MAX_GROUPS:
                group = groups[-1]
            else:
                group = MessageGroup(list(words))
                groups.append(group)
                bucket.append(group)
        if len(group.words) == len(words):
            group.words = [
                word if word == new_word else ANY_WORD for word, new_word in zip(group.words, words, strict=True)
            ]
        group.messages += shapes[words]
    return groups


def split_words(masked: str) -> tuple[str, ...]:
    """Return the words to compare. A quotation, brackets with values, and a list of values are one word each."""
    text = _BRACKETS.sub(ANY_WORD, _QUOTED.sub(ANY_WORD, masked))
    return tuple(_LIST.sub(ANY_WORD, text).split()[:MAX_COMPARED_WORDS])


def likeness(template: list[str] | tuple[str, ...], words: tuple[str, ...]) -> float:
    """Return the share of equal words, not counting masked values that are equal."""
    distinctive = [
        (word, new_word) for word, new_word in zip(template, words, strict=True) if "<" not in word or word != new_word
    ]
    return sum(word == new_word for word, new_word in distinctive) / len(distinctive) if distinctive else 1.0


def is_alike(template: list[str] | tuple[str, ...], words: tuple[str, ...]) -> bool:
    if len(template) != len(words) or likeness(template, words) < MIN_LIKENESS:
        return False
    first_equal = [
        word == new_word or ANY_WORD in (word, new_word)
        for word, new_word in zip(template[:COMPARED_FIRST_WORDS], words[:COMPARED_FIRST_WORDS], strict=True)
    ]
    return sum(first_equal) >= len(first_equal) - 1


class KnownTemplates:
    """The templates of another run. They show whether a message occurred there."""

    def __init__(self, templates: Iterable[str]) -> None:
        self._buckets: dict[tuple[int, str], list[tuple[str, ...]]] = {}
        for template in templates:
            words = split_words(template)
            self._buckets.setdefault(_bucket_key(words), []).append(words)

    def contains(self, masked: str) -> bool:
        words = split_words(masked)
        return any(is_alike(template, words) for template in self._buckets.get(_bucket_key(words), ()))


def _bucket_key(words: tuple[str, ...]) -> tuple[int, str]:
    return len(words), words[0] if words else ""
