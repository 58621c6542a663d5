"""Finds any of very many names in a text, in time that does not grow with their number.

A text is taken as words (letters and digits of ASCII), escapes, and single other characters, in lower case; a name is a
path of such pieces in a tree. It is found where its pieces follow each other, and so never within a longer word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

# An escape before a name ends in letters or digits and is no part of it: %2Fname, \nname, \u0027name, ESC[31mname.
_ESCAPE = r"%<n>[A-Fa-f]?|%[0-9A-Fa-f]{2}|\\(?:[nrtbfv]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4})|\x1b\[[0-9;]{0,12}[A-Za-z]"
_PIECE = re.compile(rf"{_ESCAPE}|[A-Za-z0-9]+|[\s\S]")
_ESCAPE_MARKS = ("%", "\\")  # what escapes begin with that may be none: C:\nina, 100%ann
MAX_PIECES_BEHIND_MARK = 64  # pieces of a name that are looked at behind what may be an escape
_NAME_END = ""  # no piece: under it stands what the name is called
NameTree = dict[str, Any]  # piece → the tree behind it


class NameMatcher:
    """`names`: name → what stands for it. Case does not count."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._root: NameTree = {}
        for name, replacement in names.items():
            tree = self._root
            for piece in _split_pieces(name):
                tree = tree.setdefault(piece, {})
            if tree is not self._root:
                tree.setdefault(_NAME_END, replacement)

    def replace_names(self, text: str) -> str:
        """`text` with every name replaced, the longest where several begin."""
        parts: list[str] = []
        at = 0
        for start, end, replacement in self.find_names(text):
            parts += [text[at:start], replacement]
            at = end
        return "".join([*parts, text[at:]]) if parts else text

    def find_names(self, text: str) -> Iterator[tuple[int, int, str]]:
        """(start, end, what stands for it) of each name, in order and apart."""
        pieces = _PIECE.findall(text)
        lower = [piece.lower() for piece in pieces]
        marked = "%" in text or "\\" in text
        if not marked and self._root.keys().isdisjoint(lower):  # as in most texts
            return
        number = offset = 0
        while number < len(pieces):
            match, skipped = self._longest_name(lower, number), 0
            if match is None and marked and lower[number][0] in _ESCAPE_MARKS:
                match, skipped = self._name_behind_mark(lower, number), 1
            if match is None or not _stands_alone(pieces, number, match[0]):
                offset += len(pieces[number])
                number += 1
                continue
            end = offset + sum(map(len, pieces[number : match[0]]))
            yield offset + skipped, end, match[1]
            number, offset = match[0], end

    def _longest_name(self, lower: Sequence[str], number: int) -> tuple[int, str] | None:
        """(number of the piece behind it, what stands for it) of the longest name that begins with the piece."""
        longest, tree = None, self._root
        while number < len(lower) and lower[number] in tree:
            tree, number = tree[lower[number]], number + 1
            if _NAME_END in tree:
                longest = number, tree[_NAME_END]
        return longest

    def _name_behind_mark(self, lower: Sequence[str], number: int) -> tuple[int, str] | None:
        """The same of what looks like an escape, and may be a mark and the beginning of a name."""
        word, behind = lower[number][1:], number + 1
        if behind < len(lower) and _is_word(lower[behind]):
            word, behind = word + lower[behind], behind + 1
        match = (
            self._longest_name([word, *lower[behind : behind + MAX_PIECES_BEHIND_MARK]], 0)
            if word in self._root
            else None
        )
        return match and (behind - 1 + match[0], match[1])


def _split_pieces(name: str) -> list[str]:
    return [piece.lower() for piece in _PIECE.findall(name)]


def _stands_alone(pieces: Sequence[str], first: int, behind: int) -> bool:
    """A name that begins or ends with another character than a letter or digit of ASCII may still touch one."""
    return not (
        (first > 0 and _is_word(pieces[first - 1]) and not _is_word(pieces[first]) and not pieces[first].isascii())
        or (behind < len(pieces) and _is_word(pieces[behind]) and not pieces[behind - 1].isascii())
    )


def _is_word(piece: str) -> bool:
    return piece.isascii() and piece.isalnum()
