"""The messages that lines of one template may have: lines that differ only in digits.

A message begins behind the prefixes of its line. Digits decide which these are only by making a stamp valid or not:
11/30/2026 is a date, and 11/31/2026 is none. So the numbers of a line are tried with digits of either sort.
"""

from __future__ import annotations

import re
from itertools import islice, product

from analyzer.formats import read_line

MAX_NUMBERS = 8  # of a line, in which its prefixes end
# Digits with which a number of this length is part of a valid stamp; shorter ones are ones, but for the day.
_VALID_DIGITS = {4: "2026", 8: "20261111", 10: "1795516392", 13: "1795516392000", 16: "1795516392000000"}
_DAY = "30"  # no month, and unlike 11/11/2026 the order of 11/30/2026 is certain
_find_numbers = re.compile(r"[0-9]+").finditer


class _AllNames:
    """Writers of any name: a file may show later that what stands before a line is one."""

    def __contains__(self, name: object) -> bool:
        return True


def messages_of_template(text: str) -> set[str]:
    """Return the messages that `text` and lines with other digits may have, with the digits of some of these lines.

    Some have valid stamps, others none (all 0, all 9), and others only in front or only behind.
    """
    numbers = [number.span() for number in islice(_find_numbers(text), MAX_NUMBERS)]
    others = {text, re.sub(r"[0-9]", "0", text), re.sub(r"[0-9]", "9", text)}
    valid = {_make_valid(text, day) for day in range(-1, len(numbers))}
    pairs = {*product(valid, others), *product(others, valid | others)}
    mixed = {front[:end] + back[end:] for (_, end), (front, back) in product(numbers, pairs)}
    variants = others | valid | mixed
    return {read_line(variant, writers).message for variant in variants for writers in ((), _AllNames())}


def _make_valid(text: str, day: int) -> str:
    """Return the line with valid numbers, of which that at index `day` is the day of a month."""
    parts, done = [], 0
    for index, number in enumerate(_find_numbers(text)):
        length = len(number[0])
        digits = _DAY if index == day and length == len(_DAY) else _VALID_DIGITS.get(length, "1" * length)
        parts += [text[done : number.start()], digits]
        done = number.end()
    return "".join((*parts, text[done:]))
