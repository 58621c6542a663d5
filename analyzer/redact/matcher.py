"""Find any of very many names in a text, in time that does not grow with their number.

A text is split into words (ASCII letters and digits), escapes, and single other characters, all in lower case. A name
is a path of such pieces in a tree. A match is a sequence of whole pieces, so a name is never found inside a longer
word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

# An escape before a name ends in letters or digits and is no part of it: %2Fname, \nname, \u0027name, ESC[31mname.
_ESCAPE = r"%<n>[A-Fa-f]?|%[0-9A-Fa-f]{2}|\\(?:[nrtbfv]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4})|\x1b\[[0-9;]{0,12}[A-Za-z]"
_PIECE = re.compile(rf"{_ESCAPE}|[A-Za-z0-9]+|[\s\S]")
_ESCAPE_MARKS = ("%", "\\", "\x1b")  # begin an escape, or stand before a name: C:\nina, 100%ann, ESC[nina
MAX_PIECES_BEHIND_MARK = 64  # pieces of a name that are looked at behind what may be an escape
_NAME_END = ""  # no piece: the key of a name's replacement
NameTree = dict[str, Any]  # piece → the tree behind it


class NameMatcher:
    """Match names, ignoring case. `names`: name → its replacement."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._root: NameTree = {}
        for name, replacement in names.items():
            tree = self._root
            for piece in _split_pieces(name):
                tree = tree.setdefault(piece, {})
            if tree is not self._root:
                tree.setdefault(_NAME_END, replacement)

    def replace_names(self, text: str) -> str:
        """Return the text with every name replaced; the longest one where several begin."""
        parts: list[str] = []
        at = 0
        for start, end, replacement in self.find_names(text):
            parts += [text[at:start], replacement]
            at = end
        return "".join([*parts, text[at:]]) if parts else text

    def find_names(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield (start, end, replacement) of each name, in order and without overlap."""
        pieces = _PIECE.findall(text)
        lower = [piece.lower() for piece in pieces]
        marked = any(mark in text for mark in _ESCAPE_MARKS)
        if not marked and self._root.keys().isdisjoint(lower):  # as in most texts
            return
        number = offset = 0
        while number < len(pieces):
            match, skipped = self._longest_name(lower, number), 0
            if match is None and marked and lower[number][0] in _ESCAPE_MARKS:
                skipped = _mark_length(lower[number])
                match = self._name_behind_mark(lower, number, skipped)
            if match is None or not _stands_alone(pieces, number, match[0]):
                offset += len(pieces[number])
                number += 1
                continue
            end = offset + sum(map(len, pieces[number : match[0]]))
            yield offset + skipped, end, match[1]
            number, offset = match[0], end

    def _longest_name(self, lower: Sequence[str], number: int) -> tuple[int, str] | None:
        """Return (number of the piece behind the name, replacement) of the longest name that begins with the piece."""
        longest, tree = None, self._root
        while number < len(lower) and lower[number] in tree:
            tree, number = tree[lower[number]], number + 1
            if _NAME_END in tree:
                longest = number, tree[_NAME_END]
        return longest

    def _name_behind_mark(self, lower: Sequence[str], number: int, skipped: int) -> tuple[int, str] | None:
        """Return the same for a piece that looks like an escape, taken as a mark and the beginning of a name."""
        word, behind = lower[number][skipped:], number + 1
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
    """Return False if a non-ASCII beginning or end of the name touches an ASCII word: then it is part of a longer
    word.
    """
    return not (
        (first > 0 and _is_word(pieces[first - 1]) and not _is_word(pieces[first]) and not pieces[first].isascii())
        or (behind < len(pieces) and _is_word(pieces[behind]) and not pieces[behind - 1].isascii())
    )


def _mark_length(escape: str) -> int:
    """Return how many characters of what looks like an escape are its mark: the last letter may begin a name."""
    return max(1, len(escape) - 1) if escape[0] == "\x1b" else 1


def _is_word(piece: str) -> bool:
    return piece.isascii() and piece.isalnum()
