"""Texts that a pattern matches, made from the pattern itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

MAX_TEXTS = 40  # of one pattern
_CATEGORIES = {
    _constants.CATEGORY_DIGIT: "7",
    _constants.CATEGORY_WORD: "x",
    _constants.CATEGORY_SPACE: " ",
    _constants.CATEGORY_NOT_SPACE: "x",
    _constants.CATEGORY_NOT_DIGIT: "x",
    _constants.CATEGORY_NOT_WORD: " ",
}


def list_texts(pattern: str) -> list[str]:
    """Return texts that `pattern` matches, one for each alternative, without what it only looks at."""
    texts: list[str] = []
    for text in _texts_of(_parser.parse(pattern)):
        texts.append(text)
        if len(texts) == MAX_TEXTS:
            break
    return texts


def _texts_of(parts: Sequence[Any]) -> Iterator[str]:
    """Alternatives of different places are not combined with each other: the other places take their first one."""
    choices = [list(_choices_of(part)) for part in parts]
    longest = max((len(choice) for choice in choices), default=1)
    for number in range(longest):
        yield "".join(choice[min(number, len(choice) - 1)] for choice in choices)


def _choices_of(part: Any) -> Iterator[str]:
    kind, value = part
    if kind is _constants.LITERAL:
        yield chr(value)
    elif kind is _constants.NOT_LITERAL:
        yield "y" if value == ord("x") else "x"
    elif kind is _constants.ANY:
        yield "x"
    elif kind is _constants.IN:
        yield _member_of(value)
    elif kind is _constants.BRANCH:
        for branch in value[1]:
            yield from _texts_of(branch)
    elif kind is _constants.SUBPATTERN:
        yield from _texts_of(value[-1])
    elif kind in (_constants.MAX_REPEAT, _constants.MIN_REPEAT):
        least, _, body = value
        yield from (text * least for text in _texts_of(body))
    else:  # anchors and what is only looked at
        yield ""


def _member_of(members: Sequence[Any]) -> str:
    kind, value = members[0]
    if kind is _constants.NEGATE:
        refused = "".join(_member_of([member]) for member in members[1:])
        return next(character for character in "x7 _-" if character not in refused)
    if kind is _constants.RANGE:
        return chr(value[0])
    return chr(value) if kind is _constants.LITERAL else _CATEGORIES[value]
