"""Find where a word of a shell ends: quoted parts that touch each other and bare text are one word (POSIX, 2.2).

Text is seldom a command alone. The command may be quoted itself (`sh -c "zip -Px y"`), be a list of words (`["zip",
"-Px"]`) or an escaped string of JSON. So a quote that bare text runs into either ends what the command is quoted by, or
begins a part of the word. What stands around it and around the next quote of its kind tells which. Where both are
possible, the longer word is taken, because a secret ends with it.
"""

from __future__ import annotations

import re

__all__ = ["find_value", "find_word_end", "is_adjacent"]

_MARK = re.compile(r"\\{0,3}[\"']")  # a quote, escaped by up to two layers of JSON
_BARE = re.compile(r"[^\s\"'\\]+|\\.")
_AT_END = re.compile(r"\Z|[\s,;)\]}&|<:\"'\\]|/>|[.!?](?:\s|\Z)")  # what may follow the last quote of a word
_BEFORE_OPENING = frozenset(" \t,[({:=")
_PART = re.compile(r"(\\{1,3}[\"'])[^\r\n]*?\1|\"(?:[^\"\\\r\n]|\\.)*\"|'(?:[^'\\\r\n]|\\.)*'")
_GAP = re.compile(r"\\{0,3}[\"'],\s{0,3}(?=\\{0,3}[\"'])|[\s=]{1,4}|,\s{0,3}|")
_MARK_BEFORE = re.compile(r"\\{0,3}[\"']\Z")
_LONGEST_MARK = 4  # characters


def find_word_end(text: str, start: int) -> int:
    """Return where the word ends that begins, or goes on, at `start` outside of any quotes."""
    at = start
    while at < len(text):
        mark = _MARK.match(text, at)
        if mark is None:
            bare = _BARE.match(text, at)
            if bare is None:
                break
            at = bare.end()
            continue
        part = _PART.match(text, at)
        if _AT_END.match(text, mark.end()) and (part is None or _begins_another(text, part.end(), mark[0])):
            break
        at = part.end() if part else mark.end()
    return at


def is_adjacent(text: str, at: int) -> bool:
    """Return whether the word of a quoted part that ends at `at` goes on behind it."""
    mark = _MARK.match(text, at)
    return find_word_end(text, at) > at if mark else _AT_END.match(text, at) is None


def find_value(text: str, option: re.Match[str], separate: bool) -> tuple[int, int, int]:
    """Return (start of what stands between an option and its argument, start and end of the argument).

    `separate`: the argument may also be a word of its own, behind blanks, `=` or the comma of a list. The last quote is
    left out where the first one stands before the argument's start. An option without an argument has an empty one.
    """
    behind = option.end()
    gap = _GAP.match(text, behind) if separate else None
    start = gap.end() if gap else behind
    mark: re.Match[str] | None = None
    if gap is not None and gap[0][:1] in ("\\", '"', "'"):  # the next word of a list
        mark = _MARK.match(text, start)
        start = mark.end() if mark else start
    elif start == behind:
        mark = _MARK_BEFORE.search(text, max(0, option.start() - _LONGEST_MARK), option.start())
    part = _PART.match(text, mark.start()) if mark else None
    if part is None or mark is None or part.end() - len(mark[0]) < start:
        return behind, start, find_word_end(text, start)
    if is_adjacent(text, part.end()):
        return behind, start, find_word_end(text, part.end())
    return behind, start, part.end() - len(mark[0])


def _begins_another(text: str, behind: int, mark: str) -> bool:
    """Return whether the mark that ends at `behind` opens the next quoted text, rather than closing one."""
    return text[behind - len(mark) - 1] in _BEFORE_OPENING and _AT_END.match(text, behind) is None
